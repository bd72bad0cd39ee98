"""The index of an admin's threads separates archived ones; the unused index of mentions goes."""

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_threads_assigned", "threads", ["assignee_id", "archived"])
    op.drop_index("ix_threads_assignee_id", "threads")
    op.drop_index("ix_threads_mentioned", "threads")


def downgrade() -> None:
    is_mentioned = sa.text("mentioned IS NOT NULL")
    op.create_index(
        "ix_threads_mentioned",
        "threads",
        ["id"],
        sqlite_where=is_mentioned,
        postgresql_where=is_mentioned,
    )
    op.create_index("ix_threads_assignee_id", "threads", ["assignee_id"])
    op.drop_index("ix_threads_assigned", "threads")
