"""Tables of the outbox: events that go out to chatbots, and the delivery state of messages."""

from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKey,
    Index,
    Integer,
    SmallInteger,
    String,
    Table,
    UniqueConstraint,
)

from dashboard.db.models.base import Id, Json, metadata

#: What admins did, for chatbots; written in the transaction that does it. `name` is the id in the
#: API; `seq` counts within the thread; `position` is assigned after the commit (see outgoing.py).
outgoing_events = Table(
    "outgoing_events",
    metadata,
    Column("id", Id, primary_key=True),
    Column("name", String(40), nullable=False, unique=True),
    Column("source_id", Id, ForeignKey("sources.id"), nullable=False),
    Column("thread_id", Id, ForeignKey("threads.id", ondelete="CASCADE"), nullable=False),
    Column("seq", BigInteger, nullable=False),
    Column("type", String(32), nullable=False),
    Column("occurred_at", BigInteger, nullable=False),
    Column("message_id", Id, ForeignKey("events.id"), index=True),
    Column("data", Json, nullable=False),
    Column("position", BigInteger),
    UniqueConstraint("thread_id", "seq"),
    sqlite_autoincrement=True,
)
Index(
    "ix_outgoing_events_position",
    outgoing_events.c.source_id,
    outgoing_events.c.position,
)
Index(
    "ix_outgoing_events_unplaced",
    outgoing_events.c.id,
    sqlite_where=outgoing_events.c.position.is_(None),
    postgresql_where=outgoing_events.c.position.is_(None),
)

#: The last `seq` of each thread; it stays when the events are deleted.
outgoing_threads = Table(
    "outgoing_threads",
    metadata,
    Column(
        "thread_id",
        Id,
        ForeignKey("threads.id", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("seq", BigInteger, nullable=False),
)

#: One row: the last position. Its lock is held while positions are assigned.
outgoing_head = Table(
    "outgoing_head",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("position", BigInteger, nullable=False),
)

#: The greatest cursor with which each source has read the outbox.
outgoing_readers = Table(
    "outgoing_readers",
    metadata,
    Column("source_id", Id, ForeignKey("sources.id"), primary_key=True, autoincrement=False),
    Column("position", BigInteger, nullable=False),
)

#: The delivery state of messages to customers; for `stage` see sent_messages.py.
sent_messages = Table(
    "sent_messages",
    metadata,
    Column("message_id", Id, ForeignKey("events.id"), primary_key=True, autoincrement=False),
    Column("thread_id", Id, ForeignKey("threads.id", ondelete="CASCADE"), nullable=False),
    Column("stage", SmallInteger, nullable=False),
    Column("attempts", Integer, nullable=False, server_default="0"),
    Column("at", BigInteger, nullable=False),
    Column("changed_at", BigInteger, nullable=False),
)
Index("ix_sent_messages_news", sent_messages.c.thread_id, sent_messages.c.changed_at)
