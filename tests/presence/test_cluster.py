"""Presence on a Redis Cluster of three primaries, unchanged."""

from collections.abc import Iterator, Sequence

import pytest
import redis
from redis.cluster import RedisCluster

from lua_scripts.runner import LuaRunner
from presence import outbox as module
from presence.heartbeats import Heartbeats
from presence.keys import SHARDS, Space
from presence.outbox import Outbox
from presence.people import Connection, People
from presence.rooms import Membership
from presence.settings import Settings
from tests.presence.rooms.shown import Shown
from tests.presence.world import FRIEND, OUTSIDER, TRUSTED, TTL, World
from tests.servers.redis_cluster import RedisClusterServer

pytestmark = [pytest.mark.real_redis, pytest.mark.slow]
NAMES = [f"acme/{number}" for number in range(200)]


@pytest.fixture
def client(cluster: RedisClusterServer) -> Iterator[RedisCluster]:
    client = cluster.client()
    client.flushall(target_nodes=RedisCluster.PRIMARIES)
    yield client
    client.close()


@pytest.fixture
def world(client: RedisCluster) -> World:
    return World(client)


def test_people_live_on_every_primary_and_are_looked_up_together(world: World) -> None:
    """People live on every primary and are looked up together. (R61, R75)"""
    world.people.open_all([(Connection(name, "c1"), Settings(), None) for name in NAMES])
    states = world.people.look_up(NAMES, OUTSIDER)
    assert [state["status"] for state in states.values()] == ["online"] * len(NAMES)
    assert world.people.counts()["online"] == len(NAMES)
    client: RedisCluster = world.client  # type: ignore[assignment]
    sizes = client.dbsize(target_nodes=RedisCluster.PRIMARIES)
    assert sizes and len(world.people.connections_of(NAMES[0])) == 1


def test_a_life_from_connecting_to_timing_out(world: World) -> None:
    """A life from connecting to timing out. (R5, R14, R15, R19, R43, R79)"""
    with (
        world.watching(*NAMES[:20]) as outsider,
        world.watching(*NAMES[:20], viewer=FRIEND) as friend,
    ):
        for name in NAMES[:20]:
            world.open(name)
        assert outsider.settle() and friend.settle()
        assert {state["status"] for state in outsider.states.values()} == {"online"}
        world.set(NAMES[0], visibility="contacts")
        world.set(NAMES[1], status="invisible")
        world.people.close(NAMES[2], "c1")
        outsider.settle(), friend.settle()
        offline = [name for name, one in outsider.states.items() if one["status"] == "offline"]
        assert offline == NAMES[:3]
        assert friend.states[NAMES[0]]["status"] == "online"
        assert world.status(NAMES[1], TRUSTED) == "online"
        world.sweep_after(TTL)
        outsider.settle()
        assert {state["status"] for state in outsider.states.values()} == {"offline"}


def test_pages_and_totals(world: World) -> None:
    """Pages and totals. (R62, R63)"""
    for name in NAMES[:30]:
        world.clock.advance(7)
        world.open(name)
    first = world.listing.page(TTL, 20)
    second = world.listing.page(TTL, 20, first.next)
    assert [one.id for one in [*first.people, *second.people]] == NAMES[:30][::-1]
    assert (first.total, second.next) == (30, None)


def test_lost_messages_are_caught_up_with(world: World) -> None:
    """Lost messages are read from the streams. (R44)"""
    with world.watching("ann") as watcher:
        watcher.feed.close()
        world.open("ann")
        watcher.settle()
        assert watcher.states["ann"]["status"] == "online"


def test_rooms(world: World) -> None:
    """Rooms. (R84, R85, R87, R89)"""
    names = [f"t{number}" for number in range(12)]
    shown = Shown(world, *names)
    for name in names:
        world.rooms.put(Membership(name, "ann", "c1"), "typing")
    shown.settle()
    assert {room.count for room in world.rooms.look_up(names).values()} == {1}
    world.clock.advance(world.timing.room_ttl_ms)
    assert world.rooms.sweep_once() == 12
    shown.settle()
    assert all(room.count == 0 for room in shown.rooms.values())


