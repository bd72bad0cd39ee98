"""Tables of queues: their definitions, the threads they may hand out, and the admins they ask."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    SmallInteger,
    String,
    Table,
    false,
)

from dashboard.db.models.base import Id, Json, Names, metadata

#: A queue hands out the threads of a view. The first one by `place` is asked first. `admins` are
#: the desks of its admins, null for all admins. `take_within`, `delay` and `offline_after` are
#: seconds; `which` threads return from an admin who is offline: `waiting`, `all` or `none`. `given`
#: counts its hand-outs.
queues = Table(
    "queues",
    metadata,
    Column("id", Id, primary_key=True),
    Column("view_id", Id, ForeignKey("views.id"), nullable=False, unique=True),
    Column("place", Integer, nullable=False),
    Column("mode", String(4), nullable=False),
    Column("admins", Names),
    Column("take_within", Integer, nullable=False),
    Column("delay", Integer, nullable=False),
    Column("offline_after", Integer, nullable=False),
    Column("which", String(7), nullable=False),
    Column("given", BigInteger, nullable=False, server_default="0"),
    Column("changed_by", Id, ForeignKey("admins.id", ondelete="SET NULL")),
    Column("changed_at", BigInteger, nullable=False),
    sqlite_autoincrement=True,
)

#: One row. Each hand-out and each change of queues and of their admins locks it, so that they
#: happen one after the other. `hand_outs` counts all hand-outs; `load` says which threads of an
#: admin count: `waiting` or `open`.
queue_state = Table(
    "queue_state",
    metadata,
    Column("id", SmallInteger, primary_key=True, autoincrement=False),
    Column("hand_outs", BigInteger, nullable=False, server_default="0"),
    Column("load", String(7), nullable=False, server_default="waiting"),
)

#: The lists of views that are queues. Entries of threads up to the id `fill_to` that were there
#: before the list was added are written in slices; `filled_to` is the last id so far. `list_id` is
#: null once no queue has the list any more: then its entries are removed in slices, and the row.
queue_lists = Table(
    "queue_lists",
    metadata,
    Column("number", Id, primary_key=True),
    Column("list_id", String(64), unique=True),
    Column("fill_to", Id, nullable=False),
    Column("filled_to", Id, nullable=False, server_default="0"),
    sqlite_autoincrement=True,
)

#: The open threads on the lists of queues, each as of the thread's last write: its desk, its score
#: in the list's sort, and since when it is on the list without a break. `ready`: nobody has the
#: thread and it is not snoozed, so a queue may hand it out; score and desk of others may be old.
queue_entries = Table(
    "queue_entries",
    metadata,
    Column("list", Id, primary_key=True, autoincrement=False),
    Column(
        "thread_id",
        Id,
        ForeignKey("threads.id", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
        index=True,
    ),
    Column("desk", String(32), nullable=False),
    Column("score", BigInteger, nullable=False),
    Column("since", BigInteger, nullable=False),
    Column("ready", Boolean, nullable=False),
)
#: Threads that may be handed out, in the order of each list.
Index(
    "ix_queue_entries_ready",
    queue_entries.c.list,
    queue_entries.c.score,
    queue_entries.c.thread_id,
    queue_entries.c.desk,
    queue_entries.c.since,
    sqlite_where=queue_entries.c.ready.is_(True),
    postgresql_where=queue_entries.c.ready.is_(True),
)

#: What queues know of admins; an admin without a row has the defaults. `capacity` is set by
#: supervisors, `own_capacity` lowers it. `status` is a copy of the true presence in Redis, and
#: `shown_status` of the one that colleagues see, as of its version `presence_version`.
#: `offline_since` is the time at which the admin was seen to be gone.
#: `hand_out` is the number of the last thread that the admin was given, of all hand-outs.
queue_admins = Table(
    "queue_admins",
    metadata,
    Column(
        "admin_id",
        Id,
        ForeignKey("admins.id", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("capacity", SmallInteger, nullable=False),
    Column("own_capacity", SmallInteger),
    Column("accepting", Boolean, nullable=False, server_default=false()),
    Column("status", String(8), nullable=False, server_default="offline"),
    Column("shown_status", String(8), nullable=False, server_default="offline"),
    Column("offline_since", BigInteger),
    Column("presence_version", BigInteger, nullable=False, server_default="0"),
    Column("hand_out", BigInteger, nullable=False, server_default="0"),
    Column("given_at", BigInteger),
)

#: When an admin gave a thread back: it is not given to the same admin for a while.
queue_releases = Table(
    "queue_releases",
    metadata,
    Column(
        "thread_id",
        Id,
        ForeignKey("threads.id", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("admin_id", Id, primary_key=True, autoincrement=False),
    Column("at", BigInteger, nullable=False, index=True),
)

#: The times of the last hand-outs of each queue: `slot` is their number modulo their most.
queue_hand_outs = Table(
    "queue_hand_outs",
    metadata,
    Column(
        "queue_id",
        Id,
        ForeignKey("queues.id", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("slot", SmallInteger, primary_key=True, autoincrement=False),
    Column("at", BigInteger, nullable=False),
)

#: Threads with chatbots that want to know the customer's place in line. `told` is what they were
#: told last, at `told_at`.
place_watches = Table(
    "place_watches",
    metadata,
    Column(
        "thread_id",
        Id,
        ForeignKey("threads.id", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("told", Json),
    Column("told_at", BigInteger),
)

#: How many threads went back to their queues, by reason.
queue_returns = Table(
    "queue_returns",
    metadata,
    Column("reason", String(16), primary_key=True),
    Column("count", BigInteger, nullable=False),
)
