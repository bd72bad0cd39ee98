"""Changes of the versions, and hand-outs, have their turn among any number of writes."""

import threading

import pytest
from sqlalchemy import text

from dashboard.db.lists import versions
from tests.support import wait_until

pytestmark = pytest.mark.postgres

#: Writes that overlap, how long each takes, and for how long they go on.
WRITERS, WRITE_SECONDS, SECONDS = 10, 0.03, 5.0


def test_who_waits_for_writers_is_not_overtaken(postgres_database):
    """Row locks that are shared are granted to each new write while older ones hold them."""
    ended = threading.Event()

    def write(connection) -> None:
        versions.current(connection, for_writing=True)
        ended.wait(WRITE_SECONDS)

    def writes() -> None:
        while not ended.is_set():
            postgres_database.write(write)

    writers = [threading.Thread(target=writes) for _ in range(WRITERS)]
    stop = threading.Timer(SECONDS, ended.set)
    for thread in (*writers, stop):
        thread.start()
    try:
        ended.wait(5 * WRITE_SECONDS)
        for _ in range(3):
            postgres_database.write(versions.wait_for_writers)
        assert not ended.is_set(), "it waited for the end of all writes"
    finally:
        ended.set()
        stop.cancel()
        for thread in writers:
            thread.join()


def _waiting(database) -> int:
    with database.read() as connection:
        return connection.scalar(text("SELECT count(*) FROM pg_locks WHERE NOT granted"))


def test_a_write_sees_the_versions_that_it_waited_for(postgres_database):
    seen: list[versions.Versions] = []

    def write(connection) -> None:
        seen.append(versions.current(connection, for_writing=True))

    writer = threading.Thread(target=lambda: postgres_database.write(write))

    def change(connection) -> versions.Versions:
        versions.grow_lists(connection)
        writer.start()
        wait_until(lambda: _waiting(postgres_database), what="the write waits")
        assert not seen
        return versions.current(connection)

    changed = postgres_database.write(change)
    writer.join()
    assert seen == [changed]
