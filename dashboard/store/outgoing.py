"""The outbox: what admins did, kept for chatbots in the order in which it was committed.

Ids that the database gives out are not the order of commits: a writer that waits commits its id
after later ones were read. So events are written without a position, in the transaction that they
tell of, and get one after its commit, from whoever looks next; a cursor is a position. Who gives
them out holds the lock of one row, and sees everything that was committed before.
"""

import uuid
from typing import Any

from sqlalchemy import Connection, Select, bindparam, delete, exists, insert, select, text, update

from dashboard.store import sent_messages
from dashboard.store.fan_out import Placed, fan_out
from dashboard.store.missing import insert_missing
from dashboard.store.outbox_models import outgoing_events, outgoing_head, outgoing_readers
from dashboard.store.outgoing_document import EVENTS, Outgoing

#: Events are kept so long.
KEPT_MS = 30 * 24 * 3600 * 1000
#: Given positions, or trimmed, in one transaction.
SLICE = 1_000

_NEXT_SEQ = text(
    "INSERT INTO outgoing_threads (thread_id, seq) VALUES (:thread, 1) "
    "ON CONFLICT (thread_id) DO UPDATE SET seq = outgoing_threads.seq + 1 RETURNING seq"
)
_HEAD = select(outgoing_head.c.position).where(outgoing_head.c.id == 1)
_UNPLACED = outgoing_events.c.position.is_(None)
_PLACE = (
    update(outgoing_events)
    .where(outgoing_events.c.id == bindparam("event"))
    .values(position=bindparam("new_position"))
)
#: PostgreSQL: who stops in the middle is thrown out, for everybody waits for the lock.
_DO_NOT_STOP = text("SET LOCAL idle_in_transaction_session_timeout = '4s'")


def add(
    connection: Connection,
    source_id: int,
    thread_id: int,
    type: str,
    now_ms: int,
    data: dict[str, Any],
    message_id: int | None = None,
) -> None:
    """Writes an event; the thread's lock must be held, for `seq` follows from it."""
    seq = connection.execute(_NEXT_SEQ, {"thread": thread_id}).scalar_one()
    connection.execute(
        insert(outgoing_events).values(
            name=f"evt_{uuid.uuid4().hex}",
            source_id=source_id,
            thread_id=thread_id,
            seq=seq,
            type=type,
            occurred_at=now_ms,
            message_id=message_id,
            data=data,
        )
    )


def has_unplaced(connection: Connection) -> bool:
    """Whether committed events wait for their positions."""
    return bool(connection.scalar(select(exists().where(_UNPLACED))))


def place(connection: Connection, now_ms: int) -> int:
    """Gives positions to what was committed, and hands it to webhooks; how many there were.

    Raises StorageUnavailable where another one is at it for too long.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(_DO_NOT_STOP)
    position = connection.execute(_HEAD.with_for_update()).scalar_one()
    # A statement of its own: on PostgreSQL it sees all that was committed before the lock.
    found = connection.execute(
        select(
            outgoing_events.c.id,
            outgoing_events.c.source_id,
            outgoing_events.c.thread_id,
            outgoing_events.c.type,
        )
        .where(_UNPLACED)
        .order_by(outgoing_events.c.id)
        .limit(SLICE)
    ).all()
    if not found:
        return 0
    placed = [Placed(position + at, *row) for at, row in enumerate(found, 1)]
    connection.execute(
        _PLACE, [{"event": each.id, "new_position": each.position} for each in placed]
    )
    connection.execute(update(outgoing_head).values(position=position + len(found)))
    fan_out(connection, placed, now_ms)
    return len(found)


def after(
    connection: Connection, source_id: int, position: int, limit: int
) -> tuple[list[Outgoing], int]:
    """A source's events after a position, in the order of commits, and the last one's position."""
    found = connection.execute(
        EVENTS.add_columns(outgoing_events.c.position)
        .where(outgoing_events.c.source_id == source_id, outgoing_events.c.position > position)
        .order_by(outgoing_events.c.position)
        .limit(limit)
    ).all()
    last = found[-1][-1] if found else position
    return [Outgoing(*row[:-1]) for row in found], last


def head(connection: Connection) -> int:
    """The last position that was given."""
    return connection.execute(_HEAD).scalar_one()


def read_to(connection: Connection, source_id: int) -> int:
    """How far a source has read by itself."""
    return connection.scalar(_read_to(source_id)) or 0


def note_read(connection: Connection, source_id: int, position: int, now_ms: int) -> None:
    """A source came back with this cursor: it has what stands before it."""
    insert_missing(connection, outgoing_readers, [{"source_id": source_id, "position": 0}])
    before = connection.execute(_read_to(source_id).with_for_update()).scalar_one()
    if before >= position:
        return
    mine = outgoing_readers.c.source_id == source_id
    connection.execute(update(outgoing_readers).where(mine).values(position=position))
    read = connection.scalars(
        select(outgoing_events.c.message_id).where(
            outgoing_events.c.source_id == source_id,
            outgoing_events.c.position > before,
            outgoing_events.c.position <= position,
            outgoing_events.c.message_id.is_not(None),
        )
    )
    sent_messages.advance(connection, read.all(), sent_messages.BOT_HAS_IT, now_ms)


def trim(connection: Connection, now_ms: int) -> int:
    """Deletes some of what was kept long enough; how much."""
    oldest = (
        select(outgoing_events.c.id, outgoing_events.c.occurred_at)
        .order_by(outgoing_events.c.id)
        .limit(SLICE)
        .subquery()
    )
    over = select(oldest.c.id).where(oldest.c.occurred_at < now_ms - KEPT_MS)
    return connection.execute(
        delete(outgoing_events).where(outgoing_events.c.id.in_(over))
    ).rowcount


def _read_to(source_id: int) -> Select[Any]:
    return select(outgoing_readers.c.position).where(outgoing_readers.c.source_id == source_id)
