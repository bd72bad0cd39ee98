"""Changes of the versions, and hand-outs, have their turn among any number of writes."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import Connection, Table, select

from dashboard.db.accounts.admins import by_id
from dashboard.db.accounts.admins import lock as lock_admin
from dashboard.db.database import Database
from dashboard.db.lists import versions, views
from dashboard.db.lists.versions import Versions
from dashboard.db.models.accounts import admins
from dashboard.db.models.threads import files, threads
from dashboard.db.models.views import calendars
from tests.dashboard.web.admin.hours.calls import API, calendar, saved_calendar, saved_policy
from tests.drivers.application import ApplicationDriver
from tests.drivers.audit import OPERATOR
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


@pytest.fixture
def app(postgres_database, clock, tmp_path) -> ApplicationDriver:
    return ApplicationDriver(postgres_database, clock, tmp_path)


@contextmanager
def before(database: Database, lock: Callable[[Connection], object], work: Callable[[], object]):
    """Takes a first lock, lets `work` wait for it, and yields the connection: a second lock that
    `work` needs, too, must be free still."""
    worker = threading.Thread(target=work)
    with database.engine.begin() as connection:
        lock(connection)
        worker.start()
        wait_until(lambda: waits_for_a_lock(database), what="that it waits")
        yield connection
    worker.join()


def is_free(connection: Connection, table: Table, id: int) -> bool:
    """Whether a row can be locked at once."""
    statement = select(table.c.id).where(table.c.id == id)
    return connection.scalar(statement.with_for_update(skip_locked=True)) == id


def test_opening_hours_are_locked_after_the_versions(app):
    """As when a policy is saved, which makes events wait before it locks its opening hours."""
    sue = app.sign_in("Sue", "supervisor")
    saved = saved_calendar(sue)
    saved_policy(sue, saved["id"])

    def change() -> None:
        sue.put(f"{API}/calendars/{saved['id']}", json=calendar(name="New"))

    with before(app.database, versions.wait_for_writers, change) as connection:
        assert is_free(connection, calendars, saved["id"])
    assert sue.get(f"{API}/calendars").json["calendars"][0]["name"] == "New"


@pytest.mark.parametrize("act", ["disable", "enable"])
def test_accounts_are_locked_after_views(app, act):
    """As when a sort is deleted, which is then removed from the preferences of admins."""
    mai = app.create_admin("Mai")
    app.services.accounts.disable(OPERATOR, mai)
    act_on = getattr(app.services.accounts, act)
    with before(app.database, views.begin_change, lambda: act_on(OPERATOR, mai)) as connection:
        assert is_free(connection, admins, mai)
    with app.database.read() as connection:
        assert (by_id(connection, mai).disabled_at is None) == (act == "enable")


def test_a_thread_is_locked_after_the_admin_who_uploads_a_file(app):
    """As when it is assigned, for its new admin must not be disabled meanwhile."""
    mai, thread_id = app.sign_in("Mai"), app.say("t")

    def upload() -> None:
        url = f"{API}/threads/{thread_id}/files?name=note.txt"
        mai.post(url, data=b"Hello", content_type="application/octet-stream")

    with before(app.database, lambda c: lock_admin(c, 1), upload) as connection:
        assert is_free(connection, threads, thread_id)
    with app.database.read() as connection:
        assert connection.scalar(select(files.c.thread_id)) == thread_id
