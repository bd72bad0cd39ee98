"""The built-in view `snoozed`: a list of a query that is always kept, the soonest first."""

import pytest

from dashboard.db.lists import kept_lists, views
from dashboard.ingest.actions import Admin
from tests.dashboard.live.queries.test_live_lists import Scene

SNOOZED = {"view": "snoozed", "sort": "soonest"}
HOUR_MS = 3_600_000


@pytest.fixture
def scene(database):
    made = Scene(database)
    database.write(kept_lists.keep)
    made.order.tick()
    return made


def snooze(scene: Scene, id: int, hours: float) -> None:
    order = scene.order
    until = order.clock() + int(hours * HOUR_MS)
    mai = Admin(scene.mai, "Mai")
    order.ingest.act(order.services.snoozing.snooze, mai, id, until, "never")


def totals(scene: Scene) -> dict[str, int]:
    """Returns the view totals that the next turn sends."""
    scene.order.seconds += 1
    view_totals = scene.worker.live_lists.view_totals
    view_totals.note()
    view_totals.turn()
    found = scene.worker.network.totals.pop("socket", {})
    return {view: total for view, total in found.items() if view == "snoozed"}


def test_the_soonest_is_first_and_the_list_follows_each_change(scene):
    """Its length is a total of views; each change is a frame (W1, W3)."""
    for id, hours in ((1, 3), (2, 1), (3, 2)):
        snooze(scene, id, hours)
    opened = scene.open(**SNOOZED)
    assert (opened["ids"], opened["total"]) == ([2, 3, 1], 3)
    assert totals(scene) == {"snoozed": 3}
    snooze(scene, 1, 0.5)
    [frame] = scene.frames()
    assert [id for id, _ in frame["set"]] == [1]
    scene.order.clock.advance(HOUR_MS)
    assert scene.order.services.due_queue.turn() == 2
    [frame] = scene.frames()
    assert sorted(frame["del"]) == [1, 2]
    assert totals(scene) == {"snoozed": 1}
    assert scene.open(**SNOOZED)["ids"] == [3]
    # The list of Mai's mentions is kept because she is here; it is built now.
    scene.order.tick()
    assert scene.order.differences() == []


def test_other_sorts_and_filters_are_there_on_demand(scene):
    """As with any list of a query."""
    for id, hours in ((1, 3), (2, 1)):
        snooze(scene, id, hours)
    assert scene.open(view="snoozed", sort="longest_wait")["ids"] == [1, 2]
    assert scene.open(**SNOOZED, filter="mine")["ids"] == []
    assert scene.open(view="arrival", sort="soonest")["ids"] == [4, 3]


def test_redis_away_shows_the_same_order(scene, monkeypatch):
    """From SQL; the other lists hold the threads that are not snoozed."""
    for id, hours in ((1, 3), (2, 1), (3, 2)):
        snooze(scene, id, hours)
    [kept] = kept_lists.lists(scene.order.database.engine.connect()).values()
    assert [entry.id for entry in scene.in_sql(kept.id)] == [2, 3, 1]
    scene.worker.broadcaster.status.read_failed()
    scene.order.client.flushall()
    found = scene.call("open", limit=10, **SNOOZED)
    assert (found["ids"], found["late"]) == ([2, 3, 1], True)
    assert scene.call("open", limit=10, view="arrival", sort="arrival")["ids"] == [4]


def test_a_saved_view_of_the_same_list_does_not_take_it_along(scene):
    """The built-in view uses the same list."""
    database, now = scene.order.database, scene.order.clock
    view = scene.save("is:snoozed", "soonest")
    database.write(lambda connection: views.remove(connection, view, now()))
    now.advance(10 * HOUR_MS)
    scene.order.tick(3)
    with database.read() as connection:
        assert kept_lists.are_kept(connection)
    assert scene.open(**SNOOZED)["total"] == 0
