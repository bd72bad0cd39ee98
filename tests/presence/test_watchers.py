"""Watching: a snapshot, then what changes, whatever gets lost on the way."""

import json
from typing import Any

import pytest

from presence.errors import TooMany
from presence.feed import DEAF_AFTER
from presence.watchers import Watchers
from tests.presence.world import STRANGER, TTL, World


def lose_messages(told: Any) -> None:
    pubsub = told.feed._pubsub
    while pubsub.get_message(timeout=0.05):
        pass


def test_a_snapshot_and_then_what_changes(world: World) -> None:
    """R43, R45, R47, R98."""
    world.open("ann")
    with world.told("ann", "bob") as told:
        assert told.states["ann"]["status"] == "online"
        world.open("bob")
        assert told.settle() == [{"bob": world.look("bob")}]


def test_only_those_who_watch_are_told_and_only_of_whom_they_watch(world: World) -> None:
    """R48, R49, R46: filtered in the worker, never in the browser."""
    with world.told("ann") as told:
        world.open("bob")
        assert told.settle() == []
        told.states.update(told.watchers.watch("socket", STRANGER, ["bob"], drop=["ann"]))
        world.open("ann")
        world.people.close("bob", "c1")
        assert [list(message) for message in told.settle()] == [["bob"]]
        told.watchers.forget("socket")
        world.open("bob")
        assert told.settle() == [] and len(told.watchers) == 0


def test_a_watcher_may_watch_so_many(world: World) -> None:
    """R46."""
    watchers = Watchers(world.people, lambda *_: None, most_watched=3)
    watchers.watch("socket", STRANGER, ["a", "b", "c"])
    with pytest.raises(TooMany):
        watchers.watch("socket", STRANGER, ["d"])
    watchers.watch("socket", STRANGER, ["d"], drop=["a"])
    assert len(watchers) == 3


def test_one_publish_reaches_watchers_on_every_worker(world: World) -> None:
    """R51, R43, R50, R52, R73, R74, B15, T13: connect at one, seen at another."""
    other = World(world.client, clock=world.clock)
    with world.told("ann") as here, other.told("ann") as there:
        world.open("ann")
        assert here.settle() == there.settle() != []
        assert len(world.announced()) == 1


def test_changes_are_gathered_into_one_message(world: World) -> None:
    """R50: a flush a quarter of a second is four messages a second, however many change."""
    names = [str(number) for number in range(20)]
    with world.told(*names) as told:
        for name in names:
            world.open(name)
        (message,) = told.settle()
        assert sorted(message) == sorted(names)


def test_what_changed_and_changed_back_is_not_told(world: World) -> None:
    world.open("ann")
    with world.told("ann") as told:
        world.people.idle("ann", "c1", active=False)
        world.people.idle("ann", "c1", active=True)
        assert told.settle() == []


def test_a_lost_message_is_noticed_by_the_next_one(world: World) -> None:
    """R44, B14: caught up from the stream by its place."""
    with world.told("ann", "bob") as told:
        told.watchers.watch("socket", STRANGER, ["ann"])
        world.open("ann")
        lose_messages(told)
        world.people.close("ann", "c1")
        told.feed.pump(0.2)
        told.watchers.flush_once()
        assert told.states["ann"]["last_seen"] == world.clock()
        assert told.feed.caught_up == 2


def test_a_lost_message_is_noticed_without_another(world: World) -> None:
    """R54: repaired by the check each second or two."""
    with world.told("ann") as told:
        world.open("ann")
        lose_messages(told)
        assert told.settle()[0]["ann"]["status"] == "online"


def test_what_the_stream_has_no_more_is_read_anew(world: World) -> None:
    """R44."""
    with world.told("ann") as told:
        told.feed.close()
        world.open("ann")
        shard = world.people.space.shard_of("ann")
        world.client.xtrim(world.people.space.events(shard), maxlen=0)
        assert told.settle()[0]["ann"]["status"] == "online"


def test_no_stale_dot_survives_a_lost_connection(world: World) -> None:
    """R44, T34."""
    world.open("ann")
    with world.told("ann") as told:
        told.feed.close()
        world.people.close("ann", "c1")
        assert not told.feed.healthy
        told.settle()
        assert told.feed.healthy and told.states["ann"]["status"] == "offline"


