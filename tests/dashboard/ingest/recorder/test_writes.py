"""Writes: their number of statements, and faults of the storage."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import Connection, event

from dashboard.db import driver, placing
from dashboard.db.database import Database
from dashboard.db.driver import drive
from dashboard.db.models.threads import events
from dashboard.db.models.threads import threads as thread_table
from dashboard.errors import StorageUnavailable
from tests.dashboard.ingest.shop import Shop, message


def test_the_number_of_statements_does_not_depend_on_the_size_of_a_batch(shop):
    def statements(events) -> int:
        with counted_statements(shop.database) as seen:
            shop.send(*events)
        return len(seen)

    def story(name: str, size: int):
        roles = ["client", "admin", "bot"]
        return [
            message(at, role=roles[at % 3], thread=f"{name}-{at}", customer=f"{name}-{at}")
            for at in range(size)
        ]

    shop.says(0)  # a process reads once which lists of queries there are
    few, many = statements(story("few", 4)), statements(story("many", 200))
    assert many == few


def test_unchanged_columns_are_not_written(shop):
    """Each written column costs its index, or a look-up of its foreign key."""
    shop.says(0)
    with counted_statements(shop.database) as seen:
        shop.says(1)
    [saved] = [statement for statement in seen if statement.startswith("UPDATE threads")]
    assert "score_arrival" in saved
    assert not {"customer_id", "assignee_id", "score_longest_wait"} & set(re.split(r"\W+", saved))


@contextmanager
def counted_statements(database: Database) -> Iterator[list[str]]:
    """The texts of all statements, also of those that the driver runs."""
    seen: list[str] = []

    def note(connection, cursor, statement, *rest):
        seen.append(statement)

    def noting(connection: Connection, run: Callable[[Any], Any]) -> Any:
        return drive(connection, lambda given: run(_Noting(given, seen)))

    event.listen(database.engine, "before_cursor_execute", note)
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(driver, "drive", noting)
            yield seen
    finally:
        event.remove(database.engine, "before_cursor_execute", note)


class _Noting:
    """A connection of the driver, or a cursor, that notes what it runs."""

    def __init__(self, driver: Any, seen: list[str]):
        self._driver = driver
        self._seen = seen

    def __getattr__(self, name: str) -> Any:
        return getattr(self._driver, name)

    def cursor(self) -> "_Noting":
        return _Noting(self._driver.cursor(), self._seen)

    def execute(self, statement: str, *rest: Any, **options: Any) -> Any:
        # Inserts whose ids are needed are run row by row, in a loop that takes no time.
        if self._seen[-1:] != [statement]:
            self._seen.append(statement)
        return self._driver.execute(statement, *rest, **options)

    def executemany(self, statement: str, *rest: Any) -> Any:
        self._seen.append(statement)
        return self._driver.executemany(statement, *rest)


@pytest.mark.slow
def test_a_locked_database_is_reported_after_two_seconds(database, clock, tmp_path):
    """Another process holds the write lock; nothing is stored. (F25)"""
    shop = Shop(database, clock)
    other = Database(database.url)
    with other.engine.connect() as connection:
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        with pytest.raises(StorageUnavailable):
            shop.says(0)
    other.close()
    assert shop.count(events) == shop.count(thread_table) == 0


def test_a_full_disk_is_reported(database, clock):
    """Nothing of the batch is stored. (F27)"""
    shop = Shop(database, clock)
    with database.engine.connect() as connection:
        views = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
    database.engine.dispose()
    limit_pages(database, views)
    with pytest.raises(StorageUnavailable):
        shop.send(*(message(at, "x" * 20_000) for at in range(50)))
    assert shop.count(events) == shop.count(thread_table) == 0


def limit_pages(database: Database, views: int) -> None:
    @event.listens_for(database.engine, "connect")
    def limit(connection, record):
        connection.execute(f"PRAGMA max_page_count={views}")


def test_a_written_thread_is_unplaced(shop):
    shop.says(0)
    with shop.database.read() as connection:
        assert placing.unplaced(connection, 10) == {shop.row()["id"]: 0}
