"""Times of last seen on their way to lasting storage."""

from typing import Any

import pytest

from lua_scripts.runner import text_of
from presence import outbox as module
from presence.outbox import Departure, Outbox
from tests.presence.world import TTL, World


def drain(outbox: Outbox) -> dict[str, Departure]:
    found: dict[str, Departure] = {}
    while departures := outbox.read_once():
        found |= {one.person: one for one in departures}
        outbox.acknowledge()
    return found


def consumers(world: World, shard: int = 0) -> set[str]:
    client: Any = world.client
    found = client.xinfo_consumers(world.people.space.people(shard).events, "storage")
    return {text_of(one["name"]) for one in found}


def test_every_departure_is_written_with_the_last_beat(world: World) -> None:
    """Last seen is read in batches, on changes only, never for a beat. (R55, R56, R57, R13, T18)"""
    outbox = Outbox(world.people)
    drain(outbox)
    world.open("ann")
    opened = world.clock()
    world.sweep_after(TTL)
    assert drain(outbox) == {"ann": Departure("ann", opened, opened)}
    world.open("ann")
    world.clock.advance(20_000)
    world.beat("ann")
    world.sign_out("ann")
    assert drain(outbox)["ann"].last_seen == world.clock()
    assert drain(outbox) == {}


def test_the_public_last_seen_is_stored_apart_from_the_true_one(world: World) -> None:
    """The stored time does not reveal an invisible person later. (R77)"""
    outbox = Outbox(world.people)
    drain(outbox)
    world.open("ann")
    world.set("ann", status="invisible")
    hidden = world.clock()
    world.clock.advance(50_000)
    world.sign_out("ann")
    assert drain(outbox) == {"ann": Departure("ann", world.clock(), hidden)}


def test_each_entry_goes_to_one_consumer_of_the_group(world: World) -> None:
    one, two = Outbox(world.people, consumer="one"), Outbox(world.people, consumer="two")
    drain(one)
    for number in range(40):
        world.open(str(number))
    found = [one.read_once(15), two.read_once(100)]
    names = sorted(departure.person for part in found for departure in part)
    assert names == sorted(str(number) for number in range(40))


def test_what_could_not_be_stored_is_read_again_before_anything_else(world: World) -> None:
    """R55: as if SQL were away; an acknowledgement of later ones leaves it to be read."""
    outbox = Outbox(world.people)
    drain(outbox)
    names = sorted(str(number) for number in range(40))
    for name in names:
        world.open(name)
    unstored = outbox.read_once(15)
    assert [outbox.read_once(15), outbox.read_once(15)] == [unstored, unstored]
    outbox.acknowledge()
    first = {one.person for one in unstored}
    assert len(first) == 15 and sorted(first | drain(outbox).keys()) == names
    world.open("late")
    assert list(drain(outbox)) == ["late"]


def test_who_is_forgotten_before_they_could_be_stored_is_not_read_again(world: World) -> None:
    outbox = Outbox(world.people)
    drain(outbox)
    world.open("ann")
    world.open("bob")
    assert len(outbox.read_once()) == 2
    world.people.forget("ann")
    assert [one.person for one in outbox.read_once() if one.last_seen] == ["bob"]


def test_a_flushed_redis_is_read_from_its_new_start(world: World) -> None:
    outbox = Outbox(world.people)
    drain(outbox)
    world.open("ann")
    world.client.flushall()
    world.clock.advance(1)
    world.open("bob")
    assert list(drain(outbox)) == ["bob"]


def test_consumers_of_ended_workers_are_removed_once_nothing_waits_for_them(
    one_shard: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The announcements that a dead consumer has read are taken over first; recent readers stay."""
    world = one_shard
    living, dead, gone = (
        Outbox(world.people, consumer=name) for name in ("living", "dead", "gone")
    )
    drain(living)
    world.open("ann")
    drain(gone)
    world.open("bob")
    assert [one.person for one in dead.read_once()] == ["bob"]
    assert living.remove_consumers() == 0, "all have read within the hour"
    monkeypatch.setattr(module, "IDLE_MS", 0)
    living.remove_consumers()
    assert consumers(world) == {"dead"}
    monkeypatch.setattr(module, "ABANDONED_MS", 0)
    assert list(drain(living)) == ["bob"]
    living.remove_consumers()
    assert consumers(world) == set()
    world.open("cat")
    assert list(drain(living)) == ["cat"], "one that was removed reads on"


def test_consumers_are_removed_from_every_shard_some_at_a_time(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    outbox, client, shards = Outbox(world.people), world.client, world.people.space.shards
    monkeypatch.setattr(module, "IDLE_MS", 0)
    monkeypatch.setattr(module, "REMOVED_AT_ONCE", 2)
    assert [outbox.remove_consumers() for _ in range(shards)] == [0] * shards, "no streams yet"
    for shard in range(shards):
        stream = world.people.space.people(shard).events
        client.xgroup_create(stream, "storage", mkstream=True)
        for name in ("one", "two", "three"):
            client.xgroup_createconsumer(stream, "storage", name)
    assert [outbox.remove_consumers() for _ in range(shards)] == [2] * shards
    assert [outbox.remove_consumers() for _ in range(shards)] == [1] * shards
    assert [consumers(world, shard) for shard in range(shards)] == [set()] * shards
