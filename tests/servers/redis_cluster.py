"""A Redis Cluster of three primaries, with or without replicas; its slots can be moved."""

import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import redis
from redis.cluster import ClusterNode, RedisCluster
from redis.crc import key_slot

from tests.servers.ports import CLUSTER_PORT_MAX, free_port
from tests.servers.programs import missing
from tests.servers.redis import RedisServer, start_redis
from tests.support import wait_until

PRIMARIES = 3
JOIN_SECONDS = 60
#: A primary that is away for so long is replaced by its replica.
NODE_TIMEOUT_MS = 1_500


class RedisClusterServer:
    """Primaries, each with `replicas`, on loopback, joined when this is made; `close` ends them."""

    def __init__(self, folder: Path, replicas: int = 0):
        if shutil.which("redis-cli") is None:
            missing("no redis-cli on the PATH")
        self._folder = folder
        #: Servers by port.
        self.servers: dict[int, RedisServer] = {}
        try:
            for _ in range(PRIMARIES * (1 + replicas)):
                self._start()
            self._join(replicas)
        except BaseException:
            self.close()
            raise

    @property
    def url(self) -> str:
        """The URL for LINEUP_REDIS_URL, with two of the nodes."""
        first, second, *_ = self.servers
        return f"redis+cluster://127.0.0.1:{first},127.0.0.1:{second}/"

    def client(self) -> RedisCluster:
        return RedisCluster(startup_nodes=[ClusterNode("127.0.0.1", port) for port in self.servers])

    def node(self, port: int) -> redis.Redis:
        return self.servers[port].client(decode_responses=True)

    def holder_of(self, key: str) -> int:
        """Returns the port of the primary that holds a key."""
        with self.client() as client:
            return int(client.get_node_from_key(key).port)

    def slots(self) -> dict[tuple[int, int], int]:
        """Maps ranges of slots to ports of primaries, as the first answering node reports them."""
        for server in self.servers.values():
            try:
                found = server.client().execute_command("CLUSTER SLOTS")
            except redis.ConnectionError:
                continue
            return {(first, last): int(node[1]) for first, last, node, *_ in found}
        return {}

    def kill(self, port: int) -> None:
        self.servers[port].kill()

    def replace_primary_of(self, key: str) -> None:
        """Kills the primary that holds a key, and waits until its replica has taken over."""
        killed = self.holder_of(key)
        self.kill(killed)
        self.wait_for_promotion(killed)

    def wait_for_promotion(self, killed: int) -> None:
        """Waits until a replica has the slots of a primary that was killed."""
        wait_until(
            lambda: self.slots() and killed not in self.slots().values() and self._is_complete(),
            JOIN_SECONDS,
            "the promotion of a replica",
        )

    def add_node(self) -> int:
        """Adds a primary without slots; returns its port."""
        known, port = next(iter(self.servers)), self._start()
        self._run("--cluster", "add-node", f"127.0.0.1:{port}", f"127.0.0.1:{known}")
        name = f"127.0.0.1:{port}"
        wait_until(
            lambda: all(
                name in self.node(each).execute_command("CLUSTER NODES") for each in self.servers
            ),
            JOIN_SECONDS,
            "the new node being known to all",
        )
        wait_until(self._is_complete, JOIN_SECONDS, "the new node taking part")
        return port

    def move_slot(self, slot: int, target: int) -> None:
        """Moves a slot with its keys, one by one, as `redis-cli --cluster reshard` does."""
        old, new, new_id = self.begin_move(slot, target)
        while keys := old.execute_command("CLUSTER GETKEYSINSLOT", slot, 1):
            old.execute_command("MIGRATE", "127.0.0.1", target, "", 0, 5_000, "KEYS", *keys)
        for each in (new, old):
            each.execute_command("CLUSTER SETSLOT", slot, "NODE", new_id)

    def move_to_new_node(self, keys: Iterable[str]) -> None:
        """Adds a primary, and moves the slots of these keys to it."""
        added = self.add_node()
        for key in keys:
            self.move_slot(key_slot(key.encode()), added)

    def begin_move(self, slot: int, target: int) -> tuple[redis.Redis, redis.Redis, str]:
        """Begins to move a slot: both nodes have some of its keys. Returns nodes and target id."""
        source = next(port for (first, last), port in self.slots().items() if first <= slot <= last)
        old, new = self.node(source), self.node(target)
        old_id, new_id = (str(each.execute_command("CLUSTER MYID")) for each in (old, new))
        new.execute_command("CLUSTER SETSLOT", slot, "IMPORTING", old_id)
        old.execute_command("CLUSTER SETSLOT", slot, "MIGRATING", new_id)
        return old, new, new_id

    def close(self) -> None:
        for server in self.servers.values():
            server.close()

    def _start(self) -> int:
        port = free_port(CLUSTER_PORT_MAX)
        home = self._folder / str(port)
        home.mkdir()
        options = ["--port", str(port), "--bind", "127.0.0.1", "--cluster-enabled", "yes"]
        options += ["--cluster-node-timeout", str(NODE_TIMEOUT_MS)]
        options += ["--cluster-replica-validity-factor", "0"]
        self.servers[port] = start_redis(home, *options)
        return port

    def _join(self, replicas: int) -> None:
        addresses = [f"127.0.0.1:{port}" for port in self.servers]
        options = ["--cluster-yes", "--cluster-replicas", str(replicas)]
        self._run("--cluster", "create", *addresses, *options)
        wait_until(self._is_complete, JOIN_SECONDS, "the cluster being complete")
        if replicas:
            wait_until(self._is_replicated, JOIN_SECONDS, "the replicas being in step")

    def _run(self, *words: str) -> None:
        subprocess.run(["redis-cli", *words], check=True, stdout=subprocess.DEVNULL)

    def _is_complete(self) -> bool:
        """Whether every running node reports that all slots are served."""
        states = []
        for server in self.servers.values():
            try:
                states.append(server.client().execute_command("CLUSTER", "INFO"))
            except redis.ConnectionError:
                continue
        return all(b"cluster_state:ok" in state for state in states)

    def _is_replicated(self) -> bool:
        found = [self.node(port).info("replication") for port in self.servers]
        replicas = [each for each in found if each["role"] == "slave"]
        return len(replicas) > 0 and all(
            each["master_link_status"] == "up" and not each["master_sync_in_progress"]
            for each in replicas
        )
