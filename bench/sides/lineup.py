"""Lineup itself: `app.py serve`, as it is run."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from bench.dataset import SOURCE, fill
from bench.processes import BenchError, cpu_seconds
from bench.sides.side import COMMAND_SECONDS, START_SECONDS, Setting, Side
from dashboard.db.accounts import admin_desks, admins, passwords
from dashboard.db.database import Database
from dashboard.db.threads import threads
from scoring.ranking import Ranking
from tests.servers.lineup import PASSWORD, LiveServer, cookie_of
from tests.servers.postgres import DURABLE, PostgresServer
from tests.support import now_ms

_ADMIN = "Bench"
#: Admins with driven dashboards: each has a few, and most are no supervisors.
AGENTS = 100
#: Names of files in a side's folder and a template's; at its start Redis reads this dump.
_DATABASE, _DUMP, _KEY = "lineup.sqlite", "dump.rdb", "key"


class Lineup(Side):
    name = kind = "lineup"
    email = f"{_ADMIN.lower()}@example.com"

    def __init__(self, setting: Setting, folder: Path, templates: Path):
        """`templates`: the folder with databases by size, which are copied."""
        super().__init__(setting, folder)
        self._template = templates / str(setting.threads)
        self._postgres = PostgresServer(DURABLE) if setting.database == "postgres" else None

    def start(self) -> None:
        copied = self._postgres is None and self._template.exists()
        if copied:
            for name in (_DATABASE, _DUMP):
                shutil.copyfile(self._template / name, self.folder / name)
        redis_url = self.start_redis()
        self.server = LiveServer(
            self._database_url(),
            redis_url,
            async_mode=self.setting.async_mode,
            workers=self.setting.workers,
        )
        self._key = (self._template / _KEY).read_text() if copied else self._fill()
        self.server.start(START_SECONDS)
        assert self.server.process is not None
        self.url, self.pid = self.server.url, self.server.process.pid
        if self._postgres is None and not copied:
            self._keep()
        #: The session of a supervisor.
        self.session = self.server.sign_in(self.email)
        self._cookies = self._sign_in_agents()

    def stop(self) -> None:
        if hasattr(self, "server"):
            self.server.stop()
        super().stop()
        if self._postgres is not None:
            self._postgres.close()

    def cpu(self) -> dict[str, float]:
        used = super().cpu()
        if self._postgres is not None:
            used["postgres"] = cpu_seconds(self._postgres.pid)
        return used

    def poster(self) -> dict[str, Any]:
        return {"url": self.url, "headers": {"Authorization": f"Bearer {self._key}"}}

    def dashboard_settings(self) -> dict[str, Any]:
        cookies = {"cookie": self._cookies[0], "cookies": self._cookies}
        return super().dashboard_settings() | cookies | {"whole": 1}

    def ranking(self) -> Ranking:
        return Ranking(self.client())

    def database(self) -> Database:
        return Database(self.server.environment["LINEUP_DATABASE_URL"])

    def command(self, *words: str) -> str:
        return self.server.command(*words, timeout=COMMAND_SECONDS)

    def ordered(self) -> list[tuple[int, int]]:
        """Returns (score, id) of the whole list, from SQL."""
        database, setting = self.database(), self.setting
        with database.read() as connection:
            found = threads.listed(
                connection, setting.view, "all", None, setting.sort, self.setting.threads + 1
            )
        database.close()
        return [(entry.score, entry.id) for entry in found]

    def check(self, held: dict[str, Any]) -> None:
        if held["problems"] or not held["same"]:
            raise BenchError(f"the dashboards differ: {held['problems'] or held['held']}")
        truth = self.ordered()
        whole = [tuple(entry) for entry in held["held"][0]["whole"]]
        if whole != truth:
            raise BenchError("what the browser holds is not what SQL orders")
        placed = self.ranking().scan(self.setting.view, self.setting.sort)
        if [(entry.score, entry.id) for batch in placed for entry in batch] != truth:
            raise BenchError("what Redis holds is not what SQL orders")

    def _database_url(self) -> str:
        if self._postgres is not None:
            self._postgres.start()
            return self._postgres.url
        return f"sqlite:///{self.folder / _DATABASE}"

    def _fill(self) -> str:
        """Fills the empty database; returns the API key made for it."""
        key = self.server.create_key(SOURCE)
        self.server.create_admin(_ADMIN, "supervisor")
        url = self.server.environment["LINEUP_DATABASE_URL"]
        fill(url, self.setting.threads, self.setting.newest_ms)
        return key

    def _sign_in_agents(self) -> list[str]:
        """Returns cookies of the agents: the dashboards take them in turn."""
        password_hash = passwords.hashed(PASSWORD)
        emails = [f"agent{number}@example.com" for number in range(AGENTS)]

        def write(connection: Connection) -> None:
            everywhere = admin_desks.names(connection)
            for email in emails:
                given = (email, "Agent", "admin", password_hash, now_ms(), everywhere)
                admins.create(connection, *given)

        database = self.database()
        database.write(write)
        database.close()
        return [cookie_of(self.server.sign_in(email)) for email in emails]

    def _keep(self) -> None:
        """Copies the data after the first start, in SQL and in Redis, for the next start."""
        beside = self._template.with_suffix(".tmp")
        shutil.rmtree(beside, ignore_errors=True)
        beside.mkdir(parents=True)
        with (
            closing(sqlite3.connect(self.folder / _DATABASE)) as ours,
            closing(sqlite3.connect(beside / _DATABASE)) as copy,
        ):
            ours.backup(copy)
        assert self.redis is not None
        self.redis.client(socket_timeout=COMMAND_SECONDS).save()
        shutil.copyfile(self.folder / _DUMP, beside / _DUMP)
        (beside / _KEY).write_text(self._key)
        beside.rename(self._template)
