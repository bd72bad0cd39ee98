"""The archive: threads that were closed so long ago that no list holds them.

The processes archive threads later; this revision writes nothing to threads.
"""

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None

SORTS = (
    "arrival",
    "longest_wait",
    "unanswered_first",
    "member_status",
    "priority",
    "next_due",
)


def upgrade() -> None:
    op.add_column(
        "threads", sa.Column("archived", sa.Boolean(), nullable=False, server_default=sa.false())
    )
    op.add_column(
        "query_lists_version",
        sa.Column("history_days", sa.Integer(), nullable=False, server_default="90"),
    )
    _create_covering_indexes("archived")
    op.create_index("ix_threads_live", "threads", ["archived", "id"])
    op.create_index(
        "ix_threads_closed", "threads", ["archived", "closed", "closed_at", "mentioned"]
    )


def downgrade() -> None:
    for name in ("ix_threads_closed", "ix_threads_live"):
        op.drop_index(name, "threads")
    _create_covering_indexes()
    op.drop_column("query_lists_version", "history_days")
    op.drop_column("threads", "archived")


def _create_covering_indexes(*first: str) -> None:
    for name in SORTS:
        op.drop_index(f"ix_threads_{name}", table_name="threads")
        columns = [*first, "closed", f"score_{name}", "id", "waiting_since", "snoozed_until"]
        op.create_index(f"ix_threads_{name}", "threads", columns)
