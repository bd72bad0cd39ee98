"""Deleting a customer leaves nothing of the person, and the order as SQL has it."""

import pytest
from sqlalchemy import select

from dashboard.intake.erase import erase_customer
from dashboard.store.models import customers, events, threads
from tests.intake.order import Order


@pytest.fixture
def order(database, client, clock) -> Order:
    opened = Order(database, client, clock)
    opened.tick()
    return opened


def test_a_deleted_customer_is_gone_from_sql_and_from_every_list(order):
    order.post("t-1")
    order.post("t-1", role="admin")
    order.post("t-2")
    erased = erase_customer(order.database, order.placer, "shop", "customer-of-t-1")
    assert erased is not None and erased.threads == 1 and erased.events == 2
    with order.database.read() as connection:
        assert list(connection.scalars(select(customers.c.external_id))) == ["customer-of-t-2"]
        assert list(connection.scalars(select(threads.c.external_id))) == ["t-2"]
        bodies = connection.scalars(select(events.c.body).where(events.c.thread_id.is_(None)))
        assert set(bodies) == {None}
    assert order.differences() == []
    assert [entry.id for entry in order.ranking.head("arrival", "arrival", 5).entries] == [2]


def test_the_ids_of_a_deleted_customers_events_stay_taken(order):
    order.post("t-1")
    erase_customer(order.database, order.placer, "shop", "customer-of-t-1")
    order.count = 0
    with pytest.raises(AssertionError, match="rejected"):
        order.post("t-1")


def test_what_was_said_in_a_thread_that_is_somebody_elses_now_keeps_its_place(order):
    order.post("t-1", customer={"id": "first"})
    order.post("t-1", customer={"id": "second"})
    before = order.ranking.head("arrival", "arrival", 5).entries
    erased = erase_customer(order.database, order.placer, "shop", "first")
    assert erased is not None and erased.threads == 0 and erased.events == 1
    assert order.ranking.head("arrival", "arrival", 5).entries == before
    for _ in order.recorder.refold(order.source_id):
        pass
    order.tick(3)
    assert order.ranking.head("arrival", "arrival", 5).entries == before


def test_an_unknown_customer_is_none(order):
    assert erase_customer(order.database, order.placer, "shop", "nobody") is None
