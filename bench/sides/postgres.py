"""A PostgreSQL server for a bench: durable as a real one, which the tests' own is not."""

import os
import pwd
import shutil
import subprocess
import tempfile
from pathlib import Path

from tests.postgres_server import SERVER_USER, binaries

_OPTIONS = "-c listen_addresses='' -c max_connections=100 -c shared_buffers=512MB"


class Postgres:
    def __init__(self) -> None:
        # The socket's path must be short, and open to the server's user.
        self._folder = Path(tempfile.mkdtemp(prefix="lineup-bench-pg-"))
        self.url = f"postgresql+psycopg://{SERVER_USER}@/postgres?host={self._folder}"

    def start(self) -> None:
        programs = binaries()
        assert programs is not None, "no PostgreSQL server programs (initdb, pg_ctl) were found"
        self._programs = programs
        if os.geteuid() == 0:
            owner = pwd.getpwnam(SERVER_USER)
            os.chown(self._folder, owner.pw_uid, owner.pw_gid)
        self._run("initdb", "-U", SERVER_USER, "-A", "trust", "-E", "UTF8")
        self._run("pg_ctl", "-l", str(self._folder / "log"), "-w", "-o", self._options, "start")

    def stop(self) -> None:
        self._run("pg_ctl", "-w", "-m", "immediate", "stop")
        shutil.rmtree(self._folder, ignore_errors=True)

    @property
    def _options(self) -> str:
        return f"{_OPTIONS} -k {self._folder}"

    def _run(self, program: str, *arguments: str) -> None:
        """As somebody other than root, whom the server refuses to be."""
        prefix = ["runuser", "-u", SERVER_USER, "--"] if os.geteuid() == 0 else []
        command = [*prefix, str(self._programs / program), "-D", str(self._folder / "data")]
        subprocess.run(
            [*command, *arguments],
            cwd=self._folder,
            check=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
