"""Erasing a customer deletes all data of the person, and the lists in Redis follow."""

import sqlite3
from contextlib import contextmanager
from datetime import UTC, datetime

import pytest
from sqlalchemy import event, func, select, update

from dashboard.db.models.threads import customers, erasures, events, threads
from dashboard.ingest import erase as ingest_erase
from dashboard.ingest.erase import erase_customer
from dashboard.ingest.schema import parse
from tests.dashboard.ordering.order import Order
from tests.drivers.audit import OPERATOR


@pytest.fixture
def order(database, client, clock) -> Order:
    opened = Order(database, client, clock)
    opened.tick()
    return opened


def erase(order, customer):
    return erase_customer(order.database, order.placer, OPERATOR, "shop", customer, order.clock())


def test_an_erased_customer_is_deleted_from_sql_and_from_every_list(order):
    order.post("t-1")
    order.post("t-1", role="admin")
    order.post("t-2")
    erased = erase(order, "customer-of-t-1")
    assert erased is not None and len(erased.thread_ids) == 1 and erased.events == 2
    with order.database.read() as connection:
        assert list(connection.scalars(select(customers.c.external_id))) == ["customer-of-t-2"]
        assert list(connection.scalars(select(threads.c.external_id))) == ["t-2"]
        bodies = connection.scalars(select(events.c.body).where(events.c.thread_id.is_(None)))
        assert set(bodies) == {None}
    assert order.differences() == []
    assert [entry.id for entry in order.ranking.head("arrival", "arrival", 5).entries] == [2]


def test_ids_of_erased_events_stay_taken(order):
    order.post("t-1")
    erase(order, "customer-of-t-1")
    order.count = 0
    with pytest.raises(AssertionError, match="rejected"):
        order.post("t-1")


def test_a_thread_that_belongs_to_another_customer_now_keeps_its_scores(order):
    order.post("t-1", customer={"id": "first"})
    order.post("t-1", customer={"id": "second"})
    before = order.ranking.head("arrival", "arrival", 5).entries
    erased = erase(order, "first")
    assert erased is not None and len(erased.thread_ids) == 0 and erased.events == 1
    assert order.ranking.head("arrival", "arrival", 5).entries == before
    for _ in order.recorder.refold(order.source_id):
        pass
    order.tick(3)
    assert order.ranking.head("arrival", "arrival", 5).entries == before


def test_tags_go_with_a_thread_and_stay_where_it_belongs_to_another_customer_now(order):
    order.post("t-1", customer={"id": "first"})
    order.post("t-1", customer={"id": "second"})
    order.event(type="thread.tags", thread="t-1", add=["vip"])
    erase(order, "first")
    order.event(type="thread.tags", thread="t-1", add=["late"], occurred_at="2026-11-20T10:00:00Z")
    with order.database.read() as connection:
        assert list(connection.scalars(select(threads.c.tags))) == [" late vip "]
    erase(order, "second")
    with order.database.read() as connection:
        assert list(connection.scalars(select(threads.c.tags))) == []
        data = connection.scalars(select(events.c.data).where(events.c.type == "thread.tags"))
        assert list(data) == [None, None]


def test_who_was_sent_a_file_by_somebody_erased_still_has_one(order):
    """The mark stays in another customer's thread, as times and tags do, without the file."""
    file = {"url": "https://x.example/a.png", "name": "a.png"}
    order.post("t-1", customer={"id": "first"}, attachments=[file])
    order.post("t-1", customer={"id": "second"})
    erase(order, "first")
    order.post("t-1", customer={"id": "second"})
    with order.database.read() as connection:
        assert list(connection.scalars(select(threads.c.has_file))) == [True]
        assert set(connection.scalars(select(events.c.attachments))) == {None}
    assert order.differences() == []


def test_an_unknown_customer_gives_none(order):
    assert erase(order, "nobody") is None


def test_a_preview_of_theirs_in_the_thread_of_another_is_emptied(order):
    """H30: the thread belongs to somebody else now, its newest message is theirs."""
    order.post("t-1", customer={"id": "second"})
    order.post("t-1", customer={"id": "first"}, body="words of the first")
    back = update(threads).values(customer_id=1)
    order.database.write(lambda connection: connection.execute(back))
    erase(order, "first")
    with order.database.read() as connection:
        [row] = connection.execute(select(threads)).mappings()
    assert row["preview_body"] == ""
    assert order.differences() == []


