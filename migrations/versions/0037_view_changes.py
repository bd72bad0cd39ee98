"""Changes of the views of each admin, of each desk and of everybody; the customers of a desk."""

import sqlalchemy as sa
from alembic import op

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "view_changes",
        sa.Column("whose", sa.String(64), primary_key=True),
        sa.Column("version", sa.BigInteger(), nullable=False),
    )
    has_customer = sa.text("customer_id IS NOT NULL")
    op.create_index(
        "ix_threads_desk",
        "threads",
        ["desk", "customer_id"],
        sqlite_where=has_customer,
        postgresql_where=has_customer,
    )


def downgrade() -> None:
    op.drop_index("ix_threads_desk", "threads")
    op.drop_table("view_changes")