def test_what_is_older_than_the_snapshot_is_dropped(world: World) -> None:
    """T34, T25: queued announcements do not bring anybody back."""
    with world.told() as told:
        world.open("ann")
        world.people.close("ann", "c1")
        states = told.watchers.watch("socket", STRANGER, ["ann"])
        assert states["ann"]["status"] == "offline"
        told.states.update(states)
        assert told.settle() == []


def test_the_same_announcement_twice_is_told_once(world: World) -> None:
    """A failover may repeat one."""
    with world.told("ann") as told:
        world.open("ann")
        told.settle()
        shard = world.people.space.shard_of("ann")
        (event,) = world.announcements()
        world.client.publish(world.people.space.channel(shard), json.dumps(event))
        assert told.settle() == []


def test_a_message_that_cannot_be_read_stops_nothing(world: World) -> None:
    """B14."""
    with world.told("ann") as told:
        for rubbish in ("rubbish", "[]", '{"ep":1}'):
            world.client.publish(world.people.space.channel(3), rubbish)
        world.open("ann")
        told.settle()
        assert told.states["ann"]["status"] == "online"


def test_a_subscription_that_hears_nothing_is_made_anew(world: World) -> None:
    """B14: half open; announcements arrive at the check alone."""
    world.open("ann")
    with world.told("ann") as told:
        for turn in range(DEAF_AFTER):
            world.people.idle("ann", "c1", active=bool(turn % 2))
            lose_messages(told)
            told.feed.verify_once()
        assert not told.feed.healthy
        told.settle()
        assert told.feed.healthy


def test_a_flushed_redis_keeps_the_dots_until_people_had_time_to_return(world: World) -> None:
    """Redis comes back empty: nothing is told of those who are back, late comers go offline."""
    for name in ("back", "gone"):
        world.open(name)
        world.open(name, "c2", "mobile")
    with world.told("back", "gone", "new") as told:
        world.clock.advance(1)
        world.client.flushall()
        assert told.settle() == [] and told.lost
        for connection, kind in (("c1", "web"), ("c2", "mobile")):
            world.open("back", connection, kind)
            assert told.settle() == []
        world.open("new")
        assert [list(message) for message in told.settle()] == [["new"]]
        world.sweep_after(world.timing.calm_ms)
        assert [list(message) for message in told.settle()] == [["gone"]]
        assert told.states["gone"]["status"] == "offline"


def test_a_worker_that_was_killed_shows_nothing_if_its_people_are_back_in_time(
    world: World,
) -> None:
    """T11, T24: no close ever came."""
    names = [str(number) for number in range(50)]
    for name in names:
        world.open(name, "old", device="browser")
    with world.told(*names) as told:
        world.sweep_after(30_000)
        for name in names:
            world.open(name, "new", device="browser")
        for _ in range(4):
            world.sweep_after(25_000)
            for name in names:
                world.beat(name, "new")
        assert told.settle() == []
        assert all(len(world.people.where(name)) == 1 for name in names)


def test_nothing_of_a_watcher_is_left_when_it_is_gone(world: World) -> None:
    """B36, T23: refcounts end at nothing."""
    with world.told("ann", "bob") as told:
        told.watchers.watch("other", STRANGER, ["ann"])
        told.watchers.forget("socket")
        assert len(told.watchers) == 1
        told.watchers.forget("other")
        assert not (told.watchers._known or told.watchers._watches or told.watchers._watched)


def test_the_state_plus_what_was_told_is_a_fresh_state(world: World) -> None:
    """R54, T13."""
    world.open("ann")
    with world.told("ann") as told:
        world.people.idle("ann", "c1", active=False)
        told.settle()
        world.set("ann", status="dnd", text="x", activity="focus")
        told.settle()
        assert told.states["ann"] == world.look("ann")
        world.sweep_after(TTL)
        told.settle()
        fresh = world.look("ann")
        assert {**told.states["ann"], "v": 0} == {**fresh, "v": 0}
