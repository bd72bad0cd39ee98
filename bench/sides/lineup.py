"""Lineup itself: `app.py serve`, as it is run."""

import shutil
from pathlib import Path
from typing import Any

from bench.dataset import SOURCE, fill
from bench.processes import BenchError
from bench.sides.postgres import Postgres
from bench.sides.side import START_SECONDS, Setting, Side
from dashboard.store import threads
from dashboard.store.database import Database
from scoring.ranking import Ranking
from tests import live_server
from tests.live_server import LiveServer, cookie_of

_ADMIN = "Bench"


class Lineup(Side):
    name = kind = "lineup"

    def __init__(self, setting: Setting, folder: Path, templates: Path):
        """`templates`: where databases of a size are kept, to be copied."""
        super().__init__(setting, folder)
        self._templates = templates
        self._postgres = Postgres() if setting.database == "postgres" else None

    def start(self) -> None:
        redis_url = self.start_redis()
        self.server = LiveServer(
            self._database_url(),
            redis_url,
            async_mode=self.setting.async_mode,
            workers=self.setting.workers,
        )
        self._prepare()
        live_server.START_SECONDS = START_SECONDS
        self.server.start()
        assert self.server.process is not None
        self.url, self.pid = self.server.url, self.server.process.pid
        self._cookie = cookie_of(self.server.sign_in(self.email))

    def stop(self) -> None:
        if hasattr(self, "server"):
            self.server.stop()
        super().stop()
        if self._postgres is not None:
            self._postgres.stop()

    def poster(self) -> dict[str, Any]:
        return {"url": self.url, "headers": {"Authorization": f"Bearer {self._key}"}}

    def boards(self) -> dict[str, Any]:
        return super().boards() | {"cookie": self._cookie, "whole": True}

    def ranking(self) -> Ranking:
        return Ranking(self.client())

    def database(self) -> Database:
        return Database(self.server.environment["LINEUP_DATABASE_URL"])

    def command(self, *words: str) -> str:
        return self.server.command(*words)

    def ordered(self) -> list[tuple[int, int]]:
        """(score, id) of the whole list, from SQL."""
        database, setting = self.database(), self.setting
        with database.read() as connection:
            found = threads.listed(
                connection, setting.page, "all", None, setting.sort, self.setting.threads + 1
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
        placed = self.ranking().scan(self.setting.page, self.setting.sort)
        if [(entry.score, entry.id) for batch in placed for entry in batch] != truth:
            raise BenchError("what Redis holds is not what SQL orders")

    def _database_url(self) -> str:
        if self._postgres is not None:
            self._postgres.start()
            return self._postgres.url
        return f"sqlite:///{self.folder / 'lineup.sqlite'}"

    def _prepare(self) -> None:
        """Fills the database, or copies one of this size that was filled before."""
        setting, key = self.setting, self._templates / f"{self.setting.threads}.key"
        template = self._templates / f"{setting.threads}.sqlite"
        if self._postgres is None and template.exists():
            shutil.copyfile(template, self.folder / "lineup.sqlite")
            self._key = key.read_text()
        else:
            self._key = self.server.create_key(SOURCE)
            self.server.create_admin(_ADMIN)
            url = self.server.environment["LINEUP_DATABASE_URL"]
            fill(url, setting.threads, setting.newest_ms)
            if self._postgres is None:
                self._templates.mkdir(exist_ok=True)
                shutil.copyfile(self.folder / "lineup.sqlite", template)
                key.write_text(self._key)
        self.email = f"{_ADMIN.lower()}@example.com"
