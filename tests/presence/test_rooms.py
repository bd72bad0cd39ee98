"""Rooms: one entry a person, whatever their connections do."""

from collections.abc import Hashable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from presence import room_watchers
from presence.errors import InvalidName, RoomFull, TooMany, UnknownValue
from presence.feed import Feed
from presence.room_watchers import CROWD, CROWD_FLUSHES, RoomWatchers
from presence.rooms import Place, Room, Rooms
from tests.presence.world import World

ANN, BOB = Place("t1", "ann", "c1"), Place("t1", "bob", "c1")


def members(world: World, room: str = "t1") -> dict[str, str]:
    return {one.person: one.mode for one in world.rooms.look([room])[room].members}


class Shown:
    """A worker with one socket that shows rooms."""

    def __init__(self, world: World, *rooms: str):
        self.told: list[dict[str, Room]] = []
        self.cursors: list[tuple[str, str, Any]] = []
        self.lost = 0
        self.watchers = RoomWatchers(
            world.rooms, self._publish, self._publish_cursor, self._on_lost
        )
        self.feed = Feed(world.client, [self.watchers], world.scripts)
        self.feed.pump(0)
        self.rooms = self.watchers.watch("socket", rooms)

    def settle(self) -> list[dict[str, Room]]:
        self.feed.verify_once()
        while self.feed.pump(0):
            pass
        self.watchers.flush_once()
        told, self.told = self.told, []
        return told

    def _publish(self, watcher: Hashable, rooms: dict[str, Room]) -> None:
        for name, room in rooms.items():
            assert name not in self.rooms or room.version > self.rooms[name].version
        self.told.append(rooms)
        self.rooms.update(rooms)

    def _publish_cursor(self, watcher: Hashable, room: str, person: str, cursor: Any) -> None:
        self.cursors.append((room, person, cursor))

    def _on_lost(self) -> None:
        self.lost += 1


def test_joining_and_leaving_is_announced_once(world: World) -> None:
    """R84, R85, R86, R87, R88, B37."""
    shown = Shown(world, "t1")
    world.clock.advance(5)
    assert world.rooms.put(ANN)
    joined = world.clock()
    assert not world.rooms.put(ANN)
    (told,) = shown.settle()
    (member,) = told["t1"].members
    assert (member.person, member.mode, member.since, told["t1"].count) == (
        "ann", "viewing", joined, 1,
    )  # fmt: skip
    assert world.rooms.leave(ANN)
    assert not world.rooms.leave(ANN)
    (told,) = shown.settle()
    assert told["t1"].members == ()


def test_one_entry_a_person_however_many_tabs(world: World) -> None:
    """T36, R92, B37, B40: closing one tab, or another mode, never doubles or removes."""
    second = Place("t1", "ann", "c2")
    world.rooms.put(ANN, "viewing")
    world.rooms.put(second, "editing")
    assert members(world) == {"ann": "editing"}
    assert world.rooms.look(["t1"])["t1"].members[0].connections == 2
    world.rooms.leave(second)
    assert members(world) == {"ann": "viewing"}
    assert world.rooms.counts(["t1"]) == {"t1": 1}


def test_a_change_of_mode_is_neither_leave_nor_join(world: World) -> None:
    """R90, T26: since stays."""
    world.rooms.put(ANN)
    since = world.rooms.look(["t1"])["t1"].members[0].since
    pubsub = world.client.pubsub()
    pubsub.psubscribe("*room:ch")
    heard: list[Any] = []
    world.clock.advance(1_000)
    world.rooms.put(ANN, "editing")
    world.rooms.put(ANN, "away")
    while message := pubsub.get_message(timeout=0.1):
        heard += [message["data"]] if message["type"] == "pmessage" else []
    pubsub.close()
    assert ['"t":"mode"' in body.decode() for body in heard] == [True, True]
    assert world.rooms.look(["t1"])["t1"].members[0].since == since


def test_the_busiest_come_first(world: World) -> None:
    for person, mode in (("a", "away"), ("b", "typing"), ("c", "viewing"), ("d", "editing")):
        world.rooms.put(Place("t1", person, "c1"), mode)
    assert list(members(world)) == ["b", "d", "c", "a"]


