"""Saved views that nobody has looked at for long are opened on a socket."""

import pytest

from dashboard.db.lists import kept_lists, query_lists
from dashboard.ordering.list_keeper import LOOKED_AT_MS, RENEWED_MS
from tests.dashboard.live.queries.scene import Scene


@pytest.fixture
def scene(database, monkeypatch):
    """Mai has one view open, and another one is not kept in order."""
    monkeypatch.setattr(kept_lists, "ORDERED_MAX", 1)
    made = Scene(database)
    made.view = made.save("-is:closed", "arrival")
    made.other = made.save("is:waiting")
    made.order.tick()
    made.open(**named(made.other))
    made.order.tick()
    assert made.lists().keys() - unordered(made) == {made.other.list_id}
    return made


def named(view):
    return {"view": view.public_id, "sort": view.sort}


def unordered(scene):
    with scene.order.database.read() as connection:
        return query_lists.current(connection).unordered


def in_order(scene):
    return [id for id, _ in scene.in_sql(scene.view.list_id)]


def leave(scene):
    """Lets more time pass than a list is kept in order without anybody looking."""
    scene.call("close", **named(scene.view))
    scene.order.clock.advance(LOOKED_AT_MS + RENEWED_MS + 1)
    scene.worker.live_lists.renew()
    scene.order.tick()
    assert scene.view.list_id in unordered(scene)


def test_whoever_opens_it_gets_the_order_of_now_and_what_changes_it(scene):
    scene.order.post("a")
    opened = scene.open(**named(scene.view))
    assert opened["ids"] == in_order(scene) == [1, 4, 3, 2]
    scene.order.post("b")
    [frame] = [frame for frame in scene.frames() if frame["view"] == scene.view.public_id]
    assert [id for id, _ in frame["set"]] == [2] and frame["from"] == opened["version"]


def test_a_list_that_was_left_meanwhile_is_not_synced_but_opened_anew(scene):
    """The socket's state is of an epoch that Redis still has, but lacks the moves since."""
    opened = scene.open(**named(scene.view))
    known = {"epoch": opened["epoch"], "version": opened["version"]}
    assert scene.call("sync", **named(scene.view), **known)["resync"] is False
    leave(scene)
    scene.order.post("a")
    assert scene.call("sync", **named(scene.view), **known) == {"ok": True, "resync": True}
    assert scene.open(**named(scene.view))["ids"] == in_order(scene)
    # As above, where another socket has opened it already.
    assert scene.call("sync", **named(scene.view), **known) == {"ok": True, "resync": True}


def test_more_of_a_list_that_was_left_meanwhile_is_read_from_sql(scene):
    opened = scene.open(**named(scene.view))
    leave(scene)
    scene.order.post("a")
    after = [opened["scores"][0], opened["ids"][0]]
    for given in ({"limit": 10}, {"through": 2}):
        more = scene.call("more", **named(scene.view), after=after, **given)
        assert (more["ids"], more["late"]) == ([3, 2], True)


def test_what_is_on_a_screen_stays_in_order(scene):
    scene.open(**named(scene.view))
    for _ in range(3):
        scene.order.clock.advance(LOOKED_AT_MS)
        scene.worker.live_lists.renew()
        scene.order.tick()
    assert scene.view.list_id not in unordered(scene)


def test_its_total_is_right_at_every_moment(scene):
    totals = scene.worker.live_lists.view_totals
    for number, name in enumerate("efg", 5):
        scene.order.post(name)
        totals.note()
        scene.order.seconds += 1
        totals.turn()
        assert scene.worker.network.totals["socket"][scene.view.public_id] == number
    assert scene.view.list_id in unordered(scene)


def test_who_opens_too_many_lists_that_must_be_built_is_refused(scene, monkeypatch):
    """`rate_limited`, as with lists of unsaved queries."""
    asked = []
    monkeypatch.setattr(
        scene.worker.live_lists._limits, "require", lambda limit, admin_id: asked.append(admin_id)
    )
    scene.open(**named(scene.other))
    assert asked == []
    scene.open(**named(scene.view))
    assert set(asked) == {scene.mai}
