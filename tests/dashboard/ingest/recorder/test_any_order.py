"""A set of events gives the same threads in any order, batches and repetitions."""

from itertools import count
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from dashboard.db import placing
from dashboard.db.accounts import admin_desks, sources
from dashboard.db.conditions import subjects
from dashboard.db.database import Database
from dashboard.db.models.threads import threads as thread_table
from dashboard.db.threads import events as stored_events
from dashboard.db.threads import threads
from dashboard.ingest.schema import parse
from scoring.facts import fold
from scoring.sorts import SORTS
from tests.dashboard.ingest.recorder.oracle import expected
from tests.dashboard.ingest.shop import START_MS, Shop, timestamp
from tests.drivers.ranking import entered, left
from tests.support import SettableClock, examples

_shops = count(1)
TIMES = st.integers(0, 6)
THREADS = st.sampled_from(["t-1", "t-2"])


def _customer() -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {"id": st.sampled_from(["c-1", "c-2"])},
        optional={
            "name": st.sampled_from(["Mai", "Ken"]),
            "member_status": st.integers(-1, 5),
        },
    )


def _events() -> st.SearchStrategy[dict[str, Any]]:
    message = st.fixed_dictionaries(
        {
            "type": st.just("message"),
            "thread": THREADS,
            "customer": _customer(),
            "role": st.sampled_from(["client", "client", "admin", "bot", "system"]),
            "body": st.sampled_from(["a", "b"]),
            "private": st.booleans(),
            "attachments": st.sampled_from([[], [], [{"url": "https://x.example/a.png"}]]),
        }
    )
    turn = st.fixed_dictionaries(
        {
            "type": st.sampled_from(["thread.close", "thread.reopen", "thread.handoff"]),
            "thread": THREADS,
        }
    )
    handoff = st.fixed_dictionaries(
        {
            "type": st.just("thread.handoff"),
            "thread": THREADS,
            "desk": st.sampled_from(["main", "sales"]),
        }
    )
    priority = st.fixed_dictionaries(
        {
            "type": st.just("thread.priority"),
            "thread": THREADS,
            "priority": st.sampled_from(["urgent", "high", "normal", "low"]),
        }
    )
    tags = _tags()
    untagged = tags.map(lambda event: event | {"add": event["remove"], "remove": event["add"]})
    customer = st.fixed_dictionaries({"type": st.just("customer"), "customer": _customer()})
    return st.one_of(message, message, turn, turn, handoff, priority, tags, untagged, customer)


def _tags() -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {
            "type": st.just("thread.tags"),
            "thread": THREADS,
            "add": st.sampled_from([["a"], ["a", "b"]]),
            "remove": st.sampled_from([[], ["c"]]),
        }
    )


@st.composite
def batched_events(draw: st.DrawFn):
    """A set of events, and a way to deliver it: a list of batches with every event in them."""
    chosen = draw(st.lists(st.tuples(_events(), TIMES), min_size=1, max_size=14))
    ids = draw(st.permutations([f"e{number}" for number in range(len(chosen))]))
    events = [
        event | {"id": id, "at": START_MS + at} for (event, at), id in zip(chosen, ids, strict=True)
    ]
    again = draw(st.lists(st.sampled_from(events), max_size=5))
    shuffled = draw(st.permutations(events + again))
    batches: list[list[dict[str, Any]]] = [[]]
    for event in shuffled:
        if batches[-1] and draw(st.booleans()):
            batches.append([])
        batches[-1].append(event)
    return events, batches


def _parsed(event: dict[str, Any]):
    posted = {name: value for name, value in event.items() if name != "at"}
    return parse(posted | {"occurred_at": timestamp(event["at"])})


@given(batched_events(), st.booleans())
@settings(max_examples=examples(120))
def test_any_order_of_a_set_of_events_gives_the_expected_threads(database, drawn, handoff_only):
    _send_and_check(database, *drawn, handoff_only)


@pytest.mark.postgres
@given(batched_events(), st.booleans())
@settings(max_examples=examples(40))
def test_on_postgres_too(postgres_database, drawn, handoff_only):
    _send_and_check(postgres_database, *drawn, handoff_only)


def _send_and_check(database: Database, events, batches, handoff_only: bool) -> None:
    shop = Shop(database, SettableClock(), f"shop-{next(_shops)}")
    database.write(lambda connection: admin_desks.add(connection, "sales", START_MS))
    if handoff_only:
        database.write(lambda connection: sources.set_handoff_only(connection, shop.source_id))
    for batch in batches:
        shop.send(*map(_parsed, batch))
    for name in {event["thread"] for event in events if "thread" in event}:
        wanted = expected(events, name, handoff_only)
        assert _found(shop, name) == wanted
        _check_fold(shop, name, handoff_only)
    _check_refold_changes_nothing(shop)


def _found(shop: Shop, name: str) -> dict[str, Any]:
    row = shop.row(name)
    customer, preview = row["customer"], row["preview"]
    wanted = ("open", "waiting_since", "recent_at", "answered", "unanswered", "priority")
    wanted += ("tags", "desk")
    with shop.database.read() as connection:
        placement = placing.of(connection, [row["id"]], 0)[0]
        subject = subjects(connection, [row["id"]])[row["id"]]
    return {key: row[key] for key in wanted} | {
        "customer": customer
        and (
            customer["id"].removeprefix(f"{shop.name}/"),
            customer["name"],
            customer["member_status"],
        ),
        "preview": preview and (preview["role"], preview["body"], preview["at"]),
        "has_file": subject.has_file,
        "scores": list(next(iter(placement.lists.values()))),
    }


def _check_fold(shop: Shop, name: str, handoff_only: bool) -> None:
    """The facts kept step by step equal a fold of all stored events."""
    with shop.database.read() as connection:
        id = threads.id_of(connection, shop.source_id, name)
        assert id is not None
        facts = fold(stored_events.folded(connection, [id])[id], handoff_only=handoff_only)
        kept = connection.execute(select(thread_table).where(thread_table.c.id == id)).one()
    for fact in ("first_event_at", "last_client_at", "last_admin_at", "closed_at", "reopened_at"):
        assert getattr(facts, fact) == getattr(kept, fact), fact
    for fact in ("handoff_at", "first_request_at", "unanswered_since", "unanswered", "closed"):
        assert getattr(facts, fact) == getattr(kept, fact), fact


def _check_refold_changes_nothing(shop: Shop) -> None:
    assert [place for slice in shop.recorder.refold(shop.source_id) for place in slice] == []


@given(batched_events())
@settings(max_examples=examples(60))
def test_lists_built_from_placements_alone_equal_those_of_sql(database, drawn):
    """The placements contain every change of the lists."""
    shop = Shop(database, SettableClock(), f"shop-{next(_shops)}")
    lists: dict[str, dict[int, tuple[int, ...]]] = {}
    for batch in drawn[1]:
        for place in shop.send(*map(_parsed, batch)).placements:
            for list_id in left(place):
                lists.get(list_id, {}).pop(place.thread_id, None)
            for list_id in entered(place):
                lists.setdefault(list_id, {})[place.thread_id] = place.lists[list_id]
    known = {id for held in lists.values() for id in held}
    with database.read() as connection:
        for view in ("arrival", "not_respond", "history"):
            for position, sort in enumerate(SORTS):
                found = threads.listed(connection, view, "all", None, sort, 100_000)
                listed = [(score, id) for id, score in found if id in known]
                held = lists.get(view, {}).items()
                assert listed == sorted((scores[position], id) for id, scores in held)
