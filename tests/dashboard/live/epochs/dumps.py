"""Redis servers that can be dumped, and come back with any dump, as after a crash."""

import shutil
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import fakeredis
import redis

from tests.servers.redis import RedisServer


@dataclass
class FakeRedisWithDumps:
    """fakeredis; `tells_run_id`: whether to emulate INFO, which it lacks."""

    tells_run_id: bool
    client: redis.Redis = field(default_factory=fakeredis.FakeRedis)

    def __post_init__(self) -> None:
        self._lives = count()
        self._run_id = f"life {next(self._lives)}"

    def run_id(self, *connection: Any) -> str | None:
        return self._run_id if self.tells_run_id else None

    def dump(self) -> dict[bytes, bytes]:
        return {key: self.client.dump(key) for key in self.client.scan_iter()}

    def crash(self, dump: dict[bytes, bytes] | None) -> None:
        """Ends this life; the next one begins with the dump, or empty."""
        self.client.flushall()
        self.client.script_flush()
        self._run_id = f"life {next(self._lives)}"
        for key, value in (dump or {}).items():
            self.client.restore(key, 0, value)

    def close(self) -> None:
        self.client.close()


class RealRedisWithDumps:
    """redis-server, killed with -9 and started on a copy of an RDB file."""

    def __init__(self, server: RedisServer, folder: Path) -> None:
        self._server, self._folder = server, folder
        self._numbers = count()
        self.client = server.client()
        self.client.flushall()

    def run_id(self, connection: redis.Redis | None = None) -> str | None:
        return (connection or self.client).info("server")["run_id"]

    def dump(self) -> Path:
        self.client.save()
        return Path(shutil.copy(self._current(), self._folder / f"{next(self._numbers)}.rdb"))

    def crash(self, dump: Path | None) -> None:
        current = self._current()
        self._server.kill()
        current.unlink(missing_ok=True)
        if dump is not None:
            shutil.copy(dump, current)
        self._server.start()

    def close(self) -> None:
        self._current().unlink(missing_ok=True)
        self.client.close()

    def _current(self) -> Path:
        return Path(self.client.config_get("dir")["dir"], "dump.rdb")
