"""A PostgreSQL server on its own Unix socket."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import psycopg
from sqlalchemy.engine import make_url

from dashboard.db.database import Database
from tests.servers.programs import missing

SERVER_USER = "postgres"
#: For tests: a crash of the machine may lose data.
FAST = "-c fsync=off -c max_connections=50"
#: For benches: as durable as a server in production.
DURABLE = "-c max_connections=100 -c shared_buffers=512MB"

#: The first version, as the server numbers them, that has a choice of how a template is copied.
FIRST_WITH_STRATEGIES = 15_00_00


class PostgresServer:
    """Makes databases; `url` is that of the server's database `postgres`."""

    def __init__(self, options: str = FAST):
        # Not in pytest's folder: the server's user may not enter it, and its path is too long.
        self._folder = Path(tempfile.mkdtemp(prefix="lineup-pg-"))
        self._options = f"-c listen_addresses='' {options} -k {self._folder}"
        self._numbers = count(1)
        self.url = self._url_of("postgres")

    def start(self) -> "PostgresServer":
        """Returns when it takes connections; without its programs fails in CI, else skips."""
        programs = binaries()
        if programs is None:
            missing("no PostgreSQL server programs (initdb, pg_ctl) were found")
        self._programs = programs
        if os.geteuid() == 0:
            owner = pwd.getpwnam(SERVER_USER)
            os.chown(self._folder, owner.pw_uid, owner.pw_gid)
        self._run("initdb", "-U", SERVER_USER, "-A", "trust", "-E", "UTF8", "-N")
        log = str(self._folder / "log")
        self._run("pg_ctl", "-l", log, "-w", "-o", self._options, "start")
        return self

    @property
    def pid(self) -> int:
        """The id of the first process, the parent of all others."""
        return int((self._folder / "data" / "postmaster.pid").read_text().split()[0])

    def restart(self) -> None:
        """Ends the server without a shutdown, as in a crash, and starts it again."""
        log = str(self._folder / "log")
        stop = ("-m", "immediate", "-l", log, "-w", "-o", self._options)
        self._run("pg_ctl", *stop, "restart")

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Suspends all processes in its block (SIGSTOP): connections stay open, nothing answers."""
        listed = "SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
        with self._connect() as connection:
            pids = [self.pid, *(pid for (pid,) in connection.execute(listed))]
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            for pid in pids:
                os.kill(pid, signal.SIGCONT)

    def close(self) -> None:
        """Ends the server, and deletes its data."""
        if (self._folder / "data" / "postmaster.pid").exists():
            self._run("pg_ctl", "-w", "-m", "immediate", "stop")
        shutil.rmtree(self._folder, ignore_errors=True)

    def new_database(self, template: str = "template1") -> str:
        """Returns the URL of a new database, a copy of the template."""
        name = f"lineup_{next(self._numbers)}"
        with self._connect() as connection:
            has_strategies = connection.info.server_version >= FIRST_WITH_STRATEGIES
            # The default writes each copy twice: to the files, and to the log.
            strategy = " STRATEGY file_copy" if has_strategies else ""
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}{strategy}".encode())
        return self._url_of(name)

    def drop(self, url: str) -> None:
        """Deletes a database, even one that is still open: at 9 MB each, they would fill a disk."""
        with self._connect() as connection:
            connection.execute(f"DROP DATABASE {make_url(url).database} WITH (FORCE)".encode())

    def _url_of(self, database: str) -> str:
        return f"postgresql+psycopg://{SERVER_USER}@/{database}?host={self._folder}"

    def _connect(self) -> psycopg.Connection:
        folder = str(self._folder)
        return psycopg.connect(host=folder, user=SERVER_USER, dbname="postgres", autocommit=True)

    def _run(self, program: str, *arguments: str) -> None:
        """Runs a program on the data as a user other than root, because the server refuses root."""
        prefix = ["runuser", "-u", SERVER_USER, "--"] if os.geteuid() == 0 else []
        command = [*prefix, str(self._programs / program), "-D", str(self._folder / "data")]
        done = subprocess.run(
            [*command, *arguments],
            cwd=self._folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert done.returncode == 0, f"{program} failed: {done.stderr}"


def binaries() -> Path | None:
    """Returns the folder of the newest server's programs; None if there is none."""
    found = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"),
        key=lambda path: int(path.parts[-3]) if path.parts[-3].isdigit() else 0,
    )
    if found:
        return found[-1].parent
    on_path = shutil.which("pg_ctl")
    return Path(on_path).parent if on_path and shutil.which("initdb") else None


@contextmanager
def running_postgres(options: str = FAST) -> Iterator[PostgresServer]:
    """Yields a running server."""
    server = PostgresServer(options)
    try:
        yield server.start()
    finally:
        server.close()


def waits_for_a_lock(database: Database) -> bool:
    """Whether any transaction of the server waits for the lock of another one."""
    with database.read() as connection:
        waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted"
        return bool(connection.exec_driver_sql(waiting).scalar_one())
