"""Desks: the desk of each thread, and the desk at which threads of a source begin."""

import time

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0016"
branch_labels = None
depends_on = None

MAIN = "main"


def upgrade() -> None:
    desks = op.create_table(
        "desks",
        sa.Column("name", sa.String(32), primary_key=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
    )
    op.bulk_insert(desks, [{"name": MAIN, "created_at": time.time_ns() // 1_000_000}])
    for table in ("sources", "threads"):
        op.add_column(table, sa.Column("desk", sa.String(32), nullable=False, server_default=MAIN))


def downgrade() -> None:
    for table in ("threads", "sources"):
        op.drop_column(table, "desk")
    op.drop_table("desks")
