"""A real Redis server for tests: on a Unix socket, may be killed, stopped and started again."""

import os
import shutil
import signal
import subprocess
from pathlib import Path
from tempfile import mkdtemp

import pytest
import redis

from dashboard.redis_binary import find
from scoring.keys import BELL_FLAGS
from tests.support import wait_until


class RedisServer:
    """`redis-server` on a socket whose path is short enough; it keeps nothing by itself."""

    def __init__(self, program: str, folder: Path):
        self._program = program
        self._folder = folder
        self._socket = Path(mkdtemp(prefix="lineup-test-")) / "redis.sock"
        self.url = f"unix://{self._socket}"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, timeout_seconds: float = 5.0) -> None:
        """Returns when it answers; with a dump in its folder, when it has read that."""
        options = ["--port", "0", "--unixsocket", str(self._socket)]
        options += ["--save", "", "--appendonly", "no", "--notify-keyspace-events", BELL_FLAGS]
        options += ["--logfile", str(self._folder / "redis.log"), "--dir", str(self._folder)]
        self.process = subprocess.Popen([self._program, *options])
        wait_until(self._answers, timeout_seconds, "redis-server answering")

    def client(self, **options) -> redis.Redis:
        return redis.Redis.from_url(self.url, **options)

    def kill(self) -> None:
        """kill -9, and gone when this returns."""
        assert self.process is not None, "the server was never started"
        self.process.kill()
        self.process.wait()

    def pause(self) -> None:
        assert self.process is not None, "the server was never started"
        os.kill(self.process.pid, signal.SIGSTOP)

    def resume(self) -> None:
        assert self.process is not None, "the server was never started"
        os.kill(self.process.pid, signal.SIGCONT)

    def close(self) -> None:
        if self.process is not None:
            self.kill()
        shutil.rmtree(self._socket.parent, ignore_errors=True)

    def _answers(self) -> bool:
        try:
            return self.client().ping()
        except redis.ConnectionError:
            return False


def start_redis(tmp_path: Path) -> RedisServer:
    """A started server that logs into `tmp_path`; close it.

    Without a program: fails where CI is set, else skips the test.
    """
    program = find()
    if program is None:
        reason = "no redis-server 6.2 or later on the PATH"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    server = RedisServer(program, tmp_path)
    server.start()
    return server
