"""Changes of the versions, and hand-outs, have their turn among any number of writes."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import Connection

from dashboard.db.database import Database
from dashboard.db.lists import versions
from dashboard.db.lists.versions import Versions
from tests.servers.postgres import waits_for_a_lock
from tests.support import wait_until

pytestmark = pytest.mark.postgres

#: Writes that overlap, how long each takes, and for how long they go on.
WRITERS, WRITE_SECONDS, SECONDS = 10, 0.03, 5.0


@contextmanager
def writers(database: Database) -> Iterator[Callable[[], bool]]:
    """Writes all the time, until its end or for SECONDS; yields whether writes go on."""
    until = time.monotonic() + SECONDS
    begun = threading.Semaphore(0)

    def write(connection: Connection) -> None:
        versions.current(connection, for_writing=True)
        begun.release()
        time.sleep(WRITE_SECONDS)

    def writes() -> None:
        while time.monotonic() < until:
            database.write(write)

    running = [threading.Thread(target=writes) for _ in range(WRITERS)]
    for thread in running:
        thread.start()
    for _ in running:
        begun.acquire()
    try:
        yield lambda: time.monotonic() < until
    finally:
        until = 0.0
        for thread in running:
            thread.join()


def test_who_waits_for_writers_is_not_overtaken(postgres_database):
    """Row locks that are shared are granted to each new write while older ones hold them."""
    with writers(postgres_database) as go_on:
        for _ in range(3):
            postgres_database.write(versions.wait_for_writers)
        assert go_on(), "it waited for the end of all writes"


def test_a_write_sees_the_versions_that_it_waited_for(postgres_database):
    seen: list[Versions] = []

    def write(connection: Connection) -> None:
        seen.append(versions.current(connection, for_writing=True))

    writer = threading.Thread(target=lambda: postgres_database.write(write))

    def change(connection: Connection) -> Versions:
        versions.grow_lists(connection)
        writer.start()
        wait_until(lambda: waits_for_a_lock(postgres_database), what="the write waiting")
        assert not seen
        return versions.current(connection)

    changed = postgres_database.write(change)
    writer.join()
    assert seen == [changed]
