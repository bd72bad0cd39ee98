"""Sorts have a time zone, for the days in their rules; before, each list had its own.

A sort gets the time zone of a view that uses it: with other days the view's list would change.
"""

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "sorts", sa.Column("timezone", sa.String(64), nullable=False, server_default="UTC")
    )
    op.execute("""
        UPDATE sorts SET timezone = coalesce(
            (SELECT max(views.timezone) FROM views WHERE views.sort = sorts.name), 'UTC')
        """)


def downgrade() -> None:
    op.drop_column("sorts", "timezone")
