"""Deadlines are found in time, and an outage is never taken for a departure."""

import pytest
import redis

from presence import sweeper
from presence.heartbeats import Heartbeats
from presence.people import Connection
from presence.rooms import Membership
from presence.settings import Settings, StatusOverride
from presence.sweeper import LOOKED_AT_MS, OUTAGE_MIN_CONNECTIONS, Due, Sweeper, Swept
from tests.presence.world import TRUSTED, TTL, World


def crowd_of_a_shard(world: World, count: int) -> list[str]:
    found: list[str] = []
    number = 0
    while len(found) < count:
        if world.people.space.shard_of(str(number)) == 3:
            found.append(str(number))
        number += 1
    return found


def fill(world: World, names: list[str]) -> None:
    world.people.open_all([(Connection(name, "c1"), Settings(), None) for name in names])


def test_a_silent_crash_is_announced_with_the_last_beat_as_last_seen(world: World) -> None:
    """Expiry announces offline and stores last seen in one step. (T15, R15, R19, R55, R57, B2, B3,
    B31)
    """
    world.open("ann")
    world.sweep_after(20_000)
    world.beat("ann")
    last_beat = world.clock()
    with world.watching("ann") as watcher:
        world.sweep_after(TTL + 5_000)
        watcher.settle()
        assert watcher.states["ann"]["status"] == "offline"
        assert watcher.states["ann"]["last_seen"] == last_beat
    assert world.look_up("ann")["last_seen"] == last_beat


def test_detection_does_not_depend_on_watchers(world: World) -> None:
    """Expiry is detected without watchers. (R17, R69)"""
    world.open("ann")
    assert world.sweep_after(TTL).announced == 1
    assert world.people.counts()["online"] == 0


def test_the_sweep_returns_the_lag_of_the_oldest_connection(world: World) -> None:
    world.open("ann", lifetime_ms=1_000)
    world.sweeper.sweep_once()
    world.clock.advance(1_700)
    assert world.sweeper.sweep_once().lag_ms == 700


def test_a_sweep_goes_on_until_nothing_is_due(world: World) -> None:
    """A sweep settles at most `limit` connections a call, until none is due. (R68, B17)"""
    names = crowd_of_a_shard(world, 40)
    fill(world, names)
    pauses: list[None] = []
    sweeper = Sweeper([world.people], pause=lambda: pauses.append(None), limit=7)
    world.sweep_after(TTL - 1)
    world.clock.advance(1)
    assert sweeper.sweep_once().announced == 40
    assert len(pauses) == 6


def test_a_shard_swept_just_now_can_be_skipped(world: World) -> None:
    """The cost stays flat with many workers. (T10)"""
    world.open("ann", lifetime_ms=100)
    world.sweeper.sweep_once()
    world.clock.advance(150)
    assert world.sweeper.sweep_once(skip_swept_within_ms=200).expired == 0
    world.clock.advance(100)
    assert world.sweeper.sweep_once(skip_swept_within_ms=200).expired == 1


def test_people_of_a_silent_shard_are_not_swept(world: World) -> None:
    """100 connections without one beat; when beats return, every connection gets time. (R15)"""
    names = crowd_of_a_shard(world, OUTAGE_MIN_CONNECTIONS)
    fill(world, names)
    held = world.sweep_after(TTL + 20_000)
    assert held.announced == 0 and held.held
    world.beat(names[0])
    calm = world.sweep_after(world.timing.recovery_grace_ms - 5_000)
    assert calm.announced == 0 and calm.held
    for name in names[1:]:
        assert world.beat(name) == []
    assert world.sweep_after(10_000).announced == 0
    assert world.people.counts()["online"] == OUTAGE_MIN_CONNECTIONS


def test_a_silent_shard_is_held_for_a_limited_time(world: World) -> None:
    names = crowd_of_a_shard(world, OUTAGE_MIN_CONNECTIONS)
    fill(world, names)
    assert world.sweep_after(world.timing.max_outage_ms - 5_000).announced == 0
    late = world.sweep_after(world.timing.recovery_grace_ms + 10_000)
    assert late.announced == OUTAGE_MIN_CONNECTIONS


def test_people_who_left_a_silent_shard_are_not_held(world: World) -> None:
    """A sign-out needs no sweeper."""
    names = crowd_of_a_shard(world, OUTAGE_MIN_CONNECTIONS)
    fill(world, names)
    world.sweep_after(20_000)
    assert world.sign_out(names[0])
    assert world.status(names[0]) == "offline"


def test_after_a_time_without_any_sweep_beats_get_time_to_return(world: World) -> None:
    """Redis was away for a minute, or every worker was: no one goes offline because of it."""
    world.open("ann")
    world.sweep_after(30_000)
    world.clock.advance(65_000)
    assert world.sweeper.sweep_once().held == world.people.space.shards
    assert world.beat("ann") == []
    assert world.sweep_after(80_000).announced == 0
    assert world.sweep_after(20_000).announced == 1


@pytest.mark.parametrize("lost", ["deadlines", "connections", "states"])
def test_a_key_that_redis_lost_alone_is_noticed(world: World, lost: str) -> None:
    """Connections are opened again, as after a loss of all data, and nobody is counted twice. (F7,
    F15, R69)
    """
    beats = Heartbeats(world.people, lambda people: dict.fromkeys(people, Settings()))
    beats.add(Connection("ann", "c1"))
    keys = world.people.space.people(world.people.space.shard_of("ann"))
    with world.watching("ann") as watcher:
        world.clock.advance(1)
        world.client.delete(getattr(keys, lost))
        world.sweeper.sweep_once()
        watcher.settle()
        assert watcher.lost == 1 and set(world.people.counts().values()) == {0}
        beats.mark_all()
        assert beats.flush_once() == 1
        assert world.status("ann") == "online" and world.people.counts()["online"] == 1
        world.sweep_after(world.timing.recovery_grace_ms)
        assert watcher.settle() == []
        assert watcher.states["ann"]["status"] == "online"


