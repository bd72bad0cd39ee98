"""The outbox: events about actions of admins, for chatbots, in the order of their commits.

Row ids are not in the order of commits: a slow transaction commits a smaller id after larger ones
were read, and a reader by id would skip it. So an event is written without a position, in the
transaction that it describes. After the commit the next reader or dispatcher assigns positions,
holding the lock of one row, so that it sees everything committed before. A cursor is a position.
"""

import uuid
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    bindparam,
    delete,
    exists,
    func,
    insert,
    select,
    text,
    update,
)

from dashboard.db.driver import insert_missing
from dashboard.db.models.threads import threads
from dashboard.db.models.webhooks import (
    deliveries,
    outgoing_events,
    outgoing_head,
    outgoing_readers,
    webhooks,
)
from dashboard.db.outbox import sent_messages
from dashboard.event_types import NAMED_TYPES
from dashboard.validation.strict_json import JsonObject

EVENTS: Select[Any] = select(
    outgoing_events.c.name,
    outgoing_events.c.type,
    outgoing_events.c.occurred_at,
    outgoing_events.c.seq,
    threads.c.external_id,
    outgoing_events.c.data,
).join_from(outgoing_events, threads, threads.c.id == outgoing_events.c.thread_id, isouter=True)
#: Names what is delivered in order: a thread, a customer's presence, or the team's.
ORDER_ID = func.coalesce(outgoing_events.c.thread_id, -outgoing_events.c.customer_id, 0)
_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)


class Outgoing(NamedTuple):
    """A stored event; `occurred_at` in milliseconds, `thread` is the source's id of it.

    Presence has no thread.
    """

    name: str
    type: str
    occurred_at: int
    seq: int
    thread: str | None
    data: JsonObject

    def document(self) -> JsonObject:
        """Returns the JSON document of the event; the same at each call."""
        return {
            "id": self.name,
            "type": self.type,
            "occurred_at": timestamp(self.occurred_at),
            "seq": self.seq,
            **({} if self.thread is None else {"thread": self.thread}),
            "data": self.data,
        }


def timestamp(ms: int) -> str:
    """Formats a time as RFC 3339, to the millisecond."""
    moment = _BEGINNING + timedelta(milliseconds=ms)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


class PositionedEvent(NamedTuple):
    """An outgoing event and its position in the outbox; `thread_id` see `ORDER_ID`."""

    position: int
    id: int
    source_id: int
    thread_id: int
    type: str


def fan_out(connection: Connection, events: Sequence[PositionedEvent], now_ms: int) -> None:
    """Adds a delivery for each event and each enabled webhook of its source that wants its type."""
    by_source = _webhooks(connection, {event.source_id for event in events})
    rows = [
        delivery(webhook_id, event, now_ms)
        for event in events
        for webhook_id, types in by_source.get(event.source_id, ())
        if is_wanted(event.type, types)
    ]
    if rows:
        insert_missing(connection, deliveries, rows)


def is_wanted(type: str, types: Collection[str] | None) -> bool:
    """Whether a webhook for these types, None: for all, gets events of this type."""
    return type not in NAMED_TYPES if types is None else type in types


def are_wanted(types: Collection[str] | None) -> ColumnElement[bool]:
    """Selects the events that `is_wanted`."""
    its = outgoing_events.c.type
    return its.not_in(NAMED_TYPES) if types is None else its.in_(types)


def delivery(webhook_id: int, event: PositionedEvent, now_ms: int) -> dict[str, object]:
    """Returns a row of the table `deliveries` that is due at once."""
    return {
        "webhook_id": webhook_id,
        "event_id": event.id,
        "thread_id": event.thread_id,
        "position": event.position,
        "state": "pending",
        "attempts": 0,
        "next_at": now_ms,
    }


def _webhooks(
    connection: Connection, source_ids: Collection[int]
) -> dict[int, list[tuple[int, list[str] | None]]]:
    """Maps source ids to their enabled webhooks: (id, wanted types; None for all)."""
    by_source: dict[int, list[tuple[int, list[str] | None]]] = {}
    rows = connection.execute(
        select(webhooks.c.source_id, webhooks.c.id, webhooks.c.events)
        .where(webhooks.c.source_id.in_(source_ids), webhooks.c.disabled_at.is_(None))
        .order_by(webhooks.c.id)
    )
    for source_id, id, types in rows:
        by_source.setdefault(source_id, []).append((id, types))
    return by_source


#: Events are kept for 30 days, presence for one: it can be asked for.
KEPT_MS = 30 * 24 * 3600 * 1000
PRESENCE_KEPT_MS = 24 * 3600 * 1000
#: Events that get positions, or are deleted, in one transaction.
SLICE = 1_000

_NEXT_SEQ = text(
    "INSERT INTO outgoing_threads (thread_id, seq) VALUES (:thread, 1) "
    "ON CONFLICT (thread_id) DO UPDATE SET seq = outgoing_threads.seq + 1 RETURNING seq"
)
_HEAD = select(outgoing_head.c.position).where(outgoing_head.c.id == 1)
_HAS_NO_POSITION = outgoing_events.c.position.is_(None)
_SET_POSITION = (
    update(outgoing_events)
    .where(outgoing_events.c.id == bindparam("event"))
    .values(position=bindparam("new_position"))
)
#: PostgreSQL ends the session of a process that freezes with the lock, for which all others wait.
_IDLE_TIMEOUT = text("SET LOCAL idle_in_transaction_session_timeout = '4s'")


