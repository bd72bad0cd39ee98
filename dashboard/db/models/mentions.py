"""Table of who is mentioned in notes."""

from sqlalchemy import BigInteger, Column, ForeignKey, Index, Table, Text

from dashboard.db.models.base import Id, metadata

#: `event_id` is the note, `name` how it calls the admin; `read_at` is null until the admin has read
#: it. Which admins have unread ones of a thread stands in `threads.mentioned`, too.
mentions = Table(
    "mentions",
    metadata,
    Column("event_id", Id, ForeignKey("events.id"), primary_key=True, autoincrement=False),
    Column("admin_id", Id, ForeignKey("admins.id"), primary_key=True, autoincrement=False),
    Column("thread_id", Id, ForeignKey("threads.id", ondelete="CASCADE"), nullable=False),
    Column("name", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("read_at", BigInteger),
)
Index("ix_mentions_of_thread", mentions.c.thread_id, mentions.c.admin_id)
#: What an admin has not read, newest first.
Index(
    "ix_mentions_unread",
    mentions.c.admin_id,
    mentions.c.event_id,
    sqlite_where=mentions.c.read_at.is_(None),
    postgresql_where=mentions.c.read_at.is_(None),
)
