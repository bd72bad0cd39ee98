"""The built-in view `mentions`: each admin has a list of their own, live like any other."""

import pytest

from dashboard.ingest.actions import Admin
from dashboard.ingest.replies import Reply
from dashboard.ordering.list_keeper import LOOKED_AT_MS, RENEWED_MS
from tests.dashboard.ingest.shop import new_admin
from tests.dashboard.live.queries.test_live_lists import Scene

MENTIONS = {"view": "mentions", "sort": "arrival"}


@pytest.fixture
def scene(database):
    made = Scene(database)
    made.ken = Admin(new_admin(database, "Ken", "supervisor"), "Ken", "supervisor")
    made.admin = Admin(made.mai, "Mai", "supervisor")
    made.order.tick()
    return made


def totals(scene: Scene) -> dict[str, int]:
    """Returns the view totals that the next turn sends."""
    scene.order.seconds += 1
    view_totals = scene.worker.live_lists.view_totals
    view_totals.note()
    view_totals.turn()
    return scene.worker.network.totals.pop("socket", {})


def note(scene: Scene, id: int, body: str, by: Admin | None = None) -> int:
    reply = Reply(body, f"n-{id}-{scene.order.clock()}", True)
    act = scene.order.ingest.act
    scene.order.clock.advance(1)
    message = act(scene.order.services.actions.reply, by or scene.ken, id, reply).message
    return message["id"]


def read(scene: Scene, id: int, through: int, by: Admin | None = None) -> list[int]:
    reading = scene.order.services.mentioning.read
    return scene.order.ingest.act(reading, by or scene.admin, id, through)


def test_a_mention_comes_and_reading_takes_it_off(scene):
    """Its badge is the length of the list; each change is a frame."""
    first = note(scene, 1, "@Mai look")
    opened = scene.open(**MENTIONS)
    assert (opened["ids"], opened["total"]) == ([1], 1)
    assert totals(scene)["mentions"] == 1
    note(scene, 2, "@Ken and others", scene.admin)
    assert scene.frames() == [], "that is Ken's"
    later = note(scene, 3, "@Mai @Ken")
    [frame] = scene.frames()
    assert ([id for id, _ in frame["set"]], frame["total"]) == ([3], 2)
    assert totals(scene)["mentions"] == 2
    read(scene, 1, first)
    [frame] = scene.frames()
    assert (frame["del"], frame["total"]) == ([1], 1)
    assert totals(scene)["mentions"] == 1
    again = scene.order.services.mentioning.unread
    scene.order.ingest.act(again, scene.admin, 1, first)
    assert scene.frames()[0]["set"][0][0] == 1
    assert (read(scene, 1, first), read(scene, 3, later)) == ([], [])
    assert scene.open(**MENTIONS)["ids"] == []
    assert scene.order.differences() == []


def test_the_list_is_kept_for_its_total_while_the_admin_is_here(scene):
    """Nobody has it open; it is removed a minute after the admin has gone."""
    before = scene.lists().keys()
    totals(scene)
    [list_id] = scene.lists().keys() - before
    for _ in range(10):
        scene.order.clock.advance(20_000)
        scene.worker.live_lists.renew()
        scene.order.tick()
    assert list_id in scene.lists()
    scene.worker.broadcaster.drop("socket")
    scene.order.clock.advance(LOOKED_AT_MS + RENEWED_MS + 1)
    scene.worker.live_lists.renew()
    scene.order.tick()
    assert list_id not in scene.lists()


def test_a_closed_thread_is_in_it_until_it_was_read(scene):
    first = note(scene, 1, "@Mai")
    scene.order.ingest.act(scene.order.services.actions.close, scene.ken, 1)
    assert scene.open(**MENTIONS)["ids"] == [1]
    read(scene, 1, first)
    assert scene.open(**MENTIONS)["ids"] == []


def test_other_sorts_and_filters_are_there_on_demand(scene):
    for id in (1, 2):
        note(scene, id, "@Mai")
    scene.order.ingest.act(scene.order.services.actions.claim, scene.admin, 2)
    assert scene.open(view="mentions", sort="longest_wait")["ids"] == [1, 2]
    assert scene.open(**MENTIONS, filter="mine")["ids"] == [2]
