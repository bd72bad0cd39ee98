"""Tables of the past: ended states of threads, and replaced views."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Index,
    Integer,
    SmallInteger,
    String,
    Table,
    Text,
)

from dashboard.db.models.base import Id, metadata

#: Each row is a state of a thread that ended at `until`, after `lasted` milliseconds; the state
#: that lasts is in `threads`, since `listed_at`. The row before it of the same thread ended when it
#: began. `span` is the class of a state that lasted long: see `history.past`. The columns repeat
#: those of `threads` and of its customer, in fewer bytes: a time is the number of milliseconds from
#: it to `until`, `first_request_at` that from `first_event_at` to it; `priority` null is `normal`,
#: `desk` null `main`, `last_role` a first letter; `closed_at` is null in an open thread,
#: `snoozed_until` in a closed one. No foreign key: it would need an index of its own.
thread_history = Table(
    "thread_history",
    metadata,
    Column("until", BigInteger, primary_key=True, autoincrement=False),
    Column("thread_id", BigInteger, primary_key=True, autoincrement=False),
    Column("lasted", BigInteger, nullable=False),
    Column("span", SmallInteger),
    Column("revision", BigInteger, nullable=False),
    Column("closed", Boolean, nullable=False),
    Column("archived", Boolean, nullable=False),
    Column("has_file", Boolean, nullable=False),
    Column("unanswered", Integer, nullable=False),
    Column("first_event_at", BigInteger),
    Column("first_request_at", BigInteger),
    Column("last_client_at", BigInteger),
    Column("last_admin_at", BigInteger),
    Column("waiting_since", BigInteger),
    Column("due_at", BigInteger),
    Column("next_change_at", BigInteger),
    Column("closed_at", BigInteger),
    Column("snoozed_until", BigInteger),
    Column("snoozed_by_id", BigInteger),
    Column("assignee_id", BigInteger),
    Column("assigned_at", BigInteger),
    Column("last_message_id", BigInteger),
    Column("wake", String(5)),
    Column("last_role", String(1)),
    Column("priority", String(8)),
    Column("member_status", SmallInteger, nullable=False),
    Column("locale", String(35)),
    Column("desk", String(32)),
    Column("tags", Text),
    Column("mentioned", Text),
    Column("customer_id", BigInteger),
    sqlite_with_rowid=False,
)
#: The states that lasted long, by the class of their length.
Index(
    "ix_thread_history_span",
    thread_history.c.span,
    thread_history.c.until,
    sqlite_where=thread_history.c.span.is_not(None),
    postgresql_where=thread_history.c.span.is_not(None),
)

#: Views as they were from `since` until they were changed or deleted, at `until`.
view_history = Table(
    "view_history",
    metadata,
    Column("view_id", Id, primary_key=True, autoincrement=False),
    Column("until", BigInteger, primary_key=True, autoincrement=False),
    Column("since", BigInteger, nullable=False),
    Column("name", String(80), nullable=False),
    Column("query", Text, nullable=False),
    Column("sort", String(40), nullable=False),
    Column("timezone", String(64), nullable=False),
    Column("owner_id", Id),
    Column("desk", String(32)),
)

#: One row: the past is whole since `since`.
history_state = Table(
    "history_state",
    metadata,
    Column("id", SmallInteger, primary_key=True, autoincrement=False),
    Column("since", BigInteger, nullable=False),
)