def test_a_status_that_ends_soon_is_known_to_a_sweeper_that_need_not_look(world: World) -> None:
    """R15, R54: another worker looked just now, and found nothing due."""
    world.open("ann")
    assert world.sweeper.look(skip_swept_within_ms=200).next_ms == TTL
    world.clock.advance(100)
    world.set("ann", status="busy", until=world.clock() + 400)
    assert world.sweeper.look(skip_swept_within_ms=200).next_ms == 400
    world.clock.advance(400)
    world.sweeper.sweep_once(skip_swept_within_ms=200)
    assert world.status("ann") == "online"


def test_a_clock_that_was_set_back_stops_nothing(world: World) -> None:
    """Connections expire by the clock as it is now, also after an outage. (R15, B18)"""
    world.sweeper.sweep_once()
    world.clock.advance(world.timing.outage_after_ms + 1)
    world.sweeper.sweep_once()
    world.clock.advance(-3_600_000)
    world.open("ann")
    assert world.sweeper.look(skip_swept_within_ms=200).next_ms == TTL
    world.sweep_after(TTL)
    assert world.status("ann") == "offline"


def test_old_times_of_last_seen_are_trimmed_in_slices(world: World) -> None:
    """Old rows are removed in slices, with the settings of absent people. (R56, R68, R72, B17)"""
    for number in range(30):
        world.open(str(number), settings=Settings(1))
        world.sign_out(str(number))
    world.open("bob")
    world.sweep_after(1)
    world.clock.advance(world.timing.last_seen_ttl_ms)
    world.open("ann")
    assert world.sweeper.trim_once() >= 30
    assert world.look_up("0", TRUSTED)["last_seen"] is None
    assert world.status("ann") == "online"
    shard = world.people.space.shard_of("0")
    assert not world.client.hexists(world.people.space.people(shard)[3], "0")


def test_a_command_removes_few_old_times(
    real: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many sources, sets and shards have old rows; the rest is removed later. (B17)"""
    monkeypatch.setattr(sweeper, "TRIM_LIMIT", 3)
    world = World(real, shards=2)
    for number in range(20):
        world.open(f"{'ab'[number % 2]}/{number}")
        world.sign_out(f"{'ab'[number % 2]}/{number}")
    world.clock.advance(world.timing.last_seen_ttl_ms + 1)
    real.config_resetstat()
    assert world.sweeper.trim_once() == 2 * 3
    assert real.info("commandstats")["cmdstat_evalsha"]["calls"] >= 3
    while world.sweeper.trim_once():
        """The rest."""
    assert world.look_up("a/0", TRUSTED)["last_seen"] is None


def test_looking_at_all_shards_is_one_command_whatever_their_number(real: redis.Redis) -> None:
    """Idle shards cost nothing: their number does not multiply the calls. (H35)"""
    world = World(real)
    for number in range(40):
        world.open(str(number))
    world.sweeper.sweep_once()
    real.config_resetstat()
    world.clock.advance(1_000)
    assert world.sweeper.sweep_once() == Swept()
    stats = real.info("commandstats")
    assert stats["cmdstat_evalsha"]["calls"] == 1


def test_a_look_says_when_the_next_thing_is_due(world: World) -> None:
    """So that a worker can sleep until then. (H35)"""
    assert world.sweeper.look() == Due([[]], [[]], 0, None)
    world.open("ann", lifetime_ms=5_000)
    world.open("bob", lifetime_ms=4_000)
    world.rooms.put(Membership("t1", "ann", "c1"))
    assert world.sweeper.look() == Due([[]], [[]], 0, 4_000)
    ends = StatusOverride(status="busy", until=world.clock() + 3_000)
    world.people.set("bob", Settings(revision=1, override=ends))
    assert world.sweeper.look().next_ms == 3_000
    world.rooms.put(Membership("t1", "ann", "c1"), "typing")
    world.clock.advance(2_999)
    assert world.sweeper.look() == Due([[]], [[]], 0, 1)
    world.clock.advance(1)
    shard = world.people.space.shard_of("bob")
    assert world.sweeper.look() == Due([[shard]], [[]], 0, 1_000)


def test_a_look_that_finds_something_due_knows_what_comes_after_it(world: World) -> None:
    """R15: two of one shard may be due a moment after each other."""
    first, second = [
        name for name in map(str, range(900)) if not world.people.space.shard_of(name)
    ][:2]
    world.open(first, lifetime_ms=1_000)
    world.open(second, lifetime_ms=1_300)
    world.clock.advance(1_000)
    assert world.sweeper.look() == Due([[0]], [[]], 0, 300)


def test_many_workers_look_once_until_the_next_thing_is_due(world: World) -> None:
    """The first worker to come then sweeps, also if the one that looked has died. (H35, R15)"""
    world.open("ann", lifetime_ms=700)
    world.sweeper.sweep_once(200)
    shard = world.people.space.people(world.people.space.shard_of("ann"))
    looked_at = world.client.hget(shard.meta, "swept")
    other = Sweeper([world.people])
    world.clock.advance(699)
    assert other.look(200) == Due([[]], [[]], 0, 1), "told what the first one found"
    assert world.client.hget(shard.meta, "swept") == looked_at
    world.clock.advance(1)
    assert other.sweep_once(200).expired == 1
    world.clock.advance(LOOKED_AT_MS)
    world.sweeper.look(200)
    world.people.close("ann", "c1")
    assert world.client.hget(shard.meta, "swept") != looked_at