def add(
    connection: Connection,
    source_id: int,
    thread_id: int,
    type: str,
    now_ms: int,
    data: Mapping[str, Any],
    message_id: int | None = None,
) -> None:
    """Writes an event. The caller holds the lock of the thread, so that `seq` has no gap."""
    seq = connection.execute(_NEXT_SEQ, {"thread": thread_id}).scalar_one()
    of = {"thread_id": thread_id, "message_id": message_id, "seq": seq, "occurred_at": now_ms}
    _insert(connection, source_id, type, data, **of)


def add_presence(
    connection: Connection,
    source_id: int,
    customer_id: int | None,
    type: str,
    now_ms: int,
    data: Mapping[str, Any],
) -> None:
    """Writes an event about a customer, None: the team, at a time after that of the one before."""
    of = {"customer_id": customer_id, "seq": now_ms, "occurred_at": now_ms}
    _insert(connection, source_id, type, data, **of)


def _insert(
    connection: Connection, source_id: int, type: str, data: Mapping[str, Any], **of: int | None
) -> None:
    name = f"evt_{uuid.uuid4().hex}"
    row = {"name": name, "source_id": source_id, "type": type, "data": data, **of}
    connection.execute(insert(outgoing_events).values(row))


def needs_positions(connection: Connection) -> bool:
    """Whether there are committed events without a position."""
    return bool(connection.scalar(select(exists().where(_HAS_NO_POSITION))))


def assign_positions(connection: Connection, now_ms: int) -> int:
    """Assigns positions to committed events and creates their deliveries; returns their number.

    It handles up to `SLICE` events: call it until it returns 0. Raises StorageUnavailable if
    another transaction holds the lock for too long.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(_IDLE_TIMEOUT)
    position = connection.execute(_HEAD.with_for_update()).scalar_one()
    # A separate statement: on PostgreSQL it sees everything committed before the lock was taken.
    rows = connection.execute(
        select(outgoing_events.c.id, outgoing_events.c.source_id, ORDER_ID, outgoing_events.c.type)
        .where(_HAS_NO_POSITION)
        .order_by(outgoing_events.c.id)
        .limit(SLICE)
    ).all()
    if not rows:
        return 0
    events = [PositionedEvent(position + at, *row) for at, row in enumerate(rows, 1)]
    connection.execute(
        _SET_POSITION, [{"event": event.id, "new_position": event.position} for event in events]
    )
    connection.execute(update(outgoing_head).values(position=position + len(rows)))
    fan_out(connection, events, now_ms)
    return len(rows)


def after(
    connection: Connection, source_id: int, position: int, limit: int, include: Iterable[str] = ()
) -> tuple[list[Outgoing], int]:
    """Returns up to `limit` events of a source after a position, and the position of the last.

    Presence only of the types in `include`; the position is behind what is left out.
    """
    # Read first: on PostgreSQL each statement sees more events, and none may be behind the cursor
    # that was not read.
    assigned = head(connection)
    own = outgoing_events.c.source_id == source_id
    left_out = NAMED_TYPES.difference(include)
    rows = connection.execute(
        EVENTS.add_columns(outgoing_events.c.position)
        .where(own, outgoing_events.c.position > position)
        .where(outgoing_events.c.type.not_in(left_out))
        .order_by(outgoing_events.c.position)
        .limit(limit)
    ).all()
    last = rows[-1][-1] if rows else position
    if len(rows) < limit:
        newest = select(func.max(outgoing_events.c.position)).where(
            own, outgoing_events.c.position <= assigned
        )
        last = max(last, connection.scalar(newest) or 0)
    return [Outgoing(*row[:-1]) for row in rows], last


def head(connection: Connection) -> int:
    """Returns the last assigned position; 0 before the first."""
    return connection.execute(_HEAD).scalar_one()


def read_to(connection: Connection, source_id: int) -> int:
    """Returns the position up to which a source has read; 0 before its first read."""
    return connection.scalar(_read_to(source_id)) or 0


def save_read_position(connection: Connection, source_id: int, position: int, now_ms: int) -> None:
    """Saves that a source read with this cursor: it has received every event up to it."""
    insert_missing(connection, outgoing_readers, [{"source_id": source_id, "position": 0}])
    before = connection.execute(_read_to(source_id).with_for_update()).scalar_one()
    if before >= position:
        return
    own_row = outgoing_readers.c.source_id == source_id
    connection.execute(update(outgoing_readers).where(own_row).values(position=position))
    read = connection.scalars(
        select(outgoing_events.c.message_id).where(
            outgoing_events.c.source_id == source_id,
            outgoing_events.c.position > before,
            outgoing_events.c.position <= position,
            outgoing_events.c.message_id.is_not(None),
        )
    )
    sent_messages.advance(connection, read.all(), sent_messages.BOT_RECEIVED, now_ms)


def trim(connection: Connection, now_ms: int) -> int:
    """Deletes up to `SLICE` events of each kind that are too old; returns their number."""
    is_presence = outgoing_events.c.thread_id.is_(None)
    old = (
        select(outgoing_events.c.id)
        .where(is_presence, outgoing_events.c.occurred_at < now_ms - PRESENCE_KEPT_MS)
        .limit(SLICE)
    )
    count = connection.execute(
        delete(outgoing_events).where(outgoing_events.c.id.in_(old))
    ).rowcount
    oldest = (
        select(outgoing_events.c.id, outgoing_events.c.occurred_at)
        .order_by(outgoing_events.c.id)
        .limit(SLICE)
        .subquery()
    )
    over = select(oldest.c.id).where(oldest.c.occurred_at < now_ms - KEPT_MS)
    return (
        count
        + connection.execute(delete(outgoing_events).where(outgoing_events.c.id.in_(over))).rowcount
    )


def _read_to(source_id: int) -> Select[Any]:
    return select(outgoing_readers.c.position).where(outgoing_readers.c.source_id == source_id)
