"""Whether anybody has sent a file in a thread."""

import sqlalchemy as sa
from alembic import op

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "threads", sa.Column("has_file", sa.Boolean(), nullable=False, server_default=sa.false())
    )
    op.execute(
        "UPDATE threads SET has_file = true WHERE id IN"
        " (SELECT thread_id FROM events WHERE attachments IS NOT NULL)"
    )


def downgrade() -> None:
    op.drop_column("threads", "has_file")
