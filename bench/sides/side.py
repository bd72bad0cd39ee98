"""A side of a comparison: it takes the same events, and shows them to dashboards in its own way."""

import time
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import redis

from bench.drive.drivers import post
from bench.processes import PythonProcess, cpu_seconds, resident_bytes, wait_for
from tests.servers.ports import is_taken
from tests.servers.redis import RedisServer

START_SECONDS = 900
#: Longest time of a command: a rebuild or a comparison of a million threads.
COMMAND_SECONDS = 300


@dataclass(frozen=True)
class Setting:
    """The settings of a side."""

    threads: int
    view: str = "arrival"
    sort: str = "arrival"
    workers: int = 1
    async_mode: str = "eventlet"
    database: str = "sqlite"
    frame_bytes: int = 200
    poll_seconds: float = 10.0
    #: The path of the server; None: the machine's.
    redis_program: str | None = None
    newest_ms: int = field(default_factory=lambda: time.time_ns() // 1_000_000 - 60_000)


class Side(ABC):
    """One side's server, and its Redis if it has one; `folder` is its own."""

    name = "?"
    #: A name in bench.drive.clients.
    kind = "?"

    def __init__(self, setting: Setting, folder: Path):
        self.setting = setting
        self.folder = folder
        folder.mkdir(parents=True)
        self.log = folder / "log"
        self.redis: RedisServer | None = None
        self._process: PythonProcess | None = None
        self.url = ""
        self.pid = 0

    @abstractmethod
    def start(self) -> None:
        """Starts the side; returns when it takes events. Raises BenchError."""

    def stop(self) -> None:
        """Ends everything that was started, even if the start failed."""
        if self._process is not None:
            self._process.stop()
        if self.redis is not None:
            self.redis.close()

    @abstractmethod
    def check(self, held: dict[str, Any]) -> None:
        """Raises BenchError if the content of the dashboards is wrong."""

    def poster(self) -> dict[str, Any]:
        return {"url": self.url}

    def post(self, threads: list[int], rate: float, seconds: float, run: str) -> list[Any]:
        """Posts messages in these threads at a rate; returns each as `bench.drive.post` records it.

        `run` is part of their ids. Raises BenchError.
        """
        settings = {"threads": threads, "rate": rate, "seconds": seconds, "run": run}
        return post(self.poster() | settings, self.log)["posted"]

    def dashboard_settings(self) -> dict[str, Any]:
        setting = self.setting
        return {"kind": self.kind, "url": self.url, "view": setting.view, "sort": setting.sort}

    def cpu(self) -> dict[str, float]:
        """Returns processor seconds up to now."""
        used = {"server": cpu_seconds(self.pid)}
        if self.redis is not None and self.redis.process is not None:
            used["redis"] = cpu_seconds(self.redis.process.pid)
        return used

    def idle_cores(self, seconds: float) -> dict[str, float]:
        """Returns processor seconds per second while nobody requests anything."""
        before = self.cpu()
        time.sleep(seconds)
        return {name: (used - before[name]) / seconds for name, used in self.cpu().items()}

    def memory(self) -> dict[str, int]:
        used = {"server": resident_bytes(self.pid)}
        if self.redis is not None:
            used["redis"] = int(self.client().info("memory")["used_memory"])
        return used

    def client(self) -> redis.Redis:
        assert self.redis is not None
        return self.redis.client()

    def start_redis(self) -> str:
        """Starts the side's own Redis; returns its URL."""
        self.redis = RedisServer(self.folder, program=self.setting.redis_program)
        self.redis.start(START_SECONDS)
        return self.redis.url

    def start_python(self, module: str, port: int, *arguments: object) -> None:
        """Starts a server and waits until it takes connections. Raises BenchError."""
        process = self._process = PythonProcess(module, ["--port", port, *arguments], self.log)
        self.url, self.pid = f"http://127.0.0.1:{port}", process.pid

        def is_up() -> bool:
            process.check()
            return is_taken(port)

        wait_for(is_up, START_SECONDS, f"the start of {module}")