def test_a_primary_that_forgot_its_scripts_gets_them_again(world: World) -> None:
    world.open("ann")
    client: RedisCluster = world.client  # type: ignore[assignment]
    for node in client.get_primaries():
        redis.Redis(host=node.host, port=node.port).script_flush()
    with world.watching(*NAMES[:5]):
        assert world.people.look_up(["ann", *NAMES], OUTSIDER)["ann"]["status"] == "online"


def test_a_shard_that_moved_to_another_primary_is_followed(world: World) -> None:
    """The cluster moves slots; people stay in their shards. (B35)"""
    for name in NAMES:
        world.open(name)
    client: RedisCluster = world.client  # type: ignore[assignment]
    key = world.people.space.people(world.people.space.shard_of(NAMES[0])).meta
    move_slot(client, key)
    assert {one["status"] for one in world.people.look_up(NAMES, OUTSIDER).values()} == {"online"}
    assert world.people.close(NAMES[0], "c1")
    assert world.people.counts()["online"] == len(NAMES) - 1


def test_a_call_whose_slot_is_moving_is_made_at_the_new_primary(
    cluster: RedisClusterServer, client: RedisCluster
) -> None:
    """The old primary lacks all the keys and redirects: only there, it is not asked again."""
    key = "moving"
    slot, source = client.keyslot(key), cluster.holder_of(key)
    target = next(port for port in cluster.servers if port != source)
    _, new, _ = cluster.begin_move(slot, target)
    try:
        assert LuaRunner(client, {"mark": "return redis.call('SET', KEYS[1], 1)"}).run(
            "mark", [key]
        )
        assert new.execute_command("CLUSTER COUNTKEYSINSLOT", slot) == 1
    finally:
        cluster.move_slot(slot, target)


def move_slot(client: RedisCluster, key: str) -> None:
    slot, source = client.keyslot(key), client.get_node_from_key(key)
    target = next(node for node in client.get_primaries() if node.name != source.name)
    old = redis.Redis(host=source.host, port=source.port)
    new = redis.Redis(host=target.host, port=target.port)
    ids = {
        node: one.execute_command("CLUSTER", "MYID") for node, one in (("old", old), ("new", new))
    }
    ids = {node: one.decode() if isinstance(one, bytes) else one for node, one in ids.items()}
    new.execute_command("CLUSTER", "SETSLOT", slot, "IMPORTING", ids["old"])
    old.execute_command("CLUSTER", "SETSLOT", slot, "MIGRATING", ids["new"])
    keys = old.execute_command("CLUSTER", "GETKEYSINSLOT", slot, 1_000)
    old.execute_command("MIGRATE", target.host, target.port, "", 0, 5_000, "KEYS", *keys)
    for one in (new, old):
        one.execute_command("CLUSTER", "SETSLOT", slot, "NODE", ids["new"])


def test_the_outbox_and_forgetting(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    outbox = Outbox(world.people)
    for name in NAMES[:50]:
        world.open(name)
    names = {one.person for one in outbox.read_once()}
    outbox.acknowledge()
    assert names == set(NAMES[:50]) and outbox.read_once() == []
    monkeypatch.setattr(module, "IDLE_MS", 0)
    assert [outbox.remove_consumers() for _ in range(SHARDS)] == [1] * SHARDS
    world.people.forget(NAMES[0])
    assert NAMES[0] not in world.announced()


def test_heartbeats_with_redis_own_clock(client: RedisCluster) -> None:
    people = People(client, Space("clocked"))

    def settings_of(names: Sequence[str]) -> dict[str, Settings]:
        return dict.fromkeys(names, Settings())

    beats = Heartbeats(people, settings_of)
    for name in NAMES:
        beats.add(Connection(name, "c1"))
        beats.mark(name, "c1")
    assert beats.flush_once() == 0
    assert people.counts()["online"] == len(NAMES)
