"""Watchers of rooms: the changes published to each, also after losses."""

from collections.abc import Hashable, Iterable
from typing import Any

import pytest

from presence import watchers as room_watchers
from presence.errors import TooMany
from presence.rooms import Membership, Room
from presence.watchers import LARGE_ROOM, LARGE_ROOM_FLUSHES, RoomWatchers
from tests.presence.rooms.shown import ANN, BOB, Shown
from tests.presence.world import World


def test_rooms_without_watchers_are_not_read(world: World) -> None:
    shown = Shown(world, "t1")
    world.rooms.put(Membership("t2", "ann", "c1"))
    assert shown.settle() == []
    shown.watchers.watch("socket", ["t2"], drop=["t1"])
    world.rooms.put(ANN)
    world.rooms.put(Membership("t2", "bob", "c1"))
    assert [list(update) for update in shown.settle()] == [["t2"]]
    shown.watchers.forget("socket")
    assert not shown.watchers._watching


def test_a_second_watcher_of_a_room_gets_the_same_without_a_read(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    updated: list[Hashable] = []
    look_up = world.rooms.look_up

    def noting(names: Iterable[str]) -> dict[str, Room]:
        read.extend(names)
        return look_up(names)

    monkeypatch.setattr(world.rooms, "look_up", noting)
    watchers = RoomWatchers(world.rooms, lambda watcher, rooms: updated.append(watcher))
    world.rooms.put(ANN)
    first = watchers.follow("first", ["t1"])
    second = watchers.follow("second", ["t1", "t2"])
    assert read == ["t1", "t2"]
    assert second["t1"] == first["t1"]
    assert [one.person for one in first["t1"].members] == ["ann"]
    world.rooms.put(BOB)
    watchers.apply({"t": "join", "r": "t1"})
    assert watchers.follow("third", ["t1"])["t1"] == first["t1"]
    watchers.flush_once()
    assert sorted(updated, key=str) == ["first", "second", "third"]
    assert watchers.follow("fourth", ["t1"])["t1"].count == 2
    assert read == ["t1", "t2", "t1"]


def test_a_room_whose_watcher_left_during_the_reading_is_read_again_for_the_next(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R44: nobody heard meanwhile who left the room."""
    watchers = RoomWatchers(world.rooms, lambda watcher, rooms: None)
    look_up = world.rooms.look_up

    def leaving(names: Iterable[str]) -> dict[str, Room]:
        watchers.forget("first")
        return look_up(names)

    world.rooms.put(ANN, "typing")
    with monkeypatch.context() as slow:
        slow.setattr(world.rooms, "look_up", leaving)
        watchers.follow("first", ["t1"])
    world.rooms.leave(ANN)
    assert watchers.follow("second", ["t1"])["t1"].members == ()
    assert watchers.with_mode("typing") == {}


def test_a_watcher_of_too_many_rooms_is_refused_and_watches_what_it_did(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A watcher of too many rooms is refused and watches what it did. (R46)"""
    monkeypatch.setattr(room_watchers, "MAX_ROOMS", 3)
    shown = Shown(world, "t1", "t2", "t3")
    with pytest.raises(TooMany):
        shown.watchers.watch("socket", ["t4", "t5"], drop=["t1"])
    world.rooms.put(ANN)
    assert [list(update) for update in shown.settle()] == [["t1"]]
    shown.watchers.watch("socket", ["t4", "t2"], drop=["t1"])
    shown.watchers.watch("socket", ["t5"], drop=["t4"])


def test_rooms_with_lost_announcements_are_read_again(world: World) -> None:
    """After a gap the shown rooms are read. (R44)"""
    shown = Shown(world, "t1")
    world.rooms.put(ANN)
    pubsub: Any = shown.feed._pubsub
    while pubsub.get_message(timeout=0.05):
        pass
    (updates,) = shown.settle()
    assert [one.person for one in updates["t1"].members] == ["ann"]


def test_a_flushed_redis_is_reported_to_those_who_must_rejoin(world: World) -> None:
    shown = Shown(world, "t1")
    world.rooms.put(ANN)
    shown.settle()
    world.clock.advance(1)
    world.client.flushall()
    assert shown.settle() == [] and shown.lost
    assert world.rooms.beat([ANN]) == [ANN]
    world.clock.advance(world.timing.recovery_grace_ms)
    (updates,) = shown.settle()
    assert updates["t1"].members == ()


def test_a_large_room_is_published_less_often(world: World) -> None:
    for number in range(LARGE_ROOM + 1):
        world.rooms.put(Membership("t1", f"p{number}", "c1"))
    shown = Shown(world, "t1")
    world.rooms.put(ANN)
    flushes = 1
    while not shown.settle():
        flushes += 1
        assert flushes <= LARGE_ROOM_FLUSHES
    assert flushes == LARGE_ROOM_FLUSHES


def test_rooms_of_a_redis_that_came_back_from_an_older_dump_are_read_again(world: World) -> None:
    """H1: numbers that grow again after a dump hide nobody who came, and keep nobody who left."""
    world.rooms.put(ANN)
    shown = Shown(world, "t1")
    dump = {key: world.client.dump(key) for key in world.client.scan_iter()}
    for mode in ("editing", "viewing", "editing"):
        world.rooms.put(BOB, mode)
        shown.settle()
    assert len(shown.rooms["t1"].members) == 2
    world.client.flushall()
    for key, value in dump.items():
        world.client.restore(key, 0, value)
    world.clock.advance(world.timing.recovery_grace_ms)
    shown.feed.close()
    shown.settle()
    world.clock.advance(world.timing.recovery_grace_ms)
    shown.settle()
    assert [one.person for one in shown.rooms["t1"].members] == ["ann"]
