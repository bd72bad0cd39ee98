"""Redis servers for tests: fakeredis, a real one, a cluster of three; and a clock that is told."""

import os
import shutil
import socket
import subprocess
from pathlib import Path

import pytest
import redis
from redis.cluster import ClusterNode, RedisCluster

from presence.scripts import JOBS, Call, Client, Scripts, text_of
from tests.support import SettableClock, wait_until

_CLOCK = """
local NOW = tonumber(table.remove(ARGV))
local function now_ms() return NOW end
"""


class SteppedScripts(Scripts):
    """The jobs with a clock that stands still: each call carries the time as its last argument."""

    def __init__(self, client: Client, clock: SettableClock):
        self._clock = clock
        super().__init__(client)

    def text(self, name: str) -> str:
        return _CLOCK if name == "clock" else super().text(name)

    def arguments(self, call: Call) -> list[str | int]:
        told = [self._clock()] if "clock" in JOBS[call.job] else []
        return [*call.argv, *told]


class Server:
    """A redis-server of our own, on a Unix socket or on a port."""

    def __init__(self, folder: Path, *options: str):
        self.folder = folder
        self.socket = str(folder / "redis.sock")
        self._options = options
        self.start()

    def start(self) -> None:
        binary = shutil.which("redis-server") or shutil.which("valkey-server")
        assert binary, "checked by need_server"
        self._process = subprocess.Popen(
            [
                binary, "--port", "0", "--unixsocket", self.socket, "--save", "",
                "--appendonly", "no", "--dir", str(self.folder), *self._options,
            ],
            stdout=subprocess.DEVNULL,
        )  # fmt: skip
        wait_until(self._answers, what="redis-server's answer")

    def client(self) -> redis.Redis:
        return redis.Redis(unix_socket_path=self.socket)

    @property
    def pid(self) -> int:
        return self._process.pid

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def _answers(self) -> bool:
        try:
            return bool(self.client().ping())
        except redis.RedisError:
            return False


def need_server() -> None:
    """Skips where there is no server; under CI that is a failure."""
    if shutil.which("redis-server") or shutil.which("valkey-server"):
        return
    if os.environ.get("CI") == "true":
        pytest.fail("redis-server is missing, and CI has to have it")
    pytest.skip("redis-server is not on the PATH")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port if port < 55_000 else free_port()


class Cluster:
    """Three primaries on loopback."""

    def __init__(self, folder: Path):
        self.ports = [free_port() for _ in range(3)]
        self._servers = []
        for port in self.ports:
            home = folder / str(port)
            home.mkdir()
            self._servers.append(
                Server(home, "--port", str(port), "--bind", "127.0.0.1", "--cluster-enabled", "yes")
            )
        try:
            self._join()
        except BaseException:
            self.kill()
            raise

    def _join(self) -> None:
        addresses = [f"127.0.0.1:{port}" for port in self.ports]
        subprocess.run(
            ["redis-cli", "--cluster", "create", *addresses, "--cluster-yes"],
            check=True, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        wait_until(self._complete, timeout_seconds=20, what="the cluster")

    def client(self) -> RedisCluster:
        return RedisCluster(startup_nodes=[ClusterNode("127.0.0.1", port) for port in self.ports])

    def kill(self) -> None:
        for server in self._servers:
            server.kill()

    def _complete(self) -> bool:
        infos = [server.client().execute_command("CLUSTER", "INFO") for server in self._servers]
        return all("cluster_state:ok" in text_of(info) for info in infos)
