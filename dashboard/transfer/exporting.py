"""Writes all events as lines, on one snapshot, one thread after the other."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, Row, Select, or_, select

from dashboard.db import plain_postgres
from dashboard.db.accounts import admin_desks, sources
from dashboard.db.database import Database
from dashboard.db.models.accounts import admins
from dashboard.db.models.accounts import sources as sources_table
from dashboard.db.models.threads import customers, events, suggestions, threads
from dashboard.db.outbox.outgoing import timestamp
from dashboard.event_types import ADVICE, EDITS, RECEIPT
from dashboard.ingest.schema import NO_FINGERPRINT
from dashboard.transfer.lines import HEADER, written
from dashboard.transfer.models import OF_DASHBOARD

#: One statement reads the events of so many threads, or so many events without a thread.
SLICE = 500
#: Number of rows held at a time.
ROWS = 1_000

_EVENTS: Select[Any] = select(events, customers.c.external_id.label("customer")).join_from(
    events, customers, customers.c.id == events.c.customer_id, isouter=True
)

Line = dict[str, object]


class Exporter:
    """Reads a database at head, on one snapshot; others can write meanwhile."""

    def __init__(self, database: Database):
        self._database = database

    def lines(self) -> Iterator[bytes]:
        """Yields the lines of the export with their ends. Raises StartError, StorageUnavailable."""
        with self._snapshot() as connection:
            for line in _Snapshot(connection).lines():
                yield written(line)

    def _snapshot(self) -> AbstractContextManager[Connection]:
        if self._database.is_sqlite:
            return self._database.read()
        return plain_postgres.transaction(self._database.url, "REPEATABLE READ")


class _Snapshot:
    def __init__(self, connection: Connection):
        self._connection = connection
        named = select(sources_table.c.id, sources_table.c.name)
        self._sources = {row.id: row.name for row in connection.execute(named)}
        emails = select(admins.c.id, admins.c.email)
        self._emails = {row.id: row.email for row in connection.execute(emails)}
        self._dashboard = sources.named(connection, sources.DASHBOARD)

    def lines(self) -> Iterator[Line]:
        yield dict(HEADER)
        for name in sorted(admin_desks.names(self._connection)):
            yield {"desk": name}
        yield from self._source_lines()
        yield from self._admin_lines()
        yield from self._thread_lines()
        yield from self._other_lines()
        yield from self._note_lines()
        yield from self._outcome_lines()

    def _source_lines(self) -> Iterator[Line]:
        chatbots = sources_table.c.name != sources.DASHBOARD
        # Not in SQL: databases differ in the order of texts.
        rows = self._connection.execute(select(sources_table).where(chatbots))
        for row in sorted(rows, key=lambda row: row.name):
            yield {"source": row.name, "desk": row.desk, "handoff_only": row.handoff_only}

    def _admin_lines(self) -> Iterator[Line]:
        acts = events.c.author_id.is_not(None), events.c.source_id == self._dashboard
        authors = select(events.c.author_id).where(*acts).distinct()
        noted = select(customers.c.note_by_id).distinct()
        decided = select(suggestions.c.decided_by_id).distinct()
        wrote = or_(*(admins.c.id.in_(ids) for ids in (authors, noted, decided)))
        query = select(admins.c.email, admins.c.name).where(wrote)
        for row in sorted(self._connection.execute(query), key=lambda row: row.email):
            yield {"admin": row.email, "name": row.name}

    def _thread_lines(self) -> Iterator[Line]:
        after = 0
        while True:
            some = select(threads).where(threads.c.id > after).order_by(threads.c.id).limit(SLICE)
            by_id = {row.id: row for row in self._connection.execute(some)}
            if not by_id:
                return
            last = max(by_id)
            own = _EVENTS.where(events.c.thread_id > after, events.c.thread_id <= last)
            rows = self._rows(own.order_by(events.c.thread_id, events.c.id))
            for thread_id, of_thread in groupby(rows, lambda row: row.thread_id):
                thread = by_id[thread_id]
                yield self._thread_line(thread)
                yield from self._event_lines(thread, of_thread)
            after = last

    def _thread_line(self, thread: Row[Any]) -> Line:
        line: Line = {"thread": thread.external_id, "source": self._sources[thread.source_id]}
        line["desk"] = thread.desk
        stamp = thread.stamps.get("desk")
        if stamp is not None:
            line["desk_set"] = {"at": timestamp(stamp[0]), "by": stamp[1]}
        return line

    def _event_lines(self, thread: Row[Any], rows: Iterator[Row[Any]]) -> Iterator[Line]:
        ids: list[int] = []
        names: list[str] = []
        source = {"source": self._sources[thread.source_id]}
        for row in rows:
            received = {"received_at": timestamp(row.received_at)} | source
            if self._is_act(row):
                # Events stored in between change nothing: only those that were seen count.
                seen = bisect_right(ids, row.seen_id or 0)
                undone = bisect_right(ids, row.undoes_id or 0)
                yield {
                    "event": _event(row, thread.external_id),
                    **received,
                    "author": self._emails[row.author_id],
                    **({"seen": names[seen - 1]} if seen else {}),
                    **({"undoes": names[undone - 1]} if undone else {}),
                }
            elif row.type in EDITS and bytes(row.fingerprint) == NO_FINGERPRINT:
                # Nothing is left of it: its message is empty.
                continue
            elif bytes(row.fingerprint) == NO_FINGERPRINT:
                yield {"erased": _left_of(row, thread.external_id), **received}
            else:
                event, more = _event(row, thread.external_id), dict[str, object]()
                member = ADVICE.get(row.type, "")
                if isinstance(number := event.get(member), int):
                    # The message has another number in another database.
                    del event[member]
                    more["message"] = names[bisect_left(ids, number)]
                yield {"event": event, **received, **more}
            ids.append(row.id)
            names.append(self._reference(row))

    def _other_lines(self) -> Iterator[Line]:
        """Yields facts of customers, and receipts; erased events have no content any more."""
        rows = self._rows(_EVENTS.where(events.c.thread_id.is_(None)).order_by(events.c.id))
        some: list[Row[Any]] = []
        for row in rows:
            if row.type == RECEIPT.name or row.customer is not None:
                some.append(row)
            if len(some) == SLICE:
                yield from self._lines_of(some)
                some = []
        yield from self._lines_of(some)

    def _lines_of(self, rows: list[Row[Any]]) -> Iterator[Line]:
        ids = {row.data["message_id"] for row in rows if row.type == RECEIPT.name}
        query = select(events).where(events.c.id.in_(ids), events.c.thread_id.is_not(None))
        # Only these messages are sent out: an import refuses receipts of other messages.
        acts = filter(self._is_act, self._connection.execute(query))
        messages = {row.id: self._reference(row) for row in acts}
        for row in rows:
            received = {"received_at": timestamp(row.received_at)}
            received["source"] = self._sources[row.source_id]
            if row.type != RECEIPT.name:
                yield {"event": _event(row, None), **received}
            elif row.data["message_id"] in messages:
                message = messages[row.data["message_id"]]
                yield {"event": _event(row, None), **received, "message": message}

    def _note_lines(self) -> Iterator[Line]:
        rows = self._connection.execute(select(customers).where(customers.c.note.is_not(None)))
        for row in sorted(rows, key=lambda row: (self._sources[row.source_id], row.external_id)):
            yield {
                "note": row.note,
                "customer": row.external_id,
                "source": self._sources[row.source_id],
                "author": self._emails[row.note_by_id],
                "at": timestamp(row.note_at),
            }

    def _outcome_lines(self) -> Iterator[Line]:
        """Yields the outcomes of suggestions."""
        reply = events.alias("reply")
        query = (
            select(
                suggestions,
                events.c.external_id.label("name"),
                events.c.source_id,
                reply.c.external_id.label("reply"),
            )
            .join_from(suggestions, events, events.c.id == suggestions.c.event_id)
            .join(reply, reply.c.id == suggestions.c.reply_id, isouter=True)
            .where(suggestions.c.outcome.is_not(None))
            .order_by(suggestions.c.thread_id, suggestions.c.event_id)
        )
        for row in self._rows(query):
            line: Line = {"outcome": row.outcome, "suggestion": row.name}
            line |= {"source": self._sources[row.source_id], "at": timestamp(row.decided_at)}
            line |= {} if row.reason is None else {"reason": row.reason}
            by = row.decided_by_id
            line |= {} if by is None else {"author": self._emails[by]}
            yield line | ({} if row.reply is None else {"reply": OF_DASHBOARD + row.reply})

    def _is_act(self, row: Row[Any]) -> bool:
        """Whether an admin made the event, and not a chatbot: in the demo, answers of the chatbot
        have admins as authors."""
        return row.author_id is not None and row.source_id == self._dashboard

    def _reference(self, row: Row[Any]) -> str:
        return f"{OF_DASHBOARD if self._is_act(row) else ''}{row.external_id}"

    def _rows(self, statement: Select[Any]) -> Iterator[Row[Any]]:
        """Yields rows, which are read as they are used."""
        options = {"stream_results": True, "yield_per": ROWS}
        yield from self._connection.execute(statement, execution_options=options)


def _head(row: Row[Any], thread: str | None) -> Line:
    head = {"id": row.external_id, "type": row.type, "occurred_at": timestamp(row.occurred_at)}
    return head if thread is None else head | {"thread": thread}


def _left_of(row: Row[Any], thread: str) -> Line:
    return _head(row, thread) | {"role": row.role} | ({"private": True} if row.private else {})


def _event(row: Row[Any], thread: str | None) -> Line:
    """Returns the event as the bot API takes it; without a customer if an admin made it."""
    event, data = _head(row, thread), dict(row.data or {})
    is_of_chatbot = row.customer is not None and row.type not in EDITS
    if is_of_chatbot:
        event["customer"] = {"id": row.customer, **_sorted(data.pop("customer", {}))}
    if row.body is not None:
        if is_of_chatbot:
            event["role"] = row.role
        event["body"] = row.body
        if row.private:
            event["private"] = True
        if row.attachments:
            event["attachments"] = [_attachment(entry) for entry in row.attachments]
    data.pop("message_id", None)
    return event | _sorted(data)


def _attachment(entry: Mapping[str, Any]) -> Line:
    return {name: entry[name] for name in ("url", "type", "name") if entry.get(name) is not None}


def _sorted(values: Mapping[str, Any]) -> Line:
    """Sorts the members: JSON objects in a database may have another order."""
    return {
        name: _sorted(value) if isinstance(value, dict) else value
        for name, value in sorted(values.items())
    }
