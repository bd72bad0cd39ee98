"""Lists of saved views that Redis does not keep in order until somebody looks at them."""

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "query_lists",
        sa.Column("looked_until", sa.BigInteger(), nullable=False, server_default="0"),
    )
    op.add_column("query_lists", sa.Column("ordered_since", sa.BigInteger(), server_default="0"))


def downgrade() -> None:
    # Without the column, every list counts as ordered; so unordered ones must be rebuilt.
    unordered = "SELECT id FROM query_lists WHERE ordered_since IS NULL"
    op.execute(f"DELETE FROM epochs WHERE list_id IN ({unordered})")
    op.drop_column("query_lists", "ordered_since")
    op.drop_column("query_lists", "looked_until")
