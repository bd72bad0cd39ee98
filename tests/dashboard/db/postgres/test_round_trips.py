"""How often an event and a read wait for PostgreSQL: its answers end with ReadyForQuery."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, text

from dashboard.db.database import Database
from dashboard.db.postgres import PING_SECONDS, USED_SECONDS
from dashboard.db.threads import thread_rows
from tests.dashboard.ingest.shop import START_MS, Shop
from tests.support import SettableClock

pytestmark = pytest.mark.postgres
PROCESS = text("SELECT pg_backend_pid()")


def _driver(database: Database) -> Any:
    """Returns the pool's only connection."""
    with database.engine.connect() as connection:
        return connection.connection.driver_connection


def _round_trips(database: Database, folder: Path, work: Callable[[], object]) -> int:
    """Returns the number of round trips of the pool's only connection during `work`."""
    driver = _driver(database)
    with (folder / "trace").open("w+") as file:
        driver.pgconn.trace(file.fileno())
        work()
        driver.pgconn.untrace()
        file.seek(0)
        return file.read().count("ReadyForQuery")


def _read(database: Database) -> None:
    with database.read() as connection:
        assert connection.scalar(text("SELECT 7")) == 7


def test_a_read_is_one_round_trip(postgres_database, tmp_path):
    read = partial(_read, postgres_database)
    assert _round_trips(postgres_database, tmp_path, read) == 1


def test_a_message_is_six_round_trips(postgres_database, tmp_path):
    """BEGIN, which nothing waits for; known events and the customer; the thread; the new event;
    what has changed; the commit."""
    shop = Shop(postgres_database, SettableClock(START_MS + 10))
    for at in (20, 30):
        shop.says(at)
    assert _round_trips(postgres_database, tmp_path, lambda: shop.says(40)) == 6
    assert len(shop.conversation()) == 3


def test_a_connection_that_was_used_long_ago_is_checked_once(postgres_database, tmp_path):
    read, driver = partial(_read, postgres_database), _driver(postgres_database)

    def read_late() -> None:
        driver.used_at -= USED_SECONDS
        read()

    assert _round_trips(postgres_database, tmp_path, read_late) == 2
    assert _round_trips(postgres_database, tmp_path, read) == 1


def test_the_check_of_a_connection_waits_less_than_a_statement(postgres_database, monkeypatch):
    driver, dialect, waits = _driver(postgres_database), postgres_database.engine.dialect, []
    ping = dialect.do_ping

    def noted(connection: Any) -> bool:
        waits.append(connection.silence_seconds)
        return ping(connection)

    monkeypatch.setattr(dialect, "do_ping", noted)
    driver.used_at -= USED_SECONDS
    _read(postgres_database)
    assert waits == [PING_SECONDS] and driver.silence_seconds is None


def test_a_quiet_connection_sends_keepalives(postgres_database):
    parameters = _driver(postgres_database).info.get_parameters()
    assert parameters.items() >= {"keepalives_idle": "60", "keepalives_interval": "10"}.items()


def test_the_connection_that_was_used_last_is_used_again(postgres_database):
    engine = postgres_database.engine
    first, last = engine.connect(), engine.connect()
    process = last.scalar(PROCESS)
    first.close()
    last.close()
    with postgres_database.read() as connection:
        assert connection.scalar(PROCESS) == process


def test_rows_of_some_threads_are_few_different_statements(postgres_database):
    """PostgreSQL plans each anew."""
    said = set()
    listen = partial(event.listen, postgres_database.engine, "before_cursor_execute")
    listen(lambda connection, cursor, statement, *others: said.add(statement))
    with postgres_database.engine.connect() as connection:
        for count in (*range(1, 9), 16):
            thread_rows.shared_rows(connection, range(1, count + 1))
    assert len(said) == 2


def test_the_size_of_ids_makes_no_further_plans(postgres_database):
    """A plan is kept for a statement and the types of its parameters."""
    with postgres_database.engine.connect() as connection:
        driver = connection.connection.driver_connection
        before = driver.prepare_threshold
        driver.prepare_threshold = 0
        for ids in ([1, 40_000, 2], [40_000, 1, 3], [1, 2, 3], [2**31 - 1, 1, 1]):
            thread_rows.shared_rows(connection, ids)
        driver.prepare_threshold = before
        plans = connection.scalar(text("SELECT count(*) FROM pg_prepared_statements"))
        assert plans == 1
