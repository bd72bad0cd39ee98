"""Erases a customer: all stored data of the person."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, delete, select, update

from dashboard.db import audit, erasures, files
from dashboard.db.audit import Actor, Target, add
from dashboard.db.database import Database
from dashboard.db.erasures import Kind
from dashboard.db.history import states as history
from dashboard.db.lists import query_lists
from dashboard.db.models.accounts import sources
from dashboard.db.models.threads import customers, events, threads
from dashboard.db.reports import facts
from dashboard.db.search import search_index
from dashboard.db.threads import suggestions, thread_states
from dashboard.db.threads.customers import Customer
from dashboard.db.threads.thread_states import ThreadState
from dashboard.event_types import ADVICE
from dashboard.ingest.saving import save
from dashboard.ingest.schema import NO_FINGERPRINT, ParsedEvent
from dashboard.ordering.placer import Placer
from scoring.placing import Placement
from scoring.views import VIEWS

#: Threads that one statement locks: it has a parameter for each.
LOCKED_AT_ONCE = 1_000


class ErasedEvents(Exception):
    """Ends the transaction that has added erased people again; the write is repeated."""

    def __init__(self, ids: set[str]):
        super().__init__(ids)
        self.ids = ids


def require_none(
    connection: Connection,
    source_id: int,
    events: Iterable[ParsedEvent],
    customers: Mapping[str, Customer],
    threads: Mapping[str, ThreadState],
) -> None:
    """Raises ErasedEvents for events of erased people. Costs a query only for customers that
    are newer than one of their events, and for threads that this transaction adds."""
    suspects: list[tuple[Kind, str, ParsedEvent]] = []
    for event in events:
        if event.customer is not None and (
            customers[event.customer].created_at >= event.occurred_at
        ):
            suspects.append(("customer", event.customer, event))
        if event.thread is not None and threads[event.thread].revision == 0:
            suspects.append(("thread", event.thread, event))
    names = {(kind, name) for kind, name, _ in suspects}
    erased_at = erasures.among(connection, source_id, names)
    ids = {
        event.id
        for kind, name, event in suspects
        if event.occurred_at <= erased_at.get((kind, name), -1)
    }
    if ids:
        raise ErasedEvents(ids)


_EMPTY: dict[str, object] = {"body": None, "attachments": None, "data": None, "edit_id": None}
_EMPTY |= {"fingerprint": NO_FINGERPRINT}


class Erased(NamedTuple):
    """The ids of the deleted threads, the number of events, and the ids of files with contents to
    remove."""

    thread_ids: Sequence[int]
    events: int
    file_ids: Sequence[str]


def erase_customer(
    database: Database, placer: Placer, actor: Actor, source: str, customer: str, now_ms: int
) -> Erased | None:
    """Deletes a source's customer with all threads and their contents; None if unknown.

    The threads leave the lists in Redis, or the reconciler removes them. Events that occurred until
    `now_ms` and come later are refused. Traces stay in the files of the database. Raises
    StorageUnavailable, with nothing deleted.
    """

    def write(connection: Connection) -> tuple[Erased, list[Placement]] | None:
        erasures.take_time(connection)
        ids = _locked(connection, source, customer)
        if ids is None:
            return None
        erased, placements = _erase(connection, *ids, customer, now_ms)
        # The number of the deleted row does not reveal the person.
        details = {"source": source, "threads": len(erased.thread_ids), "events": erased.events}
        add(connection, now_ms, actor, audit.CUSTOMER_DELETED, Target(ids[1]), details)
        return erased, placements

    result = database.write(write)
    if result is None:
        return None
    erased, placements = result
    placer.place(placements)
    return erased


def _locked(connection: Connection, source: str, customer: str) -> tuple[int, int] | None:
    """Returns the ids of source and customer, locked after concurrent writes to them have ended."""
    row = connection.execute(
        select(customers.c.source_id, customers.c.id)
        .join(sources, sources.c.id == customers.c.source_id)
        .where(sources.c.name == source, customers.c.external_id == customer)
        .with_for_update(of=customers)
    ).first()
    return None if row is None else (row[0], row[1])


def _erase(
    connection: Connection, source_id: int, customer_id: int, customer: str, now_ms: int
) -> tuple[Erased, list[Placement]]:
    of_customer = threads.c.customer_id == customer_id
    rows = connection.execute(
        select(threads.c.id, threads.c.external_id, threads.c.revision)
        .where(of_customer)
        .order_by(threads.c.id)
        .with_for_update()
    ).all()
    names: list[tuple[erasures.Kind, str]] = [("thread", row.external_id) for row in rows]
    erasures.remember(connection, source_id, [("customer", customer), *names], now_ms)
    their_threads = select(threads.c.id).where(of_customer)
    in_their_threads = events.c.thread_id.in_(their_threads)
    written_by_them = events.c.customer_id == customer_id
    _remove_from_index(connection, in_their_threads | written_by_them, customer_id)
    emptied = connection.execute(
        update(events)
        .where(in_their_threads)
        .values(_EMPTY | {"thread_id": None, "customer_id": None})
    )
    _remove_advice_about(connection, written_by_them)
    others = _without_their_previews(connection, written_by_them)
    # Threads that belong to another customer now keep the events, with their times, because their
    # scores were computed from them; the contents are erased.
    elsewhere = connection.execute(
        update(events).where(written_by_them).values(_EMPTY | {"body": "", "customer_id": None})
    )
    file_ids = files.of_threads(connection, their_threads)
    history.remove(connection, their_threads)
    # The rows of files are deleted with their threads.
    connection.execute(delete(threads).where(of_customer))
    connection.execute(delete(customers).where(customers.c.id == customer_id))
    # Last, because a change of lists waits from here on, and with it all events.
    off = dict.fromkeys([*VIEWS, *query_lists.current(connection, for_writing=True).lists])
    placements = [Placement(row.id, row.revision + 1, off) for row in rows]
    placements += save(connection, others, now_ms)
    ids = [row.id for row in rows]
    return Erased(ids, emptied.rowcount + elsewhere.rowcount, file_ids), placements


def _remove_from_index(
    connection: Connection, messages: ColumnElement[bool], customer_id: int
) -> None:
    ids = connection.scalars(select(events.c.id).where(messages))
    search_index.remove_messages(connection, ids)
    search_index.remove_customers(connection, [customer_id])


def _remove_advice_about(connection: Connection, written_by_them: ColumnElement[bool]) -> None:
    """Deletes the suggestions and summaries of others' threads that have messages of the person:
    they may quote them."""
    theirs = select(events.c.thread_id).where(written_by_them, events.c.thread_id.is_not(None))
    suggestions.remove(connection, theirs)
    facts.remove_outcomes(connection, theirs)
    connection.execute(
        update(events)
        .where(events.c.thread_id.in_(theirs), events.c.type.in_(ADVICE))
        .values(_EMPTY | {"thread_id": None})
    )


def _without_their_previews(
    connection: Connection, written_by_them: ColumnElement[bool]
) -> list[ThreadState]:
    """Returns others' threads that show a message of the person, locked, with empty previews."""
    showing = select(threads.c.id).where(
        threads.c.preview_event_id.in_(select(events.c.id).where(written_by_them))
    )
    ids = connection.scalars(showing.order_by(threads.c.id)).all()
    states: list[ThreadState] = []
    for at in range(0, len(ids), LOCKED_AT_ONCE):
        states += thread_states.locked_by_id(connection, ids[at : at + LOCKED_AT_ONCE])
    for state in states:
        state.columns.preview_body = ""
    return states
