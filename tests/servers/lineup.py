"""A real server process for tests: started as users start it, driven by HTTP and Socket.IO."""

import contextlib
import itertools
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

import requests
import socketio
from sqlalchemy import Connection

from dashboard.db.accounts import admin_desks, admins, api_keys, passwords, sources
from dashboard.db.database import Database
from dashboard.db.migrate import bring_to_head
from tests.servers.ports import free_port, is_taken
from tests.support import now_ms, wait_until

Written = TypeVar("Written")

ROOT = Path(__file__).parents[2]
PASSWORD = "correct horse battery"
SECRET_KEY = "a secret for tests alone"
#: Long, because other processes of a test run may occupy the processors.
START_SECONDS = 90
COMMAND = (sys.executable, "app.py")


class LiveServer:
    """`python app.py serve` on a free port, with its own database and Redis."""

    def __init__(
        self,
        database_url: str,
        redis_url: str,
        *,
        async_mode: str = "eventlet",
        workers: int = 1,
        port: int | None = None,
        **environment: str,
    ):
        self.port = port or free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.workers = workers
        self._files = tempfile.TemporaryDirectory(prefix="lineup-files-")
        self.environment = {
            **{name: value for name, value in os.environ.items() if "LINEUP" not in name},
            "LINEUP_DATABASE_URL": database_url,
            "LINEUP_REDIS_URL": redis_url,
            "LINEUP_SECRET_KEY": SECRET_KEY,
            "LINEUP_FILES": self._files.name,
            "LINEUP_ASYNC_MODE": async_mode,
            "LINEUP_LOG_LEVEL": "WARNING",
            "PYTHONUNBUFFERED": "1",
            **environment,
        }
        self.process: subprocess.Popen[str] | None = None
        self.log: deque[str] = deque(maxlen=400)

    def start(self, timeout_seconds: float = START_SECONDS) -> "LiveServer":
        self.process = subprocess.Popen(
            [*COMMAND, "serve", f"--port={self.port}", f"--workers={self.workers}"],
            cwd=ROOT,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        threading.Thread(target=self._keep_log, args=[self.process], daemon=True).start()
        try:
            wait_until(self._is_up, timeout_seconds, f"the server's start ({self.port})")
        except BaseException:
            self.kill()  # otherwise it goes on with the Redis of later tests
            raise
        return self

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(15)
            except subprocess.TimeoutExpired:
                self.kill()

    def kill(self) -> None:
        """Kills the server and its workers, as in a crash (kill -9)."""
        assert self.process is not None
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(10)

    def worker_pids(self) -> list[int]:
        """Returns the ids of its worker processes, if it has more than one."""
        assert self.process is not None
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        return [int(pid) for pid in children.split()]

    def __enter__(self) -> "LiveServer":
        return self.start()

    def __exit__(self, *error: object) -> None:
        self.stop()

    def command(self, *words: str, stdin: str = "", timeout: float = 120) -> str:
        """Runs a command and returns its output. Fails if the command fails."""
        done = subprocess.run(
            [*COMMAND, *words],
            cwd=ROOT,
            env=self.environment,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=timeout,
        )
        assert done.returncode == 0, f"{words}: {done.returncode} {done.stdout} {done.stderr}"
        return done.stdout

    def create_key(self, source: str = "shop", *options: str) -> str:
        if options:
            return self.command("create-key", "--source", source, *options).strip()

        # Written directly: a command takes a second, and nearly every test of a server needs a key.
        def write(connection: Connection) -> str:
            source_id = sources.ensure(connection, source, now_ms())
            return api_keys.create(connection, source_id, api_keys.SCOPES, None, now_ms())

        return self._written(write)

    def create_admin(self, name: str = "Mai", role: str = "admin") -> str:
        """Makes an admin who sees all threads and has PASSWORD; returns the e-mail address."""
        password_hash = passwords.hashed(PASSWORD)

        def write(connection: Connection) -> str:
            for number in itertools.count():  # a repeated test makes its admin again
                email = f"{name.lower()}{number or ''}@example.com"
                with contextlib.suppress(admins.EmailTaken):
                    everywhere = admin_desks.names(connection)
                    given = (email, name, role, password_hash, now_ms(), everywhere)
                    admins.create(connection, *given)
                    break
            return email

        return self._written(write)

    def create_desk(self, name: str) -> None:
        """Makes a desk, which all existing admins see."""

        def write(connection: Connection) -> None:
            admin_desks.add(connection, name, now_ms())
            for admin in admins.listing(connection):
                theirs = admin_desks.of(connection, [admin.id])[admin.id]
                admin_desks.save(connection, admin.id, {*theirs, name})

        self._written(write)

    def bot(self, key: str) -> requests.Session:
        """Returns a session that calls the bot API."""
        session = requests.Session()
        session.headers["Authorization"] = f"Bearer {key}"
        return session

    def sign_in(self, email: str) -> requests.Session:
        """Returns a session with the cookie of a signed-in admin."""
        session = requests.Session()
        session.headers["Origin"] = self.url
        answer = session.post(f"{self.url}/login", json={"email": email, "password": PASSWORD})
        assert answer.status_code == 204, answer.text
        return session

    def connect(
        self,
        session: requests.Session,
        handlers: Mapping[str, Callable[..., Any]] = MappingProxyType({}),
    ) -> socketio.Client:
        """Returns a Socket.IO client in the namespace /admin, with a handler for each named event.

        The result of a handler is the acknowledgement; the event "*" stands for all other events.
        """
        client = socketio.Client(reconnection=False, handle_sigint=False)
        for event, handler in handlers.items():
            client.on(event, handler, namespace="/admin")
        client.connect(
            self.url,
            namespaces=["/admin"],
            transports=["websocket"],
            headers={"Cookie": cookie_of(session), "Origin": self.url},
            wait_timeout=60,
        )
        return client

    def _written(self, write: Callable[[Connection], Written]) -> Written:
        database = Database(self.environment["LINEUP_DATABASE_URL"])
        try:
            bring_to_head(database)  # as each command does
            return database.write(write)
        finally:
            database.close()

    def _keep_log(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            self.log.append(line.rstrip())

    def _is_up(self) -> bool:
        assert self.process is not None
        assert self.process.poll() is None, "the server ended:\n" + "\n".join(self.log)
        if not is_taken(self.port):
            return False
        with contextlib.suppress(requests.RequestException):
            return requests.get(f"{self.url}/readyz", timeout=2).status_code == 200
        return False


def cookie_of(session: requests.Session) -> str:
    """Returns the session's cookie as NAME=VALUE, without the cookie of the device."""
    cookies = session.cookies.items()
    return next(f"{name}={value}" for name, value in cookies if "lineup_session" in name)
