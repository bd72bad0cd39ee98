"""Ids of events: each event is stored once, and an id belongs to one event."""

import pytest

from dashboard.db.models.threads import customers, events
from dashboard.db.models.threads import threads as thread_table
from tests.dashboard.ingest.shop import Shop, message, thread_event


def test_a_repeated_event_is_a_duplicate(shop):
    """It changes nothing. (case F2)"""
    first = shop.says(0, id="m-1")
    again = shop.send(message(0, id="m-1"))
    assert again.outcomes == [first._replace(status="duplicate")]
    assert again.placements == []
    assert shop.row()["rev"] == 1


@pytest.mark.parametrize(
    "other",
    [
        {"body": "else"},
        {"role": "bot"},
        {"thread": "t-2"},
        {"customer": "c-2"},
        {"fields": {"name": None}},
        {"attachments": [{"url": "https://x.example/a"}]},
    ],
    ids=lambda given: next(iter(given)),
)
def test_another_event_with_a_known_id_is_rejected(shop, other):
    shop.says(0, id="m-1")
    outcome = shop.says(**{"at": 0, "id": "m-1"} | other)
    assert outcome.status == "rejected"
    assert (outcome.problem.status, outcome.problem.code) == (409, "event_id_conflict")
    assert shop.count(thread_table) == shop.count(customers) == shop.count(events) == 1


def test_default_values_do_not_make_another_event(shop):
    shop.says(0, id="m-1")
    outcome = shop.says(0, id="m-1", private=True, attachments=[])
    assert outcome.status == "duplicate"


def test_ids_are_unique_within_a_source(shop, clock):
    other = Shop(shop.database, clock, "other")
    assert shop.says(0, id="m-1").status == other.says(0, "else", id="m-1").status == "created"
    assert shop.row()["id"] != other.row()["id"]
    assert other.row()["customer"]["id"] == "other/c"


def test_ids_are_case_sensitive(shop):
    shop.send(message(0, id="m", thread="T"), message(0, id="M", thread="t"))
    assert shop.count(thread_table) == 2


def test_within_a_batch_the_first_event_of_an_id_counts(shop):
    recorded = shop.send(
        message(0, id="m-1"), message(0, id="m-1"), message(0, "else", id="m-1"), message(1)
    )
    statuses = [outcome.status for outcome in recorded.outcomes]
    assert statuses == ["created", "duplicate", "rejected", "created"]
    assert recorded.outcomes[0].thread_id == recorded.outcomes[1].thread_id == shop.row()["id"]
    assert shop.count(events) == 2


def test_one_event_object_twice_in_a_batch_is_stored_once(shop):
    event = message(0)
    statuses = [outcome.status for outcome in shop.send(event, event).outcomes]
    assert statuses == ["created", "duplicate"]


def test_a_receipt_for_an_unknown_message_is_rejected(shop):
    shop.says(0)
    recorded = shop.send(thread_receipt(shop.conversation()[0]["id"]), thread_receipt(999))
    assert [outcome.problem.code for outcome in recorded.outcomes] == ["unknown_value"] * 2
    assert recorded.outcomes[0].problem.errors[0].pointer == "/message_id"


def thread_receipt(message_id: int):
    return thread_event("receipt", 1, thread=None, message_id=message_id, state="read")
