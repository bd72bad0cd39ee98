"""The table of files that admins attach to messages; their contents are in LINEUP_FILES."""

from sqlalchemy import BigInteger, Column, ForeignKey, Index, String, Table

from dashboard.db.models.base import Id, metadata

#: `id` is random. `admin_id` is who uploaded it for a message in `thread_id`; `event_id` is that
#: message, null while the file is attached to none.
files = Table(
    "files",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("thread_id", Id, ForeignKey("threads.id", ondelete="CASCADE"), nullable=False),
    Column("admin_id", Id, ForeignKey("admins.id"), nullable=False),
    Column("event_id", Id, ForeignKey("events.id")),
    Column("name", String(128), nullable=False),
    Column("type", String(127), nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("created_at", BigInteger, nullable=False),
)
Index("ix_files_thread", files.c.thread_id)
#: What is attached to no message: counted for the quota, and removed after a day.
Index(
    "ix_files_unattached",
    files.c.created_at,
    sqlite_where=files.c.event_id.is_(None),
    postgresql_where=files.c.event_id.is_(None),
)
