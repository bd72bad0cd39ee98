"""Calls go to where a cluster's nodes send them while slots move, and no call stops the others."""

import fakeredis
import pytest
import redis

from lua_scripts.runner import LuaCall, LuaRunner
from lua_scripts.servers import lives_on, run_id_of
from tests.servers.fake_cluster import FakeCluster
from tests.servers.redis import RedisServer

#: Each script answers as a node that lacks the key: with an error of the cluster.
SCRIPTS = {
    "moved": "return redis.call('GET', KEYS[1]) or redis.error_reply('MOVED 1 b:1')",
    "ask": "return redis.call('GET', KEYS[1]) or redis.error_reply('ASK 1 b:1')",
    "split": """
        if redis.call('INCR', KEYS[1]) < 3 then return redis.error_reply('TRYAGAIN wait') end
        return 'together'
    """,
    "name": "return redis.call('GET', KEYS[1])",
}


@pytest.fixture
def cluster(redis_server: RedisServer) -> FakeCluster:
    """Two databases of one server stand for nodes; the errors are those of the protocol."""
    nodes = {"a:1": redis_server.client(db=1), "b:1": redis_server.client(db=2)}
    for node in nodes.values():
        node.flushdb()
    nodes["b:1"].set("key", "at b")
    return FakeCluster(nodes)


@pytest.mark.real_redis
@pytest.mark.parametrize("script", ["moved", "ask"])
def test_a_call_follows_its_slot(cluster, script):
    assert LuaRunner(cluster, SCRIPTS).run(script, ["key"]) == b"at b"
    assert cluster.refreshes == (script == "moved"), "a slot that has moved is noted"


@pytest.mark.real_redis
def test_a_call_waits_while_its_keys_are_at_two_nodes(cluster):
    assert LuaRunner(cluster, SCRIPTS).run("split", ["count"]) == b"together"


def test_calls_to_other_nodes_are_made_while_one_is_away():
    away, there = fakeredis.FakeServer(), fakeredis.FakeServer()
    away.connected = False
    clients = {
        "a:1": fakeredis.FakeRedis(server=away),
        "b:1": fakeredis.FakeRedis(server=there),
    }
    cluster = FakeCluster(clients)
    cluster.holders["count"] = "b:1"
    scripts = {"count": "return redis.call('INCR', KEYS[1])"}
    calls = [LuaCall("count", ["elsewhere"]), LuaCall("count", ["count"])]
    with pytest.raises(redis.ConnectionError):
        LuaRunner(cluster, scripts).run_all(calls)
    assert clients["b:1"].get("count") == b"1"
    assert cluster.refreshes == 1, "the topology is read again: it may have been replaced"


class Told:
    """A server that answers INFO with this."""

    def __init__(self, **replication: object) -> None:
        self._said = {"server": {"run_id": "r"}, "replication": replication}

    def info(self, section: str) -> dict[str, object]:
        return self._said[section]


def test_a_promotion_counts_as_a_start():
    never = Told(role="master", master_replid2="0", second_repl_offset=-1)
    once = Told(role="master", master_replid2="x", second_repl_offset=7)
    twice = Told(role="master", master_replid2="x", second_repl_offset=9)
    assert run_id_of(never) == "r", "lists of before keep their life"
    lives = [run_id_of(each) or "" for each in (never, once, twice)]
    assert len({*lives}) == 3
    changes = [(before, after) for before in lives for after in lives if lives_on(before, after)]
    assert {*changes} - {(each, each) for each in lives} == {
        (lives[1], lives[0]),
        (lives[2], lives[0]),
    }, "a promotion is forgotten in time, and nothing else with it"


def test_a_replica_is_not_taken_for_a_primary():
    with pytest.raises(redis.ConnectionError, match="a replica answered"):
        run_id_of(Told(role="slave", second_repl_offset=-1))