@pytest.mark.parametrize("before", ["viewing", "editing"])
def test_typing_dies_after_six_seconds_and_falls_back(world: World, before: str) -> None:
    """Gone after 6 s of silence, kept up by saying it again."""
    world.rooms.put(ANN, before)
    world.rooms.put(ANN, "typing")
    world.clock.advance(4_000)
    assert not world.rooms.put(ANN, "typing")
    world.clock.advance(5_999)
    assert world.rooms.sweep_once() == 0
    assert members(world) == {"ann": "typing"}
    world.clock.advance(1)
    assert world.rooms.sweep_once() == 1
    assert members(world) == {"ann": before}
    assert world.rooms.sweep_once() == 0


def test_who_does_not_show_typing_is_seen_editing(world: World) -> None:
    world.rooms.put(ANN, "typing", show_typing=False)
    assert members(world) == {"ann": "editing"}


def test_a_crash_ends_with_one_leave(world: World) -> None:
    """R89: after the room's lifetime, refreshed by beats."""
    world.rooms.put(ANN)
    for _ in range(4):
        world.clock.advance(25_000)
        world.rooms.sweep_once()
        assert world.rooms.beat([ANN]) == []
    world.clock.advance(world.timing.room_ttl_ms)
    assert (world.rooms.sweep_once(), world.rooms.sweep_once()) == (1, 0)
    assert members(world) == {}
    assert world.rooms.beat([ANN]) == [ANN]


