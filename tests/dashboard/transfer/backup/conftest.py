"""Two databases of the same kind, with their folders of files: a filled place and an empty one."""

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest

from dashboard.db.database import Database
from dashboard.settings import sqlite_url
from tests.dashboard.transfer.backup.driver import Place

_numbers = itertools.count()


@pytest.fixture
def place(any_database, tmp_path: Path, clock) -> Place:
    folder = tmp_path / "first"
    folder.mkdir()
    return Place(any_database, folder, clock)


@pytest.fixture
def new_place(request, any_database, tmp_path: Path, clock):
    """Makes empty places: databases without tables."""
    opened: list[Database] = []

    def make() -> Place:
        folder = tmp_path / f"a place?%41-{next(_numbers)}"
        folder.mkdir()
        if any_database.is_sqlite:
            url = sqlite_url(folder / "lineup.sqlite")
        else:
            url = request.getfixturevalue("new_postgres_url")()
        opened.append(Database(url))
        return Place(opened[-1], folder, clock)

    yield make
    for each in opened:
        each.close()


NewPlace = Callable[[], Place]
