"""Files that admins attach to messages."""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None

_ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    files = op.create_table(
        "files",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column(
            "thread_id", _ID, sa.ForeignKey("threads.id", ondelete="CASCADE"), nullable=False
        ),
        sa.Column("admin_id", _ID, sa.ForeignKey("admins.id"), nullable=False),
        sa.Column("event_id", _ID, sa.ForeignKey("events.id")),
        sa.Column("name", sa.String(128), nullable=False),
        sa.Column("type", sa.String(127), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
    )
    op.create_index("ix_files_thread", "files", ["thread_id"])
    unattached = files.c.event_id.is_(None)
    op.create_index(
        "ix_files_unattached",
        "files",
        ["created_at"],
        sqlite_where=unattached,
        postgresql_where=unattached,
    )


def downgrade() -> None:
    op.drop_table("files")
