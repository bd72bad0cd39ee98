"""Tags of threads: in one text, with a blank before and after each."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

IS_TAGGED = sa.text("tags IS NOT NULL")


def upgrade() -> None:
    op.add_column("threads", sa.Column("tags", sa.Text()))
    op.create_index(
        "ix_threads_tagged",
        "threads",
        ["id"],
        sqlite_where=IS_TAGGED,
        postgresql_where=IS_TAGGED,
    )


def downgrade() -> None:
    op.drop_index("ix_threads_tagged", "threads")
    op.drop_column("threads", "tags")
