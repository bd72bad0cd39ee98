"""Databases of both kinds as fixtures, which a conftest.py imports."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy.engine import make_url

from dashboard.db.database import Database
from dashboard.db.migrate import bring_to_head
from tests.servers.postgres import PostgresServer, running_postgres

ON_BOTH = [pytest.param("sqlite"), pytest.param("postgres", marks=pytest.mark.postgres)]


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    with running_postgres() as server:
        yield server


@pytest.fixture(scope="session")
def template(postgres: PostgresServer) -> str:
    """Returns the name of a PostgreSQL database at head, to be copied."""
    url = postgres.new_database()
    database = Database(url)
    bring_to_head(database)
    database.close()
    name = make_url(url).database
    assert name is not None
    return name


@pytest.fixture
def new_postgres_url(postgres: PostgresServer) -> Iterator[Callable[..., str]]:
    """Yields a function that copies a template to new databases; they are dropped afterwards."""
    made: list[str] = []

    def make(template: str = "template1") -> str:
        made.append(postgres.new_database(template))
        return made[-1]

    yield make
    for url in made:
        postgres.drop(url)


@pytest.fixture(params=ON_BOTH)
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Returns the URL of a database without tables."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'empty.sqlite'}"
    return request.getfixturevalue("new_postgres_url")()


@pytest.fixture(params=ON_BOTH)
def any_database(
    request: pytest.FixtureRequest, tmp_path: Path, sqlite_at_head: Path
) -> Iterator[Database]:
    """Yields a database at head: on SQLite, and again on PostgreSQL."""
    if request.param == "sqlite":
        opened = Database(f"sqlite:///{shutil.copy(sqlite_at_head, tmp_path / 'any.sqlite')}")
    else:
        template = request.getfixturevalue("template")
        opened = Database(request.getfixturevalue("new_postgres_url")(template))
    yield opened
    opened.close()


@pytest.fixture
def postgres_database(new_postgres_url: Callable[..., str], template: str) -> Iterator[Database]:
    """Yields a PostgreSQL database at head."""
    opened = Database(new_postgres_url(template))
    yield opened
    opened.close()
