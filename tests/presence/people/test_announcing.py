"""Announcements: every change once, with its write, and nothing else."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import redis

from presence.keys import Space
from presence.people import Beat, Connection, People
from presence.settings import Settings
from presence.sweeper import Sweeper
from tests.presence.world import TRUSTED, TTL, World


def test_one_publish_a_change_and_none_for_silent_beats(world: World) -> None:
    """One message a change and none for a beat, counted on the channel. (R40, R41, B29)"""
    pubsub = world.client.pubsub()
    pubsub.psubscribe("{*}:ch")
    heard: list[Any] = []

    def listen() -> int:
        while message := pubsub.get_message(timeout=0.05):
            heard.extend([message] if message["type"] == "pmessage" else [])
        return len(heard)

    listen()
    world.open("ann")
    for _ in range(20):
        world.clock.advance(25_000)
        world.beat("ann")
        world.open("ann")
    assert listen() == 1
    world.set("ann", 1, status="dnd")
    world.set("ann", 2, status="dnd")
    world.people.close("ann", "c1")
    world.people.close("ann", "c1")
    assert listen() == 3
    pubsub.close()


def test_an_announcement_has_person_state_time_and_version(world: World) -> None:
    """An announcement has person, state, time and version. (R41)"""
    world.open("ann")
    (event,) = world.announcements()
    assert (event["u"], event["p"]["s"], event["p"]["at"]) == ("ann", "online", world.clock())
    assert (event["n"], event["v"]) == (1, world.clock())
    assert event["ep"] == str(world.clock())


def test_places_have_no_gap_and_versions_only_grow(world: World) -> None:
    people = [str(number) for number in range(40)]
    for person in people:
        world.open(person)
    for person in people[::2]:
        world.people.close(person, "c1")
    for shard in range(world.people.space.shards):
        events = [
            one for one in world.announcements() if world.people.space.shard_of(one["u"]) == shard
        ]
        assert [one["n"] for one in events] == list(range(1, len(events) + 1))
        versions = [one["v"] for one in events]
        assert versions == sorted(set(versions))


def test_versions_grow_also_when_the_clock_steps_back(world: World) -> None:
    """Times are those of Redis' clock; updates go on after a step of it. (B18)"""
    with world.watching("ann") as watcher:
        world.open("ann")
        watcher.settle()
        world.clock.advance(-3_600_000)
        world.people.idle("ann", "c1", active=False)
        watcher.settle()
        assert watcher.states["ann"]["status"] == "away"


def test_the_stream_is_bounded(world: World) -> None:
    """The stream is bounded. (R72, B36)"""
    shard = world.people.space.shard_of("ann")
    for turn in range(400):
        world.lua.run(
            "people/idle" if turn else "people/open", world.people.space.people(shard),
            world.people.space.channel(shard), 10, "ann", "c1",
            *(["ai"[turn % 2]] if turn else [TTL, "a", "web", "", "", 20, "{}"]),
        )  # fmt: skip
    assert 10 <= world.client.xlen(world.people.space.people(shard).events) < 300


def test_the_version_of_an_offline_person_is_one_for_all_asked(world: World) -> None:
    world.open("ann")
    world.people.close("ann", "c1")
    states = world.people.look_up(["ann", "x", "y"], viewer=TRUSTED)
    assert len({state["v"] for state in states.values()}) == 1


@pytest.mark.real_redis
def test_two_workers_opening_at_once_announce_once(real: redis.Redis) -> None:
    """Two workers that open one person announce once, in 200 trials. (B1, R42)"""
    workers = [People(real, Space("race")), People(real, Space("race"))]
    with ThreadPoolExecutor(2) as pool:
        for trial in range(200):
            opened = [
                pool.submit(worker.open, Connection(f"p{trial}", f"c{at}", device="d"), Settings())
                for at, worker in enumerate(workers)
            ]
            assert sum(one.result() for one in opened) == 1


@pytest.mark.real_redis
def test_sweepers_of_several_workers_announce_each_departure_once(real: redis.Redis) -> None:
    """Each expiry is announced once, however many workers sweep. (R19, B2, B31)"""
    people = People(real, Space("race"))
    gone = [Connection(f"p{number}", "c1") for number in range(500)]
    people.open_all([(one, Settings(), 1) for one in gone])
    with ThreadPoolExecutor(4) as pool:
        sweeps = [pool.submit(Sweeper([people]).sweep_once) for _ in range(8)]
        swept = [sweep.result() for sweep in sweeps]
    again = Sweeper([people]).sweep_once()
    assert sum(one.announced for one in [*swept, again]) == 500
    assert sum(one.expired for one in [*swept, again]) == 500
    assert people.counts()["online"] == 0


@pytest.mark.real_redis
def test_times_are_those_of_redis_alone(real: redis.Redis) -> None:
    """Deadlines follow Redis's clock, real time included. (B21, B18, R15)"""
    people = People(real, Space("time"))
    people.open(Connection("ann", "c1"), Settings())
    seconds, micros = real.time()
    state = people.look_up(["ann"], TRUSTED)["ann"]
    assert 0 <= seconds * 1_000 + micros // 1_000 - state["at"] < 5_000
    assert people.beat([Beat("ann", "c1", TTL)]) == []


def test_many_sign_offs_in_one_call_are_as_one_after_another(one_shard: World) -> None:
    """Each change is announced once, in order, also for people named twice. (R14)"""
    world = one_shard
    for person in ("ann", "bob", "cat", "dan"):
        world.open(person)
    world.open("ann", "c2", kind="mobile")
    world.open("bob", "c2")
    world.set("cat", status="invisible")
    before = len(world.announced())
    world.clock.advance(1_000)
    gone = [("ann", "c1"), ("bob", "c1"), ("cat", "c1"), ("nobody", "c1"), ("bob", "c2")]
    found = world.people.close_all_of([*gone, ("bob", "c2")])
    assert found == [True, True, True, False, True, False]
    announced = world.announcements()[before:]
    assert [each["u"] for each in announced] == ["ann", "bob", "cat", "bob"]
    assert [each["b"] for each in announced] == [1, 1, 0, 1]
    assert [each["v"] for each in announced] == [world.clock() + later for later in range(4)]
    assert [each["n"] for each in announced] == [before + later for later in range(1, 5)]
    assert world.people.counts() == {"online": 2, "away": 0, "busy": 0, "dnd": 0}
    assert world.look_up("ann")["devices"] == ["mobile"]
    bob = world.look_up("bob")
    assert (bob["status"], bob["last_seen"]) == ("offline", world.clock())
    assert world.look_up("cat", TRUSTED)["last_seen"] == world.clock()
    world.open("bob", "c3")
    assert world.announcements()[-1]["n"] == before + 5
    assert world.look_up("bob")["devices"] == ["web"]
