"""A PostgreSQL server on a Unix socket of its own."""

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

from tests.servers.programs import missing

SERVER_USER = "postgres"
#: For tests: a crash of the machine may lose data.
FAST = "-c fsync=off -c max_connections=50"
#: For benches: as durable as a server in production.
DURABLE = "-c max_connections=100 -c shared_buffers=512MB"


class PostgresServer:
    """Makes databases; `url` is that of its own database `postgres`."""

    def __init__(self, options: str = FAST):
        # Not in pytest's folder: its parents are closed to the server's user, its path is long.
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

    def restart(self) -> None:
        """Ends it without a shutdown, as a crash would, and starts it again."""
        log = str(self._folder / "log")
        stop = ("-m", "immediate", "-l", log, "-w", "-o", self._options)
        self._run("pg_ctl", *stop, "restart")

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """All its processes are stopped (SIGSTOP): connections stay open, and nothing answers."""
        listed = self.query("SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
        postmaster = (self._folder / "data" / "postmaster.pid").read_text().split()[0]
        pids = [int(pid) for pid in [postmaster, *listed.split()]]
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            for pid in pids:
                os.kill(pid, signal.SIGCONT)

    def close(self) -> None:
        """Ends it, and deletes its data."""
        if (self._folder / "data" / "postmaster.pid").exists():
            self._run("pg_ctl", "-w", "-m", "immediate", "stop")
        shutil.rmtree(self._folder, ignore_errors=True)

    def new_database(self, template: str = "template1") -> str:
        """The URL of a new database, a copy of the template."""
        name = f"lineup_{next(self._numbers)}"
        self.query(f"CREATE DATABASE {name} TEMPLATE {template}")
        return self._url_of(name)

    def query(self, statement: str) -> str:
        """What psql prints, without headers."""
        command = ["psql", "-qAth", str(self._folder), "-U", SERVER_USER, "-d", "postgres"]
        done = subprocess.run([*command, "-c", statement], check=True, capture_output=True)
        return done.stdout.decode()

    def _url_of(self, database: str) -> str:
        return f"postgresql+psycopg://{SERVER_USER}@/{database}?host={self._folder}"

    def _run(self, program: str, *arguments: str) -> None:
        """Runs a program on the data, as a user other than root, which the server refuses."""
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
    """The folder of the newest server's programs."""
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
    """A server while it is needed."""
    server = PostgresServer(options)
    try:
        yield server.start()
    finally:
        server.close()
