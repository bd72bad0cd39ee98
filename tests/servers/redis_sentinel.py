"""A master with a replica, and three Sentinels that promote it."""

import subprocess
from pathlib import Path

import redis

from tests.servers.ports import free_port
from tests.servers.redis import RedisServer, redis_program, start_redis
from tests.support import wait_until

SENTINELS = 3
SERVICE = "lineup"
#: A master that is away for so long is replaced.
DOWN_AFTER_MS = 1_500
READY_SECONDS = 60


class RedisSentinels:
    """Two servers and their Sentinels on loopback, ready when this is made; `close` ends them."""

    def __init__(self, folder: Path):
        #: Servers by port.
        self.servers: dict[int, RedisServer] = {}
        self._sentinels: dict[int, subprocess.Popen[bytes]] = {}
        self._folder = folder
        try:
            master = self._start_server()
            self._start_server("--replicaof", f"127.0.0.1 {master}")
            self.node(master).config_set("repl-diskless-sync-delay", 0)
            for _ in range(SENTINELS):
                self._start_sentinel(master)
            wait_until(self._is_ready, READY_SECONDS, "the Sentinels knowing all of each other")
        except BaseException:
            self.close()
            raise

    @property
    def url(self) -> str:
        """The URL for LINEUP_REDIS_URL."""
        nodes = ",".join(f"127.0.0.1:{port}" for port in self._sentinels)
        return f"redis+sentinel://{nodes}/{SERVICE}/0"

    def master(self) -> int:
        """Returns the port of the master, as the first answering Sentinel reports it."""
        for port in self._sentinels:
            try:
                return int(self._ask(port, "GET-MASTER-ADDR-BY-NAME")[1])
            except redis.ConnectionError:
                continue
        raise AssertionError("no Sentinel answers")

    def replace_master(self) -> None:
        """Kills the master, and waits until its replica has taken over."""
        killed = self.master()
        self.servers[killed].kill()
        self.wait_for_promotion(killed)

    def wait_for_promotion(self, replaced: int) -> int:
        """Waits for a new master that takes writes; returns its port."""

        def promoted() -> int:
            port = self.master()
            is_master = port != replaced and self.node(port).info("replication")["role"]
            return port if is_master == "master" else 0

        return wait_until(promoted, READY_SECONDS, "the promotion of the replica")

    def node(self, port: int) -> redis.Redis:
        return self.servers[port].client(decode_responses=True)

    def kill_sentinel(self) -> None:
        """Ends the first Sentinel in the URL."""
        first = next(iter(self._sentinels.values()))
        first.kill()
        first.wait()

    def close(self) -> None:
        for process in self._sentinels.values():
            process.kill()
            process.wait()
        for server in self.servers.values():
            server.close()

    def _start_server(self, *options: str) -> int:
        port = free_port()
        home = self._folder / str(port)
        home.mkdir()
        listening = ("--port", str(port), "--bind", "127.0.0.1")
        self.servers[port] = start_redis(home, *listening, *options)
        return port

    def _start_sentinel(self, master: int) -> None:
        port = free_port()
        config = self._folder / f"sentinel-{port}.conf"
        config.write_text(
            f"port {port}\n"
            "bind 127.0.0.1\n"
            f"dir {self._folder}\n"
            f"sentinel monitor {SERVICE} 127.0.0.1 {master} 2\n"
            f"sentinel down-after-milliseconds {SERVICE} {DOWN_AFTER_MS}\n"
            f"sentinel failover-timeout {SERVICE} 6000\n"
        )
        with (self._folder / f"sentinel-{port}.log").open("wb") as log:
            command = [redis_program(), str(config), "--sentinel"]
            self._sentinels[port] = subprocess.Popen(command, stdout=log, stderr=log)

    def _ask(self, port: int, *words: str) -> list[str]:
        with redis.Redis(port=port, decode_responses=True) as sentinel:
            answer: list[str] = sentinel.execute_command("SENTINEL", *words, SERVICE)
        return answer

    def _is_ready(self) -> bool:
        try:
            others = [len(self._ask(port, "SENTINELS")) for port in self._sentinels]
            replicas = [len(self._ask(port, "REPLICAS")) for port in self._sentinels]
        except redis.RedisError:
            return False
        links = [server.client().info("replication") for server in self.servers.values()]
        # A replica that has not copied its master yet would be promoted empty.
        copied = [link["master_link_status"] == "up" for link in links if link["role"] == "slave"]
        knows_all = others == [SENTINELS - 1] * SENTINELS and replicas == [1] * SENTINELS
        return knows_all and copied == [True]
