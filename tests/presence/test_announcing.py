"""What is announced: every change once, with its write, and nothing else."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import redis

from presence.people import Beat, Connection, People
from presence.settings import Settings
from presence.sweeper import Sweeper
from tests.presence.world import TRUSTED, TTL, World


def test_one_publish_a_change_and_none_for_silent_beats(world: World) -> None:
    """R40, R41, B29: counted on the channel itself."""
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


def test_an_announcement_says_who_what_since_when_and_its_place(world: World) -> None:
    """R41."""
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
    """B18: one clock, Redis's; a step of it stops nobody's updates."""
    with world.told("ann") as told:
        world.open("ann")
        told.settle()
        world.clock.advance(-3_600_000)
        world.people.idle("ann", "c1", active=False)
        told.settle()
        assert told.states["ann"]["status"] == "away"


def test_the_stream_is_bounded(world: World) -> None:
    """R72, B36."""
    shard = world.people.space.shard_of("ann")
    for turn in range(400):
        world.scripts.run(
            "idle" if turn else "open", world.people.space.people(shard),
            world.people.space.channel(shard), 10, "ann", "c1",
            *(["ai"[turn % 2]] if turn else [TTL, "a", "web", "", "", 20, "{}"]),
        )  # fmt: skip
    assert 10 <= world.client.xlen(world.people.space.events(shard)) < 300


def test_the_version_of_an_offline_person_is_one_for_all_asked(world: World) -> None:
    world.open("ann")
    world.people.close("ann", "c1")
    states = world.people.look(["ann", "x", "y"], viewer=TRUSTED)
    assert len({state["v"] for state in states.values()}) == 1


@pytest.mark.real_redis
def test_two_workers_opening_at_once_announce_once(real: redis.Redis) -> None:
    """B1, R42: 200 trials."""
    workers = [People(real, "race"), People(real, "race")]
    with ThreadPoolExecutor(2) as pool:
        for trial in range(200):
            opened = [
                pool.submit(worker.open, Connection(f"p{trial}", f"c{at}", device="d"), Settings())
                for at, worker in enumerate(workers)
            ]
            assert sum(one.result() for one in opened) == 1


@pytest.mark.real_redis
def test_sweepers_of_several_workers_announce_each_departure_once(real: redis.Redis) -> None:
    """R19, B2, B31: found, removed, merged and announced in one step."""
    people = People(real, "race")
    gone = [Connection(f"p{number}", "c1") for number in range(500)]
    people.open_all([(one, Settings(), 1) for one in gone])
    with ThreadPoolExecutor(4) as pool:
        sweeps = [pool.submit(Sweeper([people]).sweep_once) for _ in range(8)]
        swept = [sweep.result() for sweep in sweeps]
    again = Sweeper([people]).sweep_once()
    assert sum(one.announced for one in [*swept, again]) == 500
    assert sum(one.gone for one in [*swept, again]) == 500
    assert people.counts()["online"] == 0


@pytest.mark.real_redis
def test_redis_alone_tells_the_time(real: redis.Redis) -> None:
    """B21, B18, R15: nothing in the package reads another clock."""
    people = People(real, "time")
    people.open(Connection("ann", "c1"), Settings())
    seconds, micros = real.time()
    state = people.look(["ann"], TRUSTED)["ann"]
    assert 0 <= seconds * 1_000 + micros // 1_000 - state["at"] < 5_000
    assert people.beat([Beat("ann", "c1", TTL)]) == []
