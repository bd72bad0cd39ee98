"""The threads with which every side begins: the same for all, computed from their numbers.

Thread n is the n-th newest. One thread in ten is closed, six wait for an answer (four of them
never had one), three are answered. Every fifth customer is a member.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import func, insert, select

from dashboard.db.accounts import sources
from dashboard.db.database import Database
from dashboard.db.models.threads import customers, events, threads
from dashboard.db.reports import progress
from scoring.facts import Facts, ThreadEvent, fold
from scoring.sorts import SORTS, scores

SLICE = 10_000
STEP_MS = 500
#: Time between two events of a conversation.
PAUSE_MS = 100
SOURCE = "bench"
_FACTS = (
    "first_event_at",
    "last_client_at",
    "last_admin_at",
    "closed_at",
    "reopened_at",
    "handoff_at",
    "first_request_at",
    "unanswered_since",
    "unanswered",
    "api_answered_at",
    "api_closed_at",
)
_KINDS = {"client": "message", "admin": "message", "close": "thread.close"}


@dataclass(frozen=True)
class Thread:
    """A thread for all sides; `facts` are those that Lineup folds from `events`."""

    number: int
    events: tuple[ThreadEvent, ...]
    facts: Facts

    @property
    def name(self) -> str:
        return f"t-{self.number}"


def is_open(number: int) -> bool:
    return number % 10 != 0


def is_member(number: int) -> bool:
    return number % 5 == 2


def locale(number: int) -> str | None:
    """Returns a customer's language; one in 10,000 writes Portuguese, one in 100 Japanese."""
    if number % 10_000 == 1:
        return "pt-BR"
    if number % 100 == 2:
        return "ja"
    return ("vi", "vi-VN", "en-GB", None)[number // 7 % 4]


def made(number: int, newest_ms: int) -> Thread:
    """Returns the thread with this number; number 1 is the newest."""
    last = newest_ms - number * STEP_MS
    kind = number % 10
    events: tuple[ThreadEvent, ...] = (ThreadEvent("client", last),)
    if kind in (0, 7, 8, 9):
        events += (ThreadEvent("admin", last + PAUSE_MS),)
    if kind in (5, 6):
        question = ThreadEvent("client", last - 2 * PAUSE_MS)
        events = (question, ThreadEvent("admin", last - PAUSE_MS), *events)
    if kind == 0:
        events += (ThreadEvent("close", last + 2 * PAUSE_MS),)
    status = number % 6 if is_member(number) else -1
    return Thread(number, events, fold(events)._replace(member_status=status))


def all_threads(count: int, newest_ms: int) -> Iterator[Thread]:
    return (made(number, newest_ms) for number in range(1, count + 1))


def fill(url: str, count: int, newest_ms: int) -> None:
    """Writes the threads into Lineup's empty database, as its own ingest would leave them.

    Bypasses ingest, which takes a quarter of an hour for a million; tests compare the two.
    """
    database = Database(url)
    with database.read() as connection:
        source_id = sources.named(connection, SOURCE)
    assert source_id is not None, "create the key first: it makes the source"
    for first in range(1, count + 1, SLICE):
        numbers = range(first, min(first + SLICE, count + 1))
        found = [made(number, newest_ms) for number in numbers]

        def write(connection: Any, found: list[Thread] = found) -> None:
            connection.execute(insert(customers), [_customer(each, source_id) for each in found])
            connection.execute(insert(threads), [_thread(each, source_id) for each in found])
            rows = [row for each in found for row in _events(each, source_id)]
            connection.execute(insert(events), rows)

        database.write(write)
    if not database.is_sqlite:
        database.write(go_on_behind)
    database.write(lambda connection: mark_counted(connection, newest_ms))
    database.close()


def mark_counted(connection: Any, now: int) -> None:
    """Marks all threads as counted for reports. Otherwise a server first counts for minutes."""
    event_id, act_id = progress.last_ids(connection)
    seen = {"event_id": event_id, "next_event_id": event_id, "act_id": act_id}
    seen |= {"next_act_id": act_id, "counted_until": now}
    progress.note(connection, swept_id=None, **seen)


def go_on_behind(connection: Any) -> None:
    """Advances PostgreSQL's sequences, which ignore given ids: it would assign them again."""
    for table in (customers, threads):
        sequence = func.pg_get_serial_sequence(table.name, "id")
        connection.execute(
            select(func.setval(sequence, select(func.max(table.c.id)).scalar_subquery()))
        )


def _customer(thread: Thread, source_id: int) -> dict[str, Any]:
    return {
        "id": thread.number,
        "source_id": source_id,
        "external_id": f"c-{thread.number}",
        "name": f"Customer {thread.number}",
        "member_status": thread.facts.member_status,
        "locale": locale(thread.number),
        "created_at": thread.facts.first_event_at,
    }


def _thread(thread: Thread, source_id: int) -> dict[str, Any]:
    facts = thread.facts
    row = {name: getattr(facts, name) for name in _FACTS}
    row |= {"id": thread.number, "source_id": source_id, "external_id": thread.name}
    row |= {"customer_id": thread.number, "created_at": facts.first_event_at}
    row |= {"revision": 1, "placed_revision": 1, "closed": facts.closed}
    row |= {"recent_at": facts.recent_at, "waiting_since": facts.waiting_since}
    row["last_role"] = thread.events[-2 if facts.closed else -1].kind
    row |= {"preview_role": "client", "preview_body": _body(thread), "preview_at": facts.recent_at}
    return row | {f"score_{sort}": score for sort, score in zip(SORTS, scores(facts), strict=True)}


def _events(thread: Thread, source_id: int) -> Iterator[dict[str, Any]]:
    for at, event in enumerate(thread.events):
        name = f"e-{thread.number}-{at}"
        is_message = event.kind != "close"
        yield {
            "source_id": source_id,
            "external_id": name,
            "fingerprint": hashlib.sha256(name.encode()).digest(),
            "type": _KINDS[event.kind],
            "thread_id": thread.number,
            "customer_id": thread.number,
            "occurred_at": event.ranked_at,
            "received_at": event.ranked_at,
            "ranked_at": event.ranked_at,
            "role": event.kind if is_message else None,
            "body": _body(thread) if is_message else None,
        }


def _body(thread: Thread) -> str:
    return f"Hello, this is customer {thread.number}; could somebody look at my order, please?"
