"""In a cluster each primary has a life of its own, and lists that move to it stay whole."""

import fakeredis
import pytest
import redis

from lua_scripts.runner import LuaCall
from lua_scripts.sources import read_lua
from scoring.server_life import ServerLife
from tests.servers.fake_cluster import FakeCluster

SCRIPTS = {
    "count": "return redis.call('INCR', KEYS[1])",
    "states": read_lua("scoring", "states"),
    "write": "redis.call('SET', KEYS[1], LIFE) return 1",
    "accepts": "return LIVES[redis.call('GET', KEYS[1])] and 1 or 0",
}


class World:
    """Primaries a, b and c with known run ids; `life` is of one process."""

    def __init__(self) -> None:
        self.servers = {f"{name}:1": fakeredis.FakeServer() for name in "abc"}
        self.run_ids: dict[redis.Redis, str | None] = {}
        self.cluster = FakeCluster({})
        for name, server in self.servers.items():
            self.join(name, server, f"run of {name}")
        self.cluster.holders = {"on a": "a:1", "on b": "b:1", "on c": "c:1"}
        self.life = self.new_process()

    def join(self, name: str, server: fakeredis.FakeServer, run_id: str | None) -> None:
        self.servers[name] = server
        client = fakeredis.FakeRedis(server=server)
        self.run_ids[client] = run_id
        self.cluster.add(name, client)

    def new_process(self) -> ServerLife:
        return ServerLife(self.cluster, SCRIPTS, "unused", self._run_id)

    def write(self, key: str) -> None:
        self.life.run_all([LuaCall("write", [key])])

    def accepts(self, key: str, life: ServerLife | None = None) -> bool:
        return (life or self.life).run_all([LuaCall("accepts", [key])]) == [1]

    def move(self, key: str, target: str) -> None:
        """Moves keys as MIGRATE does."""
        source = self.client(self.cluster.holders[key])
        self.client(target).set(key, source.get(key) or b"")
        source.delete(key)
        self.cluster.holders[key] = target

    def replace(self, failed: str, replica: str) -> None:
        """A replica of the failed primary, with the same data, gets its slots."""
        server = fakeredis.FakeServer()
        for key in self.client(failed).scan_iter():
            fakeredis.FakeRedis(server=server).set(key, self.client(failed).get(key) or b"")
        self.cluster.remove(failed)
        self.join(replica, server, f"run of {replica}")
        for key, holder in self.cluster.holders.items():
            if holder == failed:
                self.cluster.holders[key] = replica

    def client(self, name: str) -> redis.Redis:
        return self.cluster.nodes_cache[name].redis_connection  # type: ignore[return-value]

    def _run_id(self, client: redis.Redis) -> str | None:
        client.ping()
        return self.run_ids[client]


@pytest.fixture
def world() -> World:
    return World()


def test_each_primary_marks_what_it_writes_with_its_own_life(world):
    for key in ("on a", "on b", "on c"):
        world.write(key)
        assert world.accepts(key)
    marks = {world.client(f"{name}:1").get(f"on {name}") for name in "abc"}
    assert len(marks) == 3


def test_what_a_replica_has_of_the_primary_that_it_replaces_is_lost(world):
    world.write("on a")
    world.write("on b")
    world.replace("a:1", "d:1")
    assert not world.accepts("on a")
    assert world.accepts("on b"), "the lists at other nodes are as they were"
    assert not world.accepts("on a", world.new_process())


def test_what_has_moved_with_its_slot_is_whole(world):
    world.write("on a")
    world.move("on a", "b:1")
    assert world.accepts("on a")
    assert world.accepts("on a", world.new_process())


def test_what_has_moved_from_a_node_that_left_is_whole(world):
    """The node leaves the topology with its last slot, before its lists get a new mark."""
    world.write("on a")
    world.move("on a", "b:1")
    world.cluster.remove("a:1")
    world.life.renew()
    assert world.accepts("on a")


def test_a_node_that_is_added_accepts_what_moves_to_it(world):
    world.write("on a")
    world.join("e:1", fakeredis.FakeServer(), "run of e")
    world.move("on a", "e:1")
    assert world.accepts("on a")


def test_a_primary_that_was_started_again_has_lost_its_lists(world):
    world.write("on a")
    client = world.client("a:1")
    client.script_flush()
    world.run_ids[client] = "second run of a"
    assert not world.accepts("on a")


