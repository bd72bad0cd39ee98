"""Batches of concurrent requests share a transaction; each gets its own outcomes."""

import threading
from collections import Counter

import pytest

from dashboard.errors import StorageUnavailable
from dashboard.ingest.ingest import GROUPED_EVENTS_MAX, Batch
from dashboard.ingest.schema import parse
from tests.dashboard.ordering.order import Order


@pytest.fixture
def order(database, client, clock) -> Order:
    opened = Order(database, client, clock)
    opened.tick()
    return opened


def event(number: int, thread: str = "t-1"):
    return parse(
        {
            "id": f"e-{number}",
            "type": "message",
            "thread": thread,
            "customer": {"id": "c-1"},
            "role": "client",
            "body": "…",
            "occurred_at": "2026-11-20T10:00:00Z",
        }
    )


def test_concurrent_callers_each_get_their_own_outcomes(order):
    answers = {}

    def call(number):
        answers[number] = order.ingest.accept(order.source_id, [event(number, f"t-{number}")])

    callers = [threading.Thread(target=call, args=[number]) for number in range(12)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join(10)
    assert {number: [o.id for o in found] for number, found in answers.items()} == {
        number: [f"e-{number}"] for number in range(12)
    }
    assert order.differences() == []


def test_the_same_event_from_two_callers_is_created_once(order):
    found = [order.ingest.accept(order.source_id, [event(1)])[0] for _ in range(2)]
    assert Counter(outcome.status for outcome in found) == {"created": 1, "duplicate": 1}


def test_a_large_batch_has_a_transaction_of_its_own(order, monkeypatch):
    calls = []
    record = order.recorder.record
    monkeypatch.setattr(
        order.recorder, "record", lambda *given: calls.append(len(given[1])) or record(*given)
    )
    order.ingest.accept(order.source_id, [event(n) for n in range(GROUPED_EVENTS_MAX + 1)])
    assert calls == [GROUPED_EVENTS_MAX + 1]


def test_an_event_that_cannot_be_stored_fails_alone(order, monkeypatch):
    record = order.recorder.record

    def fragile(source_id, events):
        if any(each.id == "e-2" for each in events):
            raise RuntimeError("poison")
        return record(source_id, events)

    monkeypatch.setattr(order.recorder, "record", fragile)
    good, bad, other = order.ingest._accept_together(
        [Batch(order.source_id, [event(n)]) for n in (1, 2, 3)]
    )
    assert [good[0].status, other[0].status] == ["created", "created"]
    assert isinstance(bad, RuntimeError)


def test_without_storage_every_caller_gets_the_error(order, monkeypatch):
    def away(source_id, events):
        raise StorageUnavailable()

    monkeypatch.setattr(order.recorder, "record", away)
    with pytest.raises(StorageUnavailable):
        order.ingest.accept(order.source_id, [event(1)])
