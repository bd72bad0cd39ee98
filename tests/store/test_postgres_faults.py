"""PostgreSQL going away under the way in: tried again, or told, and never half stored."""

import os
import signal
import time

import pytest
from sqlalchemy import text

from dashboard.errors import StorageUnavailable
from dashboard.store import postgres
from tests.intake.shop import Shop, message

pytestmark = pytest.mark.postgres
_END_OTHERS = text(
    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
)


@pytest.fixture
def shop(postgres_database, clock) -> Shop:
    return Shop(postgres_database, clock)


def test_a_write_survives_the_end_of_its_connection(shop):
    """F31: all backends are ended while connections wait in the pool."""
    shop.says(0)
    with shop.database.engine.connect() as connection:
        connection.execute(_END_OTHERS)
        connection.commit()
    assert shop.says(1, id="m-1").status == "created"
    assert len(shop.conversation()) == 2


def test_a_write_whose_connection_ends_in_the_middle_is_tried_again(shop):
    shop.says(0)
    tries = []

    def write(connection):
        tries.append(connection.scalar(text("SELECT pg_backend_pid()")))
        if len(tries) == 1:
            with shop.database.engine.connect() as other:
                other.execute(text("SELECT pg_terminate_backend(:pid)"), {"pid": tries[0]})
        return connection.scalar(text("SELECT 5"))

    assert shop.database.write(write) == 5
    assert len(tries) == 2


def test_a_lock_that_is_held_is_told_after_two_seconds(shop):
    """F32."""
    shop.says(0)
    with shop.database.engine.connect() as holder:
        holder.execute(text("LOCK TABLE threads"))
        began = time.monotonic()
        with pytest.raises(StorageUnavailable):
            shop.says(1)
        assert time.monotonic() - began < 4
    assert len(shop.conversation()) == 1


def test_a_server_that_was_stopped_is_not_waited_for(shop, monkeypatch):
    """F35: it holds its connections open and says nothing."""
    monkeypatch.setattr(postgres, "SILENCE_SECONDS", 0.5)
    shop.says(0)
    with shop.database.engine.connect() as connection:
        process = connection.scalar(text("SELECT pg_backend_pid()"))
    os.kill(process, signal.SIGSTOP)
    try:
        with pytest.raises(StorageUnavailable), shop.database.read() as connection:
            # The pool's own question whether it is there has found another connection.
            assert connection.scalar(text("SELECT pg_backend_pid()")) != process
            stopped = connection.scalar(text("SELECT pg_backend_pid()"))
            os.kill(stopped, signal.SIGSTOP)
            try:
                connection.scalar(text("SELECT 1"))
            finally:
                os.kill(stopped, signal.SIGCONT)
    finally:
        os.kill(process, signal.SIGCONT)
    assert shop.says(1).status == "created"


def test_a_pool_that_is_empty_is_told(shop, monkeypatch):
    """F34: the pool is bounded, so the server's own limit is not reached."""
    pool = shop.database.engine.pool
    monkeypatch.setattr(pool, "_timeout", 0.1)
    held = [shop.database.engine.connect() for _ in range(pool.size() + pool._max_overflow)]
    with pytest.raises(StorageUnavailable):
        shop.send(message(0))
    for connection in held:
        connection.close()
    assert shop.says(0).status == "created"
