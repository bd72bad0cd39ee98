"""A PostgreSQL server for tests, on a Unix socket of its own."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

SERVER_USER = "postgres"
_OPTIONS = "-c listen_addresses='' -c fsync=off -c max_connections=50"


class PostgresServer:
    """Makes databases; `folder` holds the data and the socket."""

    def __init__(self, folder: Path):
        self._folder = folder
        self._numbers = count(1)

    def new_database(self, template: str = "template1") -> str:
        """The URL of a new database, a copy of the template."""
        name = f"lineup_{next(self._numbers)}"
        self.run_sql(f"CREATE DATABASE {name} TEMPLATE {template}")
        return f"postgresql+psycopg://{SERVER_USER}@/{name}?host={self._folder}"

    def run_sql(self, statement: str) -> None:
        command = ["psql", "-qh", str(self._folder), "-U", SERVER_USER, "-d", "postgres"]
        subprocess.run([*command, "-c", statement], check=True, capture_output=True)


def binaries() -> Path | None:
    """Where the newest server's programs are."""
    found = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"),
        key=lambda path: int(path.parts[-3]) if path.parts[-3].isdigit() else 0,
    )
    if found:
        return found[-1].parent
    on_path = shutil.which("pg_ctl")
    return Path(on_path).parent if on_path and shutil.which("initdb") else None


@contextmanager
def running_postgres() -> Iterator[PostgresServer]:
    """A server while it is needed; without one CI fails, and a laptop skips the test."""
    programs = binaries()
    if programs is None:
        if os.environ.get("CI"):
            pytest.fail("no PostgreSQL server programs (initdb, pg_ctl) were found")
        pytest.skip("no PostgreSQL server programs (initdb, pg_ctl) were found")
    # Not under pytest's own folder: its parents are closed to the server's user.
    folder = Path(tempfile.mkdtemp(prefix="lineup-pg-"))
    run = _runner(folder)
    data = str(folder / "data")
    try:
        run(programs / "initdb", "-D", data, "-U", SERVER_USER, "-A", "trust", "-E", "UTF8", "-N")
        log = ("-l", str(folder / "log"))
        run(programs / "pg_ctl", "-D", data, *log, "-w", "-o", f"{_OPTIONS} -k {folder}", "start")
        try:
            yield PostgresServer(folder)
        finally:
            run(programs / "pg_ctl", "-D", data, "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _runner(folder: Path):
    """Runs a program as somebody other than root, whom the server refuses to be."""
    prefix: list[str] = []
    if os.geteuid() == 0:
        owner = pwd.getpwnam(SERVER_USER)
        os.chown(folder, owner.pw_uid, owner.pw_gid)
        prefix = ["runuser", "-u", SERVER_USER, "--"]

    def run(program: Path, *arguments: str) -> None:
        done = subprocess.run(
            [*prefix, str(program), *arguments],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert done.returncode == 0, f"{program.name} failed: {done.stderr}"

    return run
