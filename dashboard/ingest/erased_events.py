"""Finds events of people who were erased after the events occurred: retries of chatbots."""

from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import Connection

from dashboard.db.threads import erasures
from dashboard.db.threads.erasures import Kind
from dashboard.db.threads.thread_state import ThreadState
from dashboard.ingest.schema import ParsedEvent


class ErasedEvents(Exception):
    """Ends the transaction that has added the people again; the write is repeated without."""

    def __init__(self, ids: set[str]):
        super().__init__(ids)
        self.ids = ids


def require_none(
    connection: Connection,
    source_id: int,
    events: Iterable[ParsedEvent],
    customers: Mapping[str, Mapping[str, Any]],
    threads: Mapping[str, ThreadState],
) -> None:
    """Raises ErasedEvents. Costs a query only for customers and threads that are newer than an
    event of theirs: those that this transaction adds, and rarely others.
    """
    suspects: list[tuple[Kind, str, ParsedEvent]] = []
    for event in events:
        if event.customer is not None and (
            customers[event.customer]["created_at"] >= event.occurred_at
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