@contextmanager
def few_parameters(database, most):
    """Refuses statements with more parameters, as SQLite does with more than 32,766."""

    def set_limit(connection, *rest):
        connection.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, most)

    event.listen(database.engine, "checkout", set_limit)
    yield
    event.remove(database.engine, "checkout", set_limit)
    database.engine.dispose()


def test_a_customer_may_have_more_threads_than_a_statement_parameters(order, monkeypatch):
    """Threads of their own, and of others who have messages and previews of theirs."""
    count = 60
    monkeypatch.setattr(ingest_erase, "LOCKED_AT_ONCE", count // 2)
    for number in range(count):
        order.post(f"own-{number}", customer={"id": "first"})
        order.post(f"other-{number}", customer={"id": "second"})
        order.post(f"other-{number}", customer={"id": "first"}, body="words of the first")
    is_second = customers.c.external_id == "second"
    second = select(customers.c.id).where(is_second).scalar_subquery()
    back = update(threads).where(threads.c.external_id.like("other-%")).values(customer_id=second)
    order.database.write(lambda connection: connection.execute(back))
    with few_parameters(order.database, count - 1):
        erased = erase(order, "first")
    assert erased is not None and len(erased.thread_ids) == count and erased.events == 2 * count
    with order.database.read() as connection:
        previews = connection.scalars(select(threads.c.preview_body)).all()
    assert previews == [""] * count
    assert order.differences() == [] and not order.database.refuses_writes


def late(order, at, **fields):
    """Posts an event of `at` seconds into the test's minute; returns its outcome."""
    order.count += 1
    given = {
        "id": f"late-{order.count}",
        "type": "message",
        "thread": "t-1",
        "customer": {"id": "customer-of-t-1", "name": "Zarathustra"},
        "role": "client",
        "body": "under way",
        "occurred_at": f"2026-11-20T10:00:{at:02d}Z",
    } | fields
    if given["type"] != "message":
        for name in ("customer", "role", "body"):
            del given[name]
    [outcome] = order.ingest.accept(order.source_id, [parse(given)])
    return outcome.status, outcome.problem and outcome.problem.code


ERASED_AT_MS = int(datetime(2026, 11, 20, 10, 0, 30, tzinfo=UTC).timestamp() * 1000)


@pytest.fixture
def erased_at_half(order):
    """The customer of t-1 was erased at 10:00:30; it is 10:01 now."""
    order.post("t-1")
    order.clock.now_ms = ERASED_AT_MS
    erase(order, "customer-of-t-1")
    order.clock.advance(30_000)
    return order


def test_an_event_that_was_under_way_does_not_bring_them_back(erased_at_half):
    """H30: whatever its type, in whatever thread; and not in a batch with others."""
    order, refused = erased_at_half, ("rejected", "customer_erased")
    assert late(order, 29) == late(order, 30) == refused
    assert late(order, 29, thread="t-2") == refused
    assert late(order, 29, customer={"id": "somebody"}) == refused
    assert late(order, 29, type="thread.close") == refused
    assert late(order, 29, thread="t-3", customer={"id": "somebody"}) == ("created", None)
    with order.database.read() as connection:
        assert list(connection.scalars(select(customers.c.external_id))) == ["somebody"]
        assert list(connection.scalars(select(threads.c.external_id))) == ["t-3"]
    order.tick(3)
    assert order.differences() == []


def test_who_writes_again_is_a_new_customer(erased_at_half):
    """H30: but earlier messages of theirs stay away."""
    order = erased_at_half
    assert late(order, 31) == ("created", None)
    assert late(order, 29) == ("rejected", "customer_erased")
    with order.database.read() as connection:
        assert connection.scalar(select(func.count()).select_from(events).where(
            events.c.thread_id.is_not(None))) == 1  # fmt: skip


def test_an_erasure_is_remembered_as_long_as_a_retry_may_come(erased_at_half):
    """H30"""
    order = erased_at_half
    order.post("t-9")
    order.clock.advance(31 * 24 * 3_600_000)
    erase(order, "customer-of-t-9")
    with order.database.read() as connection:
        kept = connection.scalars(select(erasures.c.erased_at)).all()
    assert set(kept) == {order.clock()}
