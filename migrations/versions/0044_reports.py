"""Reports: what happened in threads, the policies of each time, and the times of admins."""

import json
import time

import sqlalchemy as sa
from alembic import op

revision = "0044"
down_revision = "0043"
branch_labels = None
depends_on = None

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
JSON = sa.JSON(none_as_null=True).with_variant(
    sa.dialects.postgresql.JSONB(none_as_null=True), "postgresql"
)
POLICY = ("id", "name", "query", "calendar_id", "first_reply", "next_reply", "changed_at")
CALENDAR = ("id", "name", "timezone", "week", "exceptions", "changed_at")


def upgrade() -> None:
    _add_facts()
    _add_state()
    _add_policies()
    op.create_table(
        "admin_times",
        sa.Column("admin_id", ID, primary_key=True, autoincrement=False),
        sa.Column("kind", sa.String(9), primary_key=True),
        sa.Column("since", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("until", sa.BigInteger()),
        sa.ForeignKeyConstraint(["admin_id"], ["admins.id"], ondelete="CASCADE"),
    )
    op.create_index("ix_admin_times_until", "admin_times", ["until"])


def _add_facts() -> None:
    op.create_table(
        "report_facts",
        sa.Column("kind", sa.SmallInteger(), primary_key=True, autoincrement=False),
        sa.Column("at", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("id", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("thread_id", ID, nullable=False),
        sa.Column("value", sa.BigInteger()),
        sa.Column("opening", sa.BigInteger()),
        sa.Column("bucket", sa.SmallInteger()),
        sa.Column("opening_bucket", sa.SmallInteger()),
        sa.Column("admin_id", sa.BigInteger()),
        sa.Column("before", sa.BigInteger()),
        sa.Column("own_before", sa.BigInteger()),
        sa.Column("queue_id", sa.BigInteger()),
        sa.Column("source_id", sa.BigInteger(), nullable=False),
        sa.Column("desk", sa.String(32), nullable=False),
        sa.Column("tier", sa.SmallInteger(), nullable=False),
        sa.Column("language", sa.String(35)),
        sa.Column("tags", sa.Text()),
        sa.ForeignKeyConstraint(["thread_id"], ["threads.id"], ondelete="CASCADE"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_report_facts_thread_id", "report_facts", ["thread_id"])
    op.create_table(
        "report_threads",
        sa.Column("thread_id", ID, primary_key=True, autoincrement=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["thread_id"], ["threads.id"], ondelete="CASCADE"),
    )


def _add_state() -> None:
    ids = ("event_id", "next_event_id", "act_id", "next_act_id")
    numbers = ("claimed_at", *ids, "watched_at")
    state = op.create_table(
        "report_state",
        sa.Column("id", sa.SmallInteger(), primary_key=True, autoincrement=False),
        sa.Column("counted_until", sa.BigInteger()),
        *(sa.Column(name, sa.BigInteger(), nullable=False, server_default="0") for name in numbers),
        sa.Column("swept_id", sa.BigInteger()),
    )
    # Threads that exist by now are counted once, from the first id on.
    op.bulk_insert(state, [{"id": 1, "swept_id": 0}])


def _add_policies() -> None:
    history = op.create_table(
        "policy_history",
        sa.Column("version", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("since", sa.BigInteger(), nullable=False),
        sa.Column("policies", JSON, nullable=False),
        sa.Column("calendars", JSON, nullable=False),
    )
    op.create_index("ix_policy_history_since", "policy_history", ["since"])
    connection = op.get_bind()
    version = connection.scalar(sa.text("SELECT policies FROM query_lists_version"))
    if not version:
        return
    policies = _rows("policies", POLICY, "place, id")
    calendars = _rows("calendars", CALENDAR, "id")
    values = {"version": version, "policies": policies, "calendars": calendars}
    op.bulk_insert(history, [values | {"since": time.time_ns() // 1_000_000}])


def _rows(table: str, names: tuple[str, ...], order: str) -> list[dict[str, object]]:
    statement = sa.text(f"SELECT {', '.join(names)} FROM {table} ORDER BY {order}")
    rows = [dict(row._mapping) for row in op.get_bind().execute(statement)]
    for row in rows:
        for name in ("week", "exceptions"):
            if isinstance(row.get(name), str):
                row[name] = json.loads(row[name])
    return rows


def downgrade() -> None:
    for table in (
        "admin_times",
        "policy_history",
        "report_state",
        "report_threads",
        "report_facts",
    ):
        op.drop_table(table)
