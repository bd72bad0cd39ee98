"""Watching gives a snapshot and then the changes, even if announcements are lost."""

import json
from typing import Any

import pytest
from redis.exceptions import ConnectionError as RedisConnectionError

from presence.errors import TooMany
from presence.feed import MISSED_CHECKS_MAX
from presence.states import never_seen
from presence.watchers import Watchers
from tests.presence.world import OUTSIDER, TTL, World
from tests.support import wait_until


def lose_messages(watcher: Any) -> None:
    pubsub = watcher.feed._pubsub
    while pubsub.get_message(timeout=0.05):
        pass


def test_a_snapshot_and_then_what_changes(world: World) -> None:
    """A snapshot, then changes. (R43, R45, R47, R98)"""
    world.open("ann")
    with world.watching("ann", "bob") as watcher:
        assert watcher.states["ann"]["status"] == "online"
        world.open("bob")
        assert watcher.settle() == [{"bob": world.look_up("bob")}]


def test_watchers_get_the_people_that_they_watch_only(world: World) -> None:
    """Filtered in the worker, never in the browser. (R48, R49, R46)"""
    with world.watching("ann") as watcher:
        world.open("bob")
        assert watcher.settle() == []
        watcher.states.update(watcher.watchers.watch("socket", OUTSIDER, ["bob"], drop=["ann"]))
        world.open("ann")
        world.people.close("bob", "c1")
        assert [list(message) for message in watcher.settle()] == [["bob"]]
        watcher.watchers.forget("socket")
        world.open("bob")
        assert watcher.settle() == [] and len(watcher.watchers) == 0


def test_a_watcher_may_watch_so_many(world: World) -> None:
    """The number of watched people is limited. (R46)"""
    watchers = Watchers(world.people, lambda *_: None, max_watched=3)
    watchers.watch("socket", OUTSIDER, ["a", "b", "c"])
    with pytest.raises(TooMany):
        watchers.watch("socket", OUTSIDER, ["d"])
    watchers.watch("socket", OUTSIDER, ["d"], drop=["a"])
    assert len(watchers) == 3


