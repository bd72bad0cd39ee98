"""Snoozed threads, and the times by which threads are to be answered."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

Id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
SORTS = ("arrival", "longest_wait", "unanswered_first", "member_status", "priority", "next_due")


def upgrade() -> None:
    for column in _columns():
        op.add_column("threads", column)
    _drop_covering_indexes()
    _create_covering_indexes("snoozed_until")


def downgrade() -> None:
    _drop_covering_indexes()
    for column in reversed(_columns()):
        op.drop_column("threads", column.name)
    _create_covering_indexes()


def _columns() -> list[sa.Column]:
    # No foreign key: on SQLite it would copy the table, and admins are never deleted.
    return [
        sa.Column("snoozed_until", sa.BigInteger()),
        sa.Column("snoozed_at", sa.BigInteger()),
        sa.Column("snoozed_by_id", Id),
        sa.Column("wake", sa.String(5)),
        sa.Column("woken_at", sa.BigInteger()),
        sa.Column("woken_reason", sa.String(5)),
        sa.Column("due_at", sa.BigInteger()),
        sa.Column("due_version", sa.BigInteger(), nullable=False, server_default="0"),
        sa.Column("due_told_for", sa.BigInteger()),
    ]


def _drop_covering_indexes() -> None:
    for name in SORTS:
        op.drop_index(f"ix_threads_{name}", table_name="threads")


def _create_covering_indexes(*more: str) -> None:
    for name in SORTS:
        columns = ["closed", f"score_{name}", "id", "waiting_since", *more]
        op.create_index(f"ix_threads_{name}", "threads", columns)
