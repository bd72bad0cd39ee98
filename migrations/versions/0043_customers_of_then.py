"""The customer of each state of a thread that has ended."""

import sqlalchemy as sa
from alembic import op

revision = "0043"
down_revision = "0042"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("thread_history", sa.Column("customer_id", sa.BigInteger()))


def downgrade() -> None:
    op.drop_column("thread_history", "customer_id")