def test_people_who_could_not_be_read_are_sent_when_they_can_be(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A person who was added while Redis was away is shown later. (R44, R47)"""

    def away(people: Any) -> None:
        raise RedisConnectionError("away")

    world.open("ann")
    world.open("bob")
    with world.watching("bob") as watcher:
        watcher.settle()
        with monkeypatch.context() as broken:
            broken.setattr(world.people, "held", away)
            for people in (["ann", "bob"], ["cat"]):
                with pytest.raises(RedisConnectionError):
                    watcher.watchers.watch("late", OUTSIDER, people)
            watcher.watchers.watch("late", OUTSIDER, drop=["cat"])
            watcher.states |= dict.fromkeys(("ann", "bob"), never_seen(0))
            watcher.watchers.flush_once()
            assert [*watcher.messages.pop()] == ["bob"], "read for another watcher before"
        [states] = watcher.settle()
        assert {name: state["status"] for name, state in states.items()} == {"ann": "online"}
        assert watcher.settle() == []


def test_people_who_were_read_before_the_failure_are_sent_then(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R47: the answer has none of them."""
    read = iter([world.people.held])

    def held(people: Any) -> Any:
        for held in read:
            return held(people)
        raise RedisConnectionError("away")

    names = [str(number) for number in range(30)]
    for name in names:
        world.open(name)
    with world.watching() as watcher:
        with monkeypatch.context() as broken:
            broken.setattr(world.people, "held", held)
            with pytest.raises(RedisConnectionError):
                watcher.watchers.watch("socket", OUTSIDER, names)
        watcher.states |= dict.fromkeys(names, never_seen(0))
        watcher.settle()
        assert {state["status"] for state in watcher.states.values()} == {"online"}


def test_one_publish_reaches_watchers_on_every_worker(world: World) -> None:
    """A connection at one worker reaches every other by one message. (R43, R50, R51, R52, R73,
    R74, B15, T13)
    """
    other = World(world.client, clock=world.clock)
    with world.watching("ann") as here, other.watching("ann") as there:
        world.open("ann")
        assert here.settle() == there.settle() != []
        assert len(world.announced()) == 1


def test_changes_are_gathered_into_one_message(world: World) -> None:
    """A flush each 250 ms gives at most four messages a second. (R50)"""
    names = [str(number) for number in range(20)]
    with world.watching(*names) as watcher:
        for name in names:
            world.open(name)
        (message,) = watcher.settle()
        assert sorted(message) == sorted(names)


def test_a_change_that_was_reverted_is_not_published(world: World) -> None:
    world.open("ann")
    with world.watching("ann") as watcher:
        world.people.idle("ann", "c1", active=False)
        world.people.idle("ann", "c1", active=True)
        assert watcher.settle() == []


def test_a_lost_message_is_noticed_by_the_next_one(world: World) -> None:
    """Missed announcements are read from the stream. (R44, B14)"""
    with world.watching("ann", "bob") as watcher:
        watcher.watchers.watch("socket", OUTSIDER, ["ann"])
        world.open("ann")
        lose_messages(watcher)
        world.people.close("ann", "c1")
        watcher.feed.pump(0.2)
        watcher.watchers.flush_once()
        assert watcher.states["ann"]["last_seen"] == world.clock()
        assert watcher.feed.caught_up == 2


def test_a_lost_message_is_noticed_without_another(world: World) -> None:
    """The check each 1.5 s finds it. (R54)"""
    with world.watching("ann") as watcher:
        world.open("ann")
        lose_messages(watcher)
        assert watcher.settle()[0]["ann"]["status"] == "online"


def test_people_are_read_again_when_the_stream_is_too_short(world: World) -> None:
    """Changes that the stream has dropped are read as whole states. (R44)"""
    with world.watching("ann") as watcher:
        watcher.feed.close()
        world.open("ann")
        shard = world.people.space.shard_of("ann")
        world.client.xtrim(world.people.space.people(shard).events, maxlen=0)
        assert watcher.settle()[0]["ann"]["status"] == "online"


def test_no_stale_dot_survives_a_lost_connection(world: World) -> None:
    """After a lost connection no state stays stale. (R44, T34)"""
    world.open("ann")
    with world.watching("ann") as watcher:
        watcher.feed.close()
        world.people.close("ann", "c1")
        wait_until(lambda: not world.subscribers())
        watcher.settle()
        assert world.subscribers() == 1 and watcher.states["ann"]["status"] == "offline"


def test_what_is_older_than_the_snapshot_is_dropped(world: World) -> None:
    """Queued announcements do not reopen a connection. (T34, T25)"""
    with world.watching() as watcher:
        world.open("ann")
        world.people.close("ann", "c1")
        states = watcher.watchers.watch("socket", OUTSIDER, ["ann"])
        assert states["ann"]["status"] == "offline"
        watcher.states.update(states)
        assert watcher.settle() == []


def test_a_repeated_announcement_is_published_once(world: World) -> None:
    """A failover may repeat one."""
    with world.watching("ann") as watcher:
        world.open("ann")
        watcher.settle()
        shard = world.people.space.shard_of("ann")
        (event,) = world.announcements()
        world.client.publish(world.people.space.channel(shard), json.dumps(event))
        assert watcher.settle() == []


def test_a_message_that_cannot_be_read_stops_nothing(world: World) -> None:
    """A malformed message is skipped. (B14)"""
    with world.watching("ann") as watcher:
        for rubbish in ("rubbish", "[]", '{"ep":1}'):
            world.client.publish(world.people.space.channel(3), rubbish)
        world.open("ann")
        watcher.settle()
        assert watcher.states["ann"]["status"] == "online"


def test_a_silent_subscription_is_renewed(world: World) -> None:
    """A half-open subscription is replaced after two checks that found missed messages. (B14)"""
    world.open("ann")
    with world.watching("ann") as watcher:
        for turn in range(MISSED_CHECKS_MAX):
            world.people.idle("ann", "c1", active=bool(turn % 2))
            lose_messages(watcher)
            watcher.feed.verify_once()
        wait_until(lambda: not world.subscribers())
        watcher.settle()
        assert world.subscribers() == 1


def test_a_flushed_redis_keeps_the_dots_until_people_had_time_to_return(world: World) -> None:
    """Redis comes back empty: people who are back cause no update, late comers go offline."""
    for name in ("back", "gone"):
        world.open(name)
        world.open(name, "c2", "mobile")
    with world.watching("back", "gone", "new") as watcher:
        world.clock.advance(1)
        world.client.flushall()
        assert watcher.settle() == [] and watcher.lost
        for connection, kind in (("c1", "web"), ("c2", "mobile")):
            world.open("back", connection, kind)
            assert watcher.settle() == []
        world.open("new")
        assert [list(message) for message in watcher.settle()] == [["new"]]
        world.sweep_after(world.timing.recovery_grace_ms)
        assert [list(message) for message in watcher.settle()] == [["gone"]]
        assert watcher.states["gone"]["status"] == "offline"


def test_a_redis_that_came_back_from_an_older_dump_is_read_again(world: World) -> None:
    """H1: also if its announcements have passed the last number that a worker knew."""
    world.open("ann")
    with world.watching("ann", "gone") as watcher:
        dump = {key: world.client.dump(key) for key in world.client.scan_iter()}
        world.open("gone")
        watcher.settle()
        assert watcher.states["gone"]["status"] == "online"
        world.client.flushall()
        for key, value in dump.items():
            world.client.restore(key, 0, value)
        for turn in range(20):  # all shards go on, past what was known
            for number in range(40):
                world.open(f"other-{number}", f"c{turn}")
                world.people.close(f"other-{number}", f"c{turn}")
        watcher.feed.close()
        watcher.settle()
        assert watcher.lost, "heartbeats of all connections were asked for"
        world.beat("ann")
        world.sweep_after(world.timing.recovery_grace_ms)
        watcher.settle()
        assert watcher.states["gone"]["status"] == "offline", "who did not return is not there"
        assert watcher.states["ann"]["status"] == "online"


def test_a_worker_that_was_killed_shows_nothing_if_its_people_are_back_in_time(
    world: World,
) -> None:
    """A killed worker's people stay online if they reconnect in time. (T11, T24)"""
    names = [str(number) for number in range(50)]
    for name in names:
        world.open(name, "old", device="browser")
    with world.watching(*names) as watcher:
        world.sweep_after(30_000)
        for name in names:
            world.open(name, "new", device="browser")
        for _ in range(4):
            world.sweep_after(25_000)
            for name in names:
                world.beat(name, "new")
        assert watcher.settle() == []
        assert all(len(world.people.connections_of(name)) == 1 for name in names)


def test_a_removed_watcher_leaves_nothing_behind(world: World) -> None:
    """The registry of watchers is empty after all are forgotten. (B36, T23)"""
    with world.watching("ann", "bob") as watcher:
        watcher.watchers.watch("other", OUTSIDER, ["ann"])
        watcher.watchers.forget("socket")
        assert len(watcher.watchers) == 1
        watcher.watchers.forget("other")
        assert not (
            watcher.watchers._snapshots or watcher.watchers._watches or watcher.watchers._watched
        )


def test_the_first_state_with_all_updates_equals_a_fresh_state(world: World) -> None:
    """The first state with all updates equals a fresh state. (R54, T13)"""
    world.open("ann")
    with world.watching("ann") as watcher:
        world.people.idle("ann", "c1", active=False)
        watcher.settle()
        world.set("ann", status="dnd", text="x", activity="focus")
        watcher.settle()
        assert watcher.states["ann"] == world.look_up("ann")
        world.sweep_after(TTL)
        watcher.settle()
        fresh = world.look_up("ann")
        assert {**watcher.states["ann"], "v": 0} == {**fresh, "v": 0}


def test_a_text_set_while_a_shard_recovers_is_shown_at_once(world: World) -> None:
    """R36, R54: only connections that come back are held back."""
    world.open("ann")
    with world.watching("ann") as watcher:
        watcher.settle()
        world.clock.advance(1)
        world.client.flushall()
        watcher.settle()
        world.open("ann")
        assert watcher.settle() == []
        world.set("ann", text="back at noon")
        watcher.settle()
        assert watcher.states["ann"]["text"] == "back at noon"
        world.set("ann", 2, activity="in a call")
        watcher.settle()
        assert watcher.states["ann"]["activity"] == "in a call"


def test_who_hides_while_a_shard_recovers_is_hidden_at_once(world: World) -> None:
    """After a lost subscription devices are doubted for a while, but visibility is not."""
    world.open("ann")
    with world.watching("ann") as watcher:
        watcher.feed.close()
        watcher.settle()
        world.set("ann", show_last_seen=False)
        watcher.settle()
        assert watcher.states["ann"]["last_seen"] is None
        world.open("ann", "c2")
        watcher.settle()
        assert len(watcher.states["ann"]["devices"]) == 2
