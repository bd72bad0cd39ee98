"""Lists of queries store the filter that narrows them; before, it was a part of the query."""

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "query_lists", sa.Column("filter", sa.String(16), nullable=False, server_default="all")
    )


def downgrade() -> None:
    # Filtered lists are temporary; they are created again when somebody opens them.
    narrowed = "SELECT id FROM query_lists WHERE filter <> 'all'"
    op.execute(f"DELETE FROM epochs WHERE list_id IN ({narrowed})")
    op.execute("DELETE FROM query_lists WHERE filter <> 'all'")
    op.drop_column("query_lists", "filter")
