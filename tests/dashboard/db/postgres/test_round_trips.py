"""How often an event and a read wait for PostgreSQL: its answers end with ReadyForQuery."""

from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import text

from dashboard.db.database import Database
from tests.dashboard.ingest.shop import START_MS, Shop
from tests.support import SettableClock

pytestmark = pytest.mark.postgres


def _round_trips(database: Database, folder: Path, work: Callable[[], object]) -> int:
    """Returns the number of round trips of the pool's only connection during `work`."""
    with database.engine.connect() as connection:
        driver = connection.connection.driver_connection
        assert driver is not None
    with (folder / "trace").open("w+") as file:
        driver.pgconn.trace(file.fileno())
        work()
        driver.pgconn.untrace()
        file.seek(0)
        return file.read().count("ReadyForQuery")


def test_a_read_is_one_round_trip(postgres_database, tmp_path):
    def read() -> None:
        with postgres_database.read() as connection:
            assert connection.scalar(text("SELECT 7")) == 7

    assert _round_trips(postgres_database, tmp_path, read) == 1


def test_a_message_is_six_round_trips(postgres_database, tmp_path):
    """BEGIN, which nothing waits for; known events and the customer; the thread; the new event;
    what has changed; the commit."""
    shop = Shop(postgres_database, SettableClock(START_MS + 10))
    for at in (20, 30):
        shop.says(at)
    assert _round_trips(postgres_database, tmp_path, lambda: shop.says(40)) == 6
    assert len(shop.conversation()) == 3


def test_a_connection_that_was_used_long_ago_is_checked(postgres_database, tmp_path, monkeypatch):
    def read() -> None:
        with postgres_database.read() as connection:
            connection.scalar(text("SELECT 7"))

    read()
    monkeypatch.setattr("dashboard.db.postgres.USED_SECONDS", 0)
    assert _round_trips(postgres_database, tmp_path, read) == 2
