"""Rooms: one entry a person, with any number of connections."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from presence.errors import InvalidName, RoomFull, UnknownValue
from presence.keys import Space
from presence.rooms import Membership, Rooms
from tests.presence.rooms.shown import ANN, BOB, Shown, members
from tests.presence.world import World


def test_joining_and_leaving_is_announced_once(world: World) -> None:
    """Joining and leaving is announced once. (R84, R85, R86, R87, R88, B37)"""
    shown = Shown(world, "t1")
    world.clock.advance(5)
    assert world.rooms.put(ANN)
    joined = world.clock()
    assert not world.rooms.put(ANN)
    (updates,) = shown.settle()
    (member,) = updates["t1"].members
    assert (member.person, member.mode, member.since, updates["t1"].count) == (
        "ann", "viewing", joined, 1,
    )  # fmt: skip
    assert world.rooms.leave(ANN)
    assert not world.rooms.leave(ANN)
    (updates,) = shown.settle()
    assert updates["t1"].members == ()


def test_one_entry_a_person_however_many_tabs(world: World) -> None:
    """Closing a tab or changing mode neither doubles nor removes one. (T36, R92, B37, B40)"""
    second = Membership("t1", "ann", "c2")
    world.rooms.put(ANN, "viewing")
    world.rooms.put(second, "editing")
    assert members(world) == {"ann": "editing"}
    assert world.rooms.look_up(["t1"])["t1"].members[0].connections == 2
    world.rooms.leave(second)
    assert members(world) == {"ann": "viewing"}
    assert len(members(world)) == 1


def test_a_change_of_mode_is_neither_leave_nor_join(world: World) -> None:
    """A change of mode is no leave and no join; `since` stays. (R90, T26)"""
    world.rooms.put(ANN)
    since = world.rooms.look_up(["t1"])["t1"].members[0].since
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
    assert world.rooms.look_up(["t1"])["t1"].members[0].since == since


def test_the_busiest_come_first(world: World) -> None:
    for person, mode in (("a", "away"), ("b", "typing"), ("c", "viewing"), ("d", "editing")):
        world.rooms.put(Membership("t1", person, "c1"), mode)
    assert list(members(world)) == ["b", "d", "c", "a"]


@pytest.mark.parametrize("before", ["viewing", "editing"])
def test_typing_ends_after_six_seconds_and_falls_back(world: World, before: str) -> None:
    """It ends after 6 s unless it is sent again."""
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


def test_who_hides_typing_is_seen_editing(world: World) -> None:
    world.rooms.put(ANN, "typing", show_typing=False)
    assert members(world) == {"ann": "editing"}


def test_a_crash_ends_with_one_leave(world: World) -> None:
    """After the room's lifetime, refreshed by beats. (R89)"""
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
    """Case E1: a beat extends its own membership only, and only a silent one expires."""
    places = [Membership("t1", f"admin-{number}", "c1") for number in range(12)]
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
    """The step that ends a membership checks the time again."""
    world.rooms.put(ANN)
    world.clock.advance(world.timing.room_ttl_ms)
    shard = world.rooms.space.shard_of("t1")
    due = world.lua.run("rooms/due", world.rooms.space.rooms(shard)[:2], 10)
    world.rooms.beat([ANN])
    world.lua.run_all(world.rooms._reaping([due]))
    assert members(world) == {"ann": "viewing"}


def test_a_reload_in_a_room_shows_nothing(world: World) -> None:
    """A reload in a room causes no update. (T29)"""
    world.rooms.put(ANN)
    shown = Shown(world, "t1")
    world.rooms.leave(ANN, world.timing.page_closed_grace_ms)
    world.clock.advance(1_000)
    world.rooms.put(Membership("t1", "ann", "c2"))
    world.clock.advance(world.timing.page_closed_grace_ms)
    world.rooms.sweep_once()
    assert shown.settle() == []
    assert world.rooms.look_up(["t1"])["t1"].members[0].connections == 1


def test_a_late_leave_does_not_remove_a_member_put_back_since(world: World) -> None:
    """Leaves go in one call, which may name rooms without the person."""
    world.rooms.put(ANN)
    left = dict.fromkeys((ANN, BOB, Membership("t2", "bob", "c1")), world.clock())
    world.clock.advance(1_000)
    world.rooms.put(BOB)
    assert world.rooms.leave_late(left) == 1
    assert members(world) == {"bob": "viewing"}
    assert world.rooms.leave_late({}) == 0


def test_cursors_are_pushed_stored_and_ordered_by_clock(world: World) -> None:
    """A late joiner sees the last position; an older one changes nothing. (R91, B40)"""
    shown = Shown(world, "t1")
    world.rooms.put(ANN, clock=1, cursor={"field": "body", "position": 3})
    world.rooms.put(ANN, clock=2, cursor={"field": "body", "position": 9})
    assert not world.rooms.put(ANN, clock=1, cursor={"field": "body", "position": 1})
    assert not world.rooms.put(ANN, clock=3)
    shown.settle()
    assert shown.cursors == [("t1", "ann", {"field": "body", "position": 9})]
    assert world.rooms.look_up(["t1"])["t1"].members[0].cursor == {"field": "body", "position": 9}


def test_a_room_and_a_call_are_capped(world: World) -> None:
    rooms = Rooms(world.client, Space("small"), lua=world.lua, max_members=2)
    rooms.put(ANN), rooms.put(BOB)
    with pytest.raises(RoomFull):
        rooms.put(Membership("t1", "cat", "c1"))
    assert rooms.put(Membership("t1", "ann", "c2"), "editing")
    with pytest.raises(UnknownValue):
        rooms.put(ANN, "sleeping")


def test_names_cannot_reach_into_other_rooms(world: World) -> None:
    """Names have no patterns, and no name is part of another. (B38, B39)"""
    world.rooms.put(Membership("ab", "ann", "c1"))
    world.rooms.put(Membership("a*", "bob", "c1"))
    assert len(members(world, "a*")) == len(members(world, "ab")) == 1
    for place in (
        Membership("a\x1fb", "ann", "c1"),
        Membership("a}b", "ann", "c1"),
        Membership("a", "", "c1"),
    ):
        with pytest.raises(InvalidName):
            world.rooms.put(place)


def test_presence_in_a_room_is_apart_from_being_online(world: World) -> None:
    """Presence in a room is apart from being online. (R93)"""
    world.open("ann")
    world.rooms.put(BOB)
    assert world.status("ann") == "online" and members(world) == {"bob": "viewing"}
    assert world.status("bob") == "offline"


def test_an_empty_room_leaves_nothing_and_its_version_still_grows(world: World) -> None:
    """An empty room leaves no members, and its version still grows. (R71, R72, B37)"""
    shown = Shown(world, "t1")
    for _ in range(3):
        world.rooms.put(ANN)
        shown.settle()
        world.rooms.leave(ANN)
        assert shown.settle()
    deadlines, typing, _, room = world.rooms.space.room("t1")
    assert not world.client.exists(deadlines, typing, room)
