"""PostgreSQL vacuums deleted rows, for as long as it takes."""

import select
from selectors import EVENT_READ, EVENT_WRITE

import fakeredis
import pytest
from sqlalchemy import event, text

from dashboard.db import postgres
from dashboard.db.database import Database
from dashboard.errors import StorageUnavailable
from tests.dashboard.ingest.test_traces import rows_with
from tests.dashboard.ordering.order import Order
from tests.servers.postgres import waits_for_a_lock
from tests.support import wait_until

pytestmark = pytest.mark.postgres
HAVE_THREADS = "SELECT table_name FROM information_schema.columns WHERE column_name = 'thread_id'"
UNDER_WAY = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'VACUUM%' AND state = 'active'"


class SlowServer:
    """Waits as if PostgreSQL took `seconds` to answer: who gives up earlier gets nothing."""

    def __init__(self):
        self.seconds = 0.0

    def wait_ready(self, descriptor: int, events: int, seconds: float) -> int:
        if seconds < self.seconds:
            return 0
        reading = [descriptor] if events & EVENT_READ else []
        writing = [descriptor] if events & EVENT_WRITE else []
        reads, writes, _ = select.select(reading, writing, [], 60)
        return EVENT_READ * bool(reads) | EVENT_WRITE * bool(writes)


@pytest.fixture
def server() -> SlowServer:
    return SlowServer()


@pytest.fixture
def order(postgres_database, server, clock):
    database = Database(postgres_database.url, wait_ready=server.wait_ready)
    opened = Order(database, fakeredis.FakeRedis(), clock)
    opened.tick()
    opened.post("t", customer={"id": "c", "name": "zanzibar"})
    assert rows_with(opened)
    yield opened
    database.close()


def at_vacuum(order: Order, do, kind: str = "VACUUM") -> None:
    """`do(connection)` is called once, before the next VACUUM, or statement of another kind."""
    todo = [do]

    @event.listens_for(order.database.engine, "before_cursor_execute")
    def see(connection, cursor, statement, *rest) -> None:
        if statement.startswith(kind) and todo:
            todo.pop()(connection)


def end_its_backend(order: Order, connection) -> None:
    process = connection.connection.dbapi_connection.info.backend_pid
    with order.database.read() as other:
        other.execute(text("SELECT pg_terminate_backend(:pid, 60000)"), {"pid": process})


def test_a_vacuum_may_take_longer_than_any_other_statement(order, server):
    """H30: large tables take minutes, in which the server sends nothing."""

    def be_slow(connection) -> None:
        server.seconds = 10 * 60.0

    at_vacuum(order, be_slow)
    erased = order.erase("c")
    assert erased is not None and erased.threads == 1
    # Other statements give up such a server, also over connections from before.
    assert server.seconds > postgres.SILENCE_SECONDS
    with pytest.raises(StorageUnavailable), order.database.read() as connection:
        connection.execute(text("SELECT 1"))


def test_each_table_that_holds_a_part_of_a_thread_is_vacuumed(order):
    """Dead rows keep reasons, tags and languages until then."""
    vacuumed = []
    keep = event.listens_for(order.database.engine, "before_cursor_execute")
    keep(lambda connection, cursor, statement, *rest: vacuumed.append(statement))
    order.erase("c")
    [statement] = [one for one in vacuumed if one.startswith("VACUUM")]
    tables = set(statement.removeprefix("VACUUM ").split(", "))
    with order.database.read() as connection:
        named = connection.scalars(text(HAVE_THREADS))
        assert tables >= {"threads", "customers", "message_search", *named}


def test_a_statement_that_deletes_much_may_take_longer_than_any_other(order, server):
    """H30: a customer may have most of all events."""

    def be_slow(connection) -> None:
        assert connection.scalar(text("SHOW statement_timeout")) == "1h"
        server.seconds = 10 * 60.0

    at_vacuum(order, be_slow, "UPDATE events")
    erased = order.erase("c")
    assert erased is not None and erased.threads == 1


def test_its_limits_are_those_of_no_other_connection(order):
    order.erase("c")
    with order.database.read() as connection:
        assert connection.scalar(text("SHOW statement_timeout")) == "15s"
        assert connection.connection.driver_connection.silence_seconds is None


def test_a_vacuum_that_fails_is_repeated_by_a_second_call(order, caplog):
    """H30: a 503, and all is deleted but the traces."""
    at_vacuum(order, lambda connection: end_its_backend(order, connection))
    with pytest.raises(StorageUnavailable, match="All is deleted"):
        order.erase("c")
    assert rows_with(order) == [] and "not vacuumed yet" in caplog.text
    vacuumed = []
    at_vacuum(order, vacuumed.append)
    assert order.erase("c") is None
    assert len(vacuumed) == 1


def test_a_vacuum_that_takes_long_goes_on_after_the_answer(order, postgres_database, caplog):
    """H30: the request does not wait for its end."""
    with postgres_database.engine.begin() as other:
        other.execute(text("LOCK TABLE events IN SHARE UPDATE EXCLUSIVE MODE"))
        with pytest.raises(StorageUnavailable, match="All is deleted"):
            order.erase("c", traces_seconds=0)
        wait_until(lambda: waits_for_a_lock(postgres_database), what="that it goes on")
    wait_until(lambda: not is_under_way(postgres_database), what="its end")
    assert "not vacuumed" not in caplog.text


def is_under_way(database: Database) -> bool:
    with database.read() as connection:
        return bool(connection.scalar(text(UNDER_WAY)))
