"""Faults of PostgreSQL during ingest: retried or reported, and nothing stored in part."""

import os
import select
import signal
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import text

from dashboard.db import database, postgres
from dashboard.errors import StorageUnavailable
from dashboard.web.server.readiness import waiter
from tests.dashboard.ingest.shop import Shop, message
from tests.support import wait_until

pytestmark = pytest.mark.postgres
_END_OTHERS = text(
    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
)
_LOCK = text("SELECT id FROM threads WHERE id = :id FOR UPDATE")
_WAITING = text("SELECT count(*) FROM pg_locks WHERE NOT granted")


@pytest.fixture
def shop(postgres_database, clock) -> Shop:
    return Shop(postgres_database, clock)


def test_a_write_survives_the_end_of_its_connection(shop):
    """All backends are terminated while connections wait in the pool. (F31)"""
    shop.says(0)
    with shop.database.engine.connect() as connection:
        connection.execute(_END_OTHERS)
        connection.commit()
    assert shop.says(1, id="m-1").status == "created"
    assert len(shop.conversation()) == 2


def _wait_read(descriptor: int, seconds: float) -> None:
    if not select.select([descriptor], [], [], seconds)[0]:
        raise TimeoutError


@pytest.mark.parametrize(
    "wait_ready", [None, waiter(select.poll, _wait_read, select.select)], ids=["plain", "green"]
)
def test_a_read_survives_the_end_of_a_connection_that_was_just_used(postgres_database, wait_ready):
    """Its end has arrived: nothing needs to ask for it. (F31)"""
    own = database.Database(postgres_database.url, wait_ready=wait_ready)
    with own.read() as connection:
        driver = connection.connection.driver_connection
    with postgres_database.engine.begin() as connection:
        connection.execute(_END_OTHERS)
    wait_until(lambda: not driver.is_surely_open(), what="its end")
    with own.read() as connection:
        assert connection.scalar(text("SELECT 7")) == 7
    own.close()


def test_a_write_is_retried_when_its_connection_ends(shop):
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


@pytest.mark.slow
def test_a_table_lock_is_reported_after_two_seconds(shop):
    """The lock timeout becomes StorageUnavailable. (F32)"""
    shop.says(0)
    with shop.database.engine.connect() as holder:
        holder.execute(text("LOCK TABLE threads"))
        began = time.monotonic()
        with pytest.raises(StorageUnavailable):
            shop.says(1)
        assert time.monotonic() - began < 4
    assert len(shop.conversation()) == 1


@pytest.mark.parametrize("wait_seconds", [database.LOCK_WAIT_SECONDS, 0])
def test_the_victim_of_a_deadlock_is_written_again(shop, monkeypatch, wait_seconds):
    """Another transaction locks the same threads in the other order. (H23)

    Also when the batch has waited as long as it may: PostgreSQL looks for deadlocks after 1 s.
    """
    monkeypatch.setattr(database, "LOCK_WAIT_SECONDS", wait_seconds)
    for thread in ("a", "b"):
        shop.says(0, thread=thread, customer=thread)
    wanted = [
        message(1, id=f"after-{thread}", thread=thread, customer=thread) for thread in ("a", "b")
    ]
    ids = [shop.row(thread)["id"] for thread in ("a", "b")]
    engine = shop.database.engine
    with ThreadPoolExecutor(2) as threads, engine.connect() as other, engine.connect() as observer:
        other.execute(text("SET LOCAL deadlock_timeout = '20s'"))  # the batch is the victim
        other.execute(text("SET LOCAL lock_timeout = 0"))
        other.execute(_LOCK, {"id": ids[1]})
        batch = threads.submit(shop.send, *wanted)
        wait_until(lambda: observer.scalar(_WAITING) == 1, what="the batch waiting for a lock")
        other.execute(_LOCK, {"id": ids[0]})
        other.commit()
        assert [outcome.status for outcome in batch.result().outcomes] == ["created", "created"]
    for thread in ("a", "b"):
        assert len(shop.conversation(thread)) == 2


def test_a_stopped_server_is_given_up(shop, monkeypatch):
    """It keeps its connections open and sends nothing. (F35)"""
    monkeypatch.setattr(postgres, "SILENCE_SECONDS", 0.5)
    monkeypatch.setattr(postgres, "USED_SECONDS", 0)
    shop.says(0)
    with shop.database.engine.connect() as connection:
        process = connection.scalar(text("SELECT pg_backend_pid()"))
    os.kill(process, signal.SIGSTOP)
    try:
        with pytest.raises(StorageUnavailable), shop.database.read() as connection:
            # The pool's liveness check has found another connection.
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


def test_an_exhausted_pool_is_reported(shop, monkeypatch):
    """The pool is bounded, so the server's own limit is not reached. (F34)"""
    pool = shop.database.engine.pool
    monkeypatch.setattr(pool, "_timeout", 0.1)
    held = [shop.database.engine.connect() for _ in range(pool.size() + pool._max_overflow)]
    with pytest.raises(StorageUnavailable):
        shop.send(message(0))
    for connection in held:
        connection.close()
    assert shop.says(0).status == "created"