def test_a_primary_that_forgets_its_promotion_has_lost_nothing(world):
    """Redis forgets it when an hour has passed without a replica."""
    client = world.client("a:1")
    world.run_ids[client] = "run of a:of d:7"
    knows, looks_later, elsewhere = world.life, world.new_process(), world.new_process()
    for key in ("on a", "on b"):
        world.write(key)
        assert world.accepts(key, looks_later) and world.accepts(key, elsewhere)
    world.run_ids[client] = "run of a"
    knows.renew()
    assert world.accepts("on a")
    world.write("on a")
    assert world.accepts("on a", looks_later), "it goes on under the same name"
    started = world.new_process()
    assert world.accepts("on a", started)
    looks_later.renew()
    started.run_all([LuaCall("write", ["on a"])])
    assert world.accepts("on a") and world.accepts("on a", looks_later)
    world.write("on a")
    world.move("on a", "b:1")
    elsewhere.renew()
    for each in (world.life, started, elsewhere):
        assert world.accepts("on a", each), "it has moved with its slot"


@pytest.mark.parametrize("mark", ["run of a:of d:7", "run of a"])
def test_a_promotion_begins_a_life_also_after_one_that_is_forgotten(world, mark):
    client = world.client("a:1")
    world.run_ids[client] = mark
    world.write("on a")
    world.run_ids[client] = "run of a"
    world.life.renew()
    assert world.accepts("on a")
    world.run_ids[client] = "run of a:of d:9"
    world.life.renew()
    assert not world.accepts("on a")
    assert not world.accepts("on a", world.new_process())


def test_a_list_of_another_life_of_the_same_run_keeps_its_mark(world):
    """Processes that know of the promotion and others would change the mark in turns."""
    client = world.client("a:1")
    world.run_ids[client] = "run of a:of d:7"
    world.write("on a")
    mark = client.get("on a")
    world.run_ids[client] = "run of a"
    client.hset("meta", mapping={"epoch": "e", "version": "0", "floor": "0", "life": mark})
    keys = ["sort", "changes", "meta"]
    world.cluster.holders |= dict.fromkeys(keys, "a:1")
    [state] = world.new_process().run_all([LuaCall("states", keys, [1, 0])])
    assert (state[0], client.hget("meta", "life")) == (b"e", mark)


def test_what_cannot_be_asked_is_not_lost(world):
    """Calls to a node that is away fail; the others answer, and after its return all do."""
    world.write("on a")
    world.write("on b")
    world.servers["a:1"].connected = False
    world.life.renew()
    with pytest.raises(redis.ConnectionError):
        world.accepts("on a")
    assert world.accepts("on b")
    world.servers["a:1"].connected = True
    assert world.accepts("on a")


def test_calls_to_other_nodes_are_made_once_while_one_is_away(world):
    world.write("on a")
    world.servers["a:1"].connected = False
    world.life.renew()
    world.cluster.holders["count"] = "b:1"
    with pytest.raises(redis.ConnectionError):
        world.life.run_all([LuaCall("accepts", ["on a"]), LuaCall("count", ["count"])])
    assert world.client("b:1").get("count") == b"1"


def test_a_node_that_is_started_again_and_again_is_away_and_the_lists_of_others_are_not_lost(world):
    client, renew = world.client("a:1"), world.life.renew

    def renewed():
        scripts = renew()
        client.script_flush()
        return scripts

    world.life.renew = renewed
    with pytest.raises(redis.ConnectionError, match="started again"):
        world.accepts("on a")


@pytest.mark.parametrize(
    ("counts", "more"), [(1, ["revisions", "assigned"]), (0, [])], ids=["counted", "shared"]
)
def test_a_list_that_has_moved_is_marked_with_the_life_of_its_node(world, counts, more):
    """So it stays whole when the node that it came from is replaced later."""
    keys = ["sort", "changes", "meta", *more]
    at = {name: LuaCall("write", [f"on {name}"]) for name in "ab"}
    world.life.run_all([*at.values()])
    mark_a, mark_b = (world.client(f"{name}:1").get(f"on {name}") for name in "ab")
    list_of_a = {"epoch": "e", "version": "0", "floor": "0", "life": mark_a}
    world.client("b:1").hset("meta", mapping=list_of_a)
    world.cluster.holders |= dict.fromkeys(keys, "b:1")
    [state] = world.life.run_all([LuaCall("states", keys, [1, counts])])
    assert state[0] == b"e"
    assert world.client("b:1").hget("meta", "life") == mark_b != mark_a


def test_a_process_that_starts_while_a_node_is_away_does_not_take_its_lists_for_lost(world):
    world.write("on a")
    world.servers["a:1"].connected = False
    started = world.new_process()
    assert started.run_all([LuaCall("write", ["on b"])]) == [1]
    with pytest.raises(redis.ConnectionError):
        world.accepts("on a", started)


def test_a_cluster_must_allow_info(world):
    world.run_ids = dict.fromkeys(world.run_ids)
    with pytest.raises(redis.RedisError, match="INFO must be allowed in a cluster, also at a:1"):
        world.life.renew()