def test_many_stay_for_an_hour_though_all_beat_at_once(world: World) -> None:
    """Case E1: nobody's beat ends somebody else's stay, and whoever stops goes alone."""
    places = [Place("t1", f"admin-{number}", "c1") for number in range(12)]
    for place in places:
        world.rooms.put(place)
    with ThreadPoolExecutor(len(places)) as pool:
        for _ in range(3_600_000 // 25_000):
            world.clock.advance(25_000)
            assert list(pool.map(lambda place: world.rooms.beat([place]), places)) == [[]] * 12
            assert world.rooms.sweep_once() == 0
            assert len(members(world)) == 12
        for _ in range(4):
            world.clock.advance(25_000)
            list(pool.map(lambda place: world.rooms.beat([place]), places[1:]))
            world.rooms.sweep_once()
    assert set(members(world)) == {place.person for place in places[1:]}


def test_who_comes_back_between_finding_and_ending_stays(world: World) -> None:
    """The time is checked again in the step that ends it."""
    world.rooms.put(ANN)
    world.clock.advance(world.timing.room_ttl_ms)
    shard = world.rooms.space.shard_of("t1")
    due = world.scripts.run("room_due", world.rooms.space.rooms(shard)[:2], 10)
    world.rooms.beat([ANN])
    world.scripts.run_all(world.rooms._reaping([due]))
    assert members(world) == {"ann": "viewing"}


def test_a_reload_in_a_room_shows_nothing(world: World) -> None:
    """T29."""
    world.rooms.put(ANN)
    shown = Shown(world, "t1")
    world.rooms.leave(ANN, world.timing.page_closed_ms)
    world.clock.advance(1_000)
    world.rooms.put(Place("t1", "ann", "c2"))
    world.clock.advance(world.timing.page_closed_ms)
    world.rooms.sweep_once()
    assert shown.settle() == []
    assert world.rooms.look(["t1"])["t1"].members[0].connections == 1


def test_who_left_and_is_told_late_leaves_unless_put_there_since(world: World) -> None:
    """All in one call: also of rooms in which they are not."""
    world.rooms.put(ANN)
    left = dict.fromkeys((ANN, BOB, Place("t2", "bob", "c1")), world.clock())
    world.clock.advance(1_000)
    world.rooms.put(BOB)
    assert world.rooms.leave_late(left) == 1
    assert members(world) == {"bob": "viewing"}
    assert world.rooms.leave_late({}) == 0


def test_cursors_are_told_stored_and_ordered_by_clock(world: World) -> None:
    """R91, B40: a late joiner sees the last position; an older one changes nothing."""
    shown = Shown(world, "t1")
    world.rooms.put(ANN, clock=1, cursor={"field": "body", "position": 3})
    world.rooms.put(ANN, clock=2, cursor={"field": "body", "position": 9})
    assert not world.rooms.put(ANN, clock=1, cursor={"field": "body", "position": 1})
    assert not world.rooms.put(ANN, clock=3)
    shown.settle()
    assert shown.cursors == [("t1", "ann", {"field": "body", "position": 9})]
    assert world.rooms.look(["t1"])["t1"].members[0].cursor == {"field": "body", "position": 9}


def test_a_room_and_a_call_are_capped(world: World) -> None:
    rooms = Rooms(world.client, "small", scripts=world.scripts, most_members=2)
    rooms.put(ANN), rooms.put(BOB)
    with pytest.raises(RoomFull):
        rooms.put(Place("t1", "cat", "c1"))
    assert rooms.put(Place("t1", "ann", "c2"), "editing")
    with pytest.raises(UnknownValue):
        rooms.put(ANN, "sleeping")


def test_names_cannot_reach_into_other_rooms(world: World) -> None:
    """B38, B39: no glob, no part of a name that stands for another."""
    world.rooms.put(Place("ab", "ann", "c1"))
    world.rooms.put(Place("a*", "bob", "c1"))
    assert world.rooms.counts(["a*", "ab"]) == {"a*": 1, "ab": 1}
    for place in (Place("a\x1fb", "ann", "c1"), Place("a}b", "ann", "c1"), Place("a", "", "c1")):
        with pytest.raises(InvalidName):
            world.rooms.put(place)


def test_presence_in_a_room_is_apart_from_being_online(world: World) -> None:
    """R93."""
    world.open("ann")
    world.rooms.put(BOB)
    assert world.status("ann") == "online" and members(world) == {"bob": "viewing"}
    assert world.status("bob") == "offline"


def test_an_empty_room_leaves_nothing_and_its_version_still_grows(world: World) -> None:
    """R71, R72, B37."""
    shown = Shown(world, "t1")
    for _ in range(3):
        world.rooms.put(ANN)
        shown.settle()
        world.rooms.leave(ANN)
        assert shown.settle()
    deadlines, typing, _, room = world.rooms.space.room("t1")
    assert not world.client.exists(deadlines, typing, room)


def test_rooms_that_nobody_shows_are_not_read(world: World) -> None:
    shown = Shown(world, "t1")
    world.rooms.put(Place("t2", "ann", "c1"))
    assert shown.settle() == []
    shown.watchers.watch("socket", ["t2"], drop=["t1"])
    world.rooms.put(ANN)
    world.rooms.put(Place("t2", "bob", "c1"))
    assert [list(told) for told in shown.settle()] == [["t2"]]
    shown.watchers.forget("socket")
    assert not shown.watchers._watching


def test_who_follows_what_others_watch_is_told_the_same_and_nothing_is_read(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    told: list[Hashable] = []
    look = world.rooms.look

    def noting(names: Iterable[str]) -> dict[str, Room]:
        read.extend(names)
        return look(names)

    monkeypatch.setattr(world.rooms, "look", noting)
    watchers = RoomWatchers(world.rooms, lambda watcher, rooms: told.append(watcher))
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
    assert sorted(told, key=str) == ["first", "second", "third"]
    assert watchers.follow("fourth", ["t1"])["t1"].count == 2
    assert read == ["t1", "t2", "t1"]


def test_a_watcher_of_too_many_rooms_is_refused_and_watches_what_it_did(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R46."""
    monkeypatch.setattr(room_watchers, "MOST_ROOMS", 3)
    shown = Shown(world, "t1", "t2", "t3")
    with pytest.raises(TooMany):
        shown.watchers.watch("socket", ["t4", "t5"], drop=["t1"])
    world.rooms.put(ANN)
    assert [list(told) for told in shown.settle()] == [["t1"]]
    shown.watchers.watch("socket", ["t4", "t2"], drop=["t1"])


def test_lost_announcements_of_rooms_are_made_up_for(world: World) -> None:
    """R44: a gap means reading what is shown."""
    shown = Shown(world, "t1")
    world.rooms.put(ANN)
    pubsub: Any = shown.feed._pubsub
    while pubsub.get_message(timeout=0.05):
        pass
    (told,) = shown.settle()
    assert [one.person for one in told["t1"].members] == ["ann"]


def test_a_flushed_redis_is_told_to_those_who_have_to_come_back(world: World) -> None:
    shown = Shown(world, "t1")
    world.rooms.put(ANN)
    shown.settle()
    world.clock.advance(1)
    world.client.flushall()
    assert shown.settle() == [] and shown.lost
    assert world.rooms.beat([ANN]) == [ANN]
    world.clock.advance(world.timing.calm_ms)
    (told,) = shown.settle()
    assert told["t1"].members == ()


def test_a_crowd_is_told_of_less_often(world: World) -> None:
    for number in range(CROWD + 1):
        world.rooms.put(Place("t1", f"p{number}", "c1"))
    shown = Shown(world, "t1")
    world.rooms.put(ANN)
    flushes = 1
    while not shown.settle():
        flushes += 1
        assert flushes <= CROWD_FLUSHES
    assert flushes == CROWD_FLUSHES
