"""The past: states of threads that have ended, and views as they were."""

import time

import sqlalchemy as sa
from alembic import op

revision = "0042"
down_revision = "0041"
branch_labels = None
depends_on = None

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
LONG = sa.text("span IS NOT NULL")
TRUTHS = ("closed", "archived", "has_file")
NUMBERS = (
    "first_event_at",
    "first_request_at",
    "last_client_at",
    "last_admin_at",
    "waiting_since",
    "due_at",
    "next_change_at",
    "closed_at",
    "snoozed_until",
    "snoozed_by_id",
    "assignee_id",
    "assigned_at",
    "last_message_id",
)


def upgrade() -> None:
    _add_threads()
    _add_views()
    state = op.create_table(
        "history_state",
        sa.Column("id", sa.SmallInteger(), primary_key=True, autoincrement=False),
        sa.Column("since", sa.BigInteger(), nullable=False),
    )
    # Earlier states of the threads that exist by now are unknown.
    has_threads = op.get_bind().scalar(sa.text("SELECT 1 FROM threads LIMIT 1")) is not None
    since = time.time_ns() // 1_000_000 if has_threads else 0
    op.bulk_insert(state, [{"id": 1, "since": since}])


def _add_threads() -> None:
    op.create_table(
        "thread_history",
        sa.Column("until", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("thread_id", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("lasted", sa.BigInteger(), nullable=False),
        sa.Column("span", sa.SmallInteger()),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        *(sa.Column(name, sa.Boolean(), nullable=False) for name in TRUTHS),
        sa.Column("unanswered", sa.Integer(), nullable=False),
        *(sa.Column(name, sa.BigInteger()) for name in NUMBERS),
        sa.Column("wake", sa.String(5)),
        sa.Column("last_role", sa.String(1)),
        sa.Column("priority", sa.String(8)),
        sa.Column("member_status", sa.SmallInteger(), nullable=False),
        sa.Column("locale", sa.String(35)),
        sa.Column("desk", sa.String(32)),
        sa.Column("tags", sa.Text()),
        sa.Column("mentioned", sa.Text()),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_thread_history_span",
        "thread_history",
        ["span", "until"],
        sqlite_where=LONG,
        postgresql_where=LONG,
    )


def _add_views() -> None:
    op.create_table(
        "view_history",
        sa.Column("view_id", ID, primary_key=True, autoincrement=False),
        sa.Column("until", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("since", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.String(80), nullable=False),
        sa.Column("query", sa.Text(), nullable=False),
        sa.Column("sort", sa.String(40), nullable=False),
        sa.Column("timezone", sa.String(64), nullable=False),
        sa.Column("owner_id", ID),
        sa.Column("desk", sa.String(32)),
    )


def downgrade() -> None:
    for name in ("history_state", "view_history", "thread_history"):
        op.drop_table(name)
