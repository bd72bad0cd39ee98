"""Tables of reports: what happened in threads, the rules of each time, and what admins were."""

from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKey,
    PrimaryKeyConstraint,
    SmallInteger,
    String,
    Table,
    Text,
)

from dashboard.db.models.base import Id, Json, metadata

#: The columns that PostgreSQL keeps in the key of facts, too: a report reads the key alone, without
#: the facts of other kinds between. Tags can be too long for it. SQLite keeps all in its order.
_COUNTED = (
    *("thread_id", "value", "opening", "bucket", "opening_bucket", "admin_id", "before"),
    *("own_before", "queue_id", "source_id", "desk", "tier", "language"),
)
#: What happened in threads, computed from their events and acts: see `reports.facts`. `kind` is a
#: number of KINDS, `id` that of the event or act, of `missed` that of the thread. `value` is a
#: duration in milliseconds, `opening` its opening time, null without a policy; `bucket` and
#: `opening_bucket` say where both stand among BOUNDS. `admin_id` is who did it, or who got or had
#: the thread. `before` is the time at which an admin had answered or closed the thread before,
#: `own_before` that of the same admin: so each thread is counted once. The columns after `queue_id`
#: describe the thread as it is now.
report_facts = Table(
    "report_facts",
    metadata,
    Column("kind", SmallInteger, autoincrement=False),
    Column("at", BigInteger, autoincrement=False),
    Column("id", BigInteger, autoincrement=False),
    Column(
        "thread_id", Id, ForeignKey("threads.id", ondelete="CASCADE"), nullable=False, index=True
    ),
    Column("value", BigInteger),
    Column("opening", BigInteger),
    Column("bucket", SmallInteger),
    Column("opening_bucket", SmallInteger),
    Column("admin_id", BigInteger),
    Column("before", BigInteger),
    Column("own_before", BigInteger),
    Column("queue_id", BigInteger),
    Column("source_id", BigInteger, nullable=False),
    Column("desk", String(32), nullable=False),
    Column("tier", SmallInteger, nullable=False),
    Column("language", String(35)),
    Column("tags", Text),
    PrimaryKeyConstraint("kind", "at", "id", postgresql_include=_COUNTED),
    sqlite_with_rowid=False,
)

#: The revision of each thread that its facts are of.
report_threads = Table(
    "report_threads",
    metadata,
    Column(
        "thread_id",
        Id,
        ForeignKey("threads.id", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("revision", BigInteger, nullable=False),
)

#: One row. The process that has last set `claimed_at` counts. Facts are whole up to `counted_until`
#: (null: never yet); events after `event_id`, acts after `act_id` and threads after `swept_id` are
#: still to be looked at. `next_event_id` and `next_act_id` were the last ones when that was done:
#: transactions with lower ids may have been under way then. The times of admins were last looked
#: at `watched_at`.
report_state = Table(
    "report_state",
    metadata,
    Column("id", SmallInteger, primary_key=True, autoincrement=False),
    Column("claimed_at", BigInteger, nullable=False, server_default="0"),
    Column("counted_until", BigInteger),
    Column("event_id", BigInteger, nullable=False, server_default="0"),
    Column("next_event_id", BigInteger, nullable=False, server_default="0"),
    Column("act_id", BigInteger, nullable=False, server_default="0"),
    Column("next_act_id", BigInteger, nullable=False, server_default="0"),
    Column("swept_id", BigInteger),
    Column("watched_at", BigInteger, nullable=False, server_default="0"),
)

#: The policies and calendars from `since` on, until the next version.
policy_history = Table(
    "policy_history",
    metadata,
    Column("version", BigInteger, primary_key=True, autoincrement=False),
    Column("since", BigInteger, nullable=False, index=True),
    Column("policies", Json, nullable=False),
    Column("calendars", Json, nullable=False),
)

#: The times in which an admin was `online`, `away`, `accepting` threads, or `full`: at capacity.
#: `until` is null while that lasts.
admin_times = Table(
    "admin_times",
    metadata,
    Column(
        "admin_id",
        Id,
        ForeignKey("admins.id", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("kind", String(9), primary_key=True),
    Column("since", BigInteger, primary_key=True, autoincrement=False),
    Column("until", BigInteger, index=True),
)
