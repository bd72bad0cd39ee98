"""An export, and empty databases for it."""

import itertools
import shutil
from collections.abc import Iterator
from pathlib import Path

import fakeredis
import pytest

from dashboard.db.database import Database
from dashboard.transfer.exporting import Exporter
from dashboard.transfer.importing import Imported, Importer
from tests.drivers.audit import OPERATOR
from tests.services import services_over

_numbers = itertools.count()


class Transfer:
    """Exports and imports, with a Redis for each database."""

    def __init__(self, clock):
        self.clock = clock
        self.redis: dict[str, fakeredis.FakeRedis] = {}

    def exported(self, database: Database) -> list[bytes]:
        return list(Exporter(database).lines())

    def services(self, database: Database):
        redis = self.redis.setdefault(database.url, fakeredis.FakeRedis())
        return services_over(database, redis, self.clock)

    def imported(self, database: Database, lines: list[bytes]) -> Imported:
        placer = self.services(database).placer
        return Importer(database, placer, self.clock, OPERATOR, lambda: "no hash").run(lines)


@pytest.fixture
def transfer(clock) -> Transfer:
    return Transfer(clock)


@pytest.fixture
def new_database(request, any_database, tmp_path: Path, sqlite_at_head: Path) -> Iterator:
    """Makes databases at head, of the same kind as `any_database`."""
    opened: list[Database] = []

    def make() -> Database:
        if any_database.is_sqlite:
            path = shutil.copy(sqlite_at_head, tmp_path / f"empty-{next(_numbers)}.sqlite")
            url = f"sqlite:///{path}"
        else:
            template = request.getfixturevalue("template")
            url = request.getfixturevalue("new_postgres_url")(template)
        opened.append(Database(url))
        return opened[-1]

    yield make
    for each in opened:
        each.close()
