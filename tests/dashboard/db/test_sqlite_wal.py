"""Checkpoints of SQLite's log run beside other work, and a long log starts over."""

import sqlite3
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
from sqlalchemy import text

from dashboard.db import database as database_module
from dashboard.db.database import Database
from dashboard.errors import StorageUnavailable

#: Pages that `fill` writes, at least.
FILLED = 20
COUNT = text("SELECT count(*) FROM t")


@pytest.fixture
def offloaded(tmp_path):
    """A database, and what it ran beside other work."""
    done = []

    def offload(work, *arguments):
        done.append(work)
        return work(*arguments)

    database = Database(f"sqlite:///{tmp_path / 'lineup.sqlite'}", offload=offload)
    database.write(lambda connection: connection.execute(text("CREATE TABLE t (body BLOB)")))
    yield database, done
    database.close()


def fill(database: Database) -> None:
    filling = text(f"INSERT INTO t VALUES (zeroblob({FILLED * 4096}))")
    database.write(lambda connection: connection.execute(filling))


def log_size(database: Database) -> int:
    return Path(f"{database.engine.url.database}-wal").stat().st_size


def copied_size(database: Database) -> int:
    return Path(str(database.engine.url.database)).stat().st_size


def test_the_log_is_copied_beside_other_work(offloaded):
    database, done = offloaded
    fill(database)
    before = copied_size(database)
    database.checkpoint()
    assert done == [database_module.checkpoint]
    assert copied_size(database) >= before + FILLED * 4096


def test_a_long_log_is_begun_anew_though_it_is_written_on(offloaded, monkeypatch):
    database, _ = offloaded

    class Busy(sqlite3.Connection):
        """Commits more during the first step of a checkpoint, which does not copy that."""

        def execute(self, statement):
            if "PASSIVE" not in statement:
                return super().execute(statement)
            with database.read() as reading:
                reading.scalar(COUNT)
                fill(database)
                row = super().execute(statement).fetchone()
            return SimpleNamespace(fetchone=lambda: row)

    monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=Busy))
    monkeypatch.setattr(database_module, "RESTART_PAGES", FILLED)
    for _ in range(10):
        database.checkpoint()
    assert log_size(database) < 4 * FILLED * 4096


def test_who_reads_the_log_is_not_waited_for_and_commits_go_on(offloaded, monkeypatch):
    database, _ = offloaded
    monkeypatch.setattr(database_module, "RESTART_PAGES", 1)
    fill(database)
    with database.read() as reading:
        assert reading.scalar(COUNT) == 1
        fill(database)
        database.checkpoint()
        fill(database)
        assert reading.scalar(COUNT) == 1, "its snapshot"
    database.checkpoint()
    with database.read() as reading:
        assert reading.scalar(COUNT) == 3


def test_a_log_that_cannot_be_copied_is_a_problem_of_the_storage(tmp_path):
    with pytest.raises(StorageUnavailable):
        Database(f"sqlite:///{tmp_path / 'lost' / 'lineup.sqlite'}").checkpoint()


def test_postgresql_makes_its_checkpoints_by_itself(postgres_database):
    postgres_database.checkpoint()
