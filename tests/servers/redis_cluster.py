"""A Redis Cluster of three primaries."""

import shutil
import subprocess
from pathlib import Path

from redis.cluster import ClusterNode, RedisCluster

from tests.servers.ports import CLUSTER_PORT_MAX, free_port
from tests.servers.programs import missing
from tests.servers.redis import RedisServer, start_redis
from tests.support import wait_until

NODES = 3
JOIN_SECONDS = 20


class RedisClusterServer:
    """Three primaries on loopback, joined when this is made; `close` ends them."""

    def __init__(self, folder: Path):
        if shutil.which("redis-cli") is None:
            missing("no redis-cli on the PATH")
        self.ports = [free_port(CLUSTER_PORT_MAX) for _ in range(NODES)]
        self._servers: list[RedisServer] = []
        try:
            for port in self.ports:
                home = folder / str(port)
                home.mkdir()
                options = ("--port", str(port), "--bind", "127.0.0.1", "--cluster-enabled", "yes")
                self._servers.append(start_redis(home, *options))
            self._join()
        except BaseException:
            self.close()
            raise

    def client(self) -> RedisCluster:
        return RedisCluster(startup_nodes=[ClusterNode("127.0.0.1", port) for port in self.ports])

    def close(self) -> None:
        for server in self._servers:
            server.close()

    def _join(self) -> None:
        addresses = [f"127.0.0.1:{port}" for port in self.ports]
        command = ["redis-cli", "--cluster", "create", *addresses, "--cluster-yes"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        wait_until(self._is_complete, JOIN_SECONDS, "the cluster being complete")

    def _is_complete(self) -> bool:
        infos = [server.client().execute_command("CLUSTER", "INFO") for server in self._servers]
        return all(b"cluster_state:ok" in info for info in infos)
