"""Queues: their definitions and entries, their admins, and the threads that they gave away."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0041"
down_revision = "0040"
branch_labels = None
depends_on = None

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
JSON = sa.JSON().with_variant(JSONB(), "postgresql")
HELD = sa.text("assignee_id IS NOT NULL AND closed IS false AND snoozed_until IS NULL")
GIVEN = sa.text("queue_id IS NOT NULL AND closed IS false")
READY = sa.text("ready IS true")
HELD_ON_SQLITE = sa.text("assignee_id IS NOT NULL AND closed IS 0 AND snoozed_until IS NULL")
GIVEN_ON_SQLITE = sa.text("queue_id IS NOT NULL AND closed IS 0")
READY_ON_SQLITE = sa.text("ready IS 1")


def upgrade() -> None:
    # No foreign key: on SQLite it would copy the table.
    op.add_column("threads", sa.Column("queue_id", ID))
    op.add_column("threads", sa.Column("take_until", sa.BigInteger()))
    op.create_index(
        "ix_threads_load",
        "threads",
        ["assignee_id", "waiting_since", "desk"],
        sqlite_where=HELD_ON_SQLITE,
        postgresql_where=HELD,
    )
    op.create_index(
        "ix_threads_given",
        "threads",
        ["assignee_id", "queue_id", "waiting_since"],
        sqlite_where=GIVEN_ON_SQLITE,
        postgresql_where=GIVEN,
    )
    _add_queues()
    _add_entries()
    _add_admins()


def _add_queues() -> None:
    op.create_table(
        "queues",
        sa.Column("id", ID, primary_key=True),
        sa.Column("view_id", ID, sa.ForeignKey("views.id"), nullable=False, unique=True),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("mode", sa.String(4), nullable=False),
        sa.Column("admins", sa.Text()),
        sa.Column("take_within", sa.Integer(), nullable=False),
        sa.Column("delay", sa.Integer(), nullable=False),
        sa.Column("offline_after", sa.Integer(), nullable=False),
        sa.Column("which", sa.String(7), nullable=False),
        sa.Column("given", sa.BigInteger(), nullable=False, server_default="0"),
        sa.Column("changed_by", ID, sa.ForeignKey("admins.id", ondelete="SET NULL")),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "queue_hand_outs",
        sa.Column(
            "queue_id",
            ID,
            sa.ForeignKey("queues.id", ondelete="CASCADE"),
            primary_key=True,
            autoincrement=False,
        ),
        sa.Column("slot", sa.SmallInteger(), primary_key=True, autoincrement=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
    )
    state = op.create_table(
        "queue_state",
        sa.Column("id", sa.SmallInteger(), primary_key=True, autoincrement=False),
        sa.Column("hand_outs", sa.BigInteger(), nullable=False, server_default="0"),
        sa.Column("load", sa.String(7), nullable=False, server_default="waiting"),
    )
    op.bulk_insert(state, [{"id": 1}])


def _add_entries() -> None:
    op.create_table(
        "queue_lists",
        sa.Column("number", ID, primary_key=True),
        sa.Column("list_id", sa.String(64), unique=True),
        sa.Column("fill_to", ID, nullable=False),
        sa.Column("filled_to", ID, nullable=False, server_default="0"),
        sqlite_autoincrement=True,
    )
    thread = sa.ForeignKey("threads.id", ondelete="CASCADE")
    op.create_table(
        "queue_entries",
        sa.Column("list", ID, primary_key=True, autoincrement=False),
        sa.Column("thread_id", ID, thread, primary_key=True, autoincrement=False, index=True),
        sa.Column("desk", sa.String(32), nullable=False),
        sa.Column("score", sa.BigInteger(), nullable=False),
        sa.Column("since", sa.BigInteger(), nullable=False),
        sa.Column("ready", sa.Boolean(), nullable=False),
    )
    op.create_index(
        "ix_queue_entries_ready",
        "queue_entries",
        ["list", "score", "thread_id", "desk", "since"],
        sqlite_where=READY_ON_SQLITE,
        postgresql_where=READY,
    )


def _add_admins() -> None:
    admin = sa.ForeignKey("admins.id", ondelete="CASCADE")
    op.create_table(
        "queue_admins",
        sa.Column("admin_id", ID, admin, primary_key=True, autoincrement=False),
        sa.Column("capacity", sa.SmallInteger(), nullable=False),
        sa.Column("own_capacity", sa.SmallInteger()),
        sa.Column("accepting", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("status", sa.String(8), nullable=False, server_default="offline"),
        sa.Column("shown_status", sa.String(8), nullable=False, server_default="offline"),
        sa.Column("offline_since", sa.BigInteger()),
        sa.Column("presence_version", sa.BigInteger(), nullable=False, server_default="0"),
        sa.Column("hand_out", sa.BigInteger(), nullable=False, server_default="0"),
        sa.Column("given_at", sa.BigInteger()),
    )
    op.create_table(
        "queue_releases",
        _thread_id(),
        sa.Column("admin_id", ID, primary_key=True, autoincrement=False),
        sa.Column("at", sa.BigInteger(), nullable=False, index=True),
    )
    op.create_table(
        "queue_returns",
        sa.Column("reason", sa.String(16), primary_key=True),
        sa.Column("count", sa.BigInteger(), nullable=False),
    )
    op.create_table(
        "place_watches",
        _thread_id(),
        sa.Column("told", JSON),
        sa.Column("told_at", sa.BigInteger()),
    )


def _thread_id() -> sa.Column:
    thread = sa.ForeignKey("threads.id", ondelete="CASCADE")
    return sa.Column("thread_id", ID, thread, primary_key=True, autoincrement=False)


def downgrade() -> None:
    for name in (
        "place_watches",
        "queue_releases",
        "queue_admins",
        "queue_entries",
        "queue_lists",
        "queue_state",
        "queue_returns",
        "queue_hand_outs",
        "queues",
    ):
        op.drop_table(name)
    op.drop_index("ix_threads_given", "threads")
    op.drop_index("ix_threads_load", "threads")
    op.drop_column("threads", "take_until")
    op.drop_column("threads", "queue_id")
