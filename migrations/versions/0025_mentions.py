"""Mentions of admins in notes, and the admins with unread mentions in a thread."""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None

ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")
IS_MENTIONED = sa.text("mentioned IS NOT NULL")
IS_UNREAD = sa.text("read_at IS NULL")


def upgrade() -> None:
    op.create_table(
        "mentions",
        sa.Column(
            "event_id", ID, sa.ForeignKey("events.id"), primary_key=True, autoincrement=False
        ),
        sa.Column(
            "admin_id", ID, sa.ForeignKey("admins.id"), primary_key=True, autoincrement=False
        ),
        sa.Column("thread_id", ID, sa.ForeignKey("threads.id", ondelete="CASCADE"), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("read_at", sa.BigInteger()),
    )
    op.create_index("ix_mentions_of_thread", "mentions", ["thread_id", "admin_id"])
    op.create_index(
        "ix_mentions_unread",
        "mentions",
        ["admin_id", "event_id"],
        sqlite_where=IS_UNREAD,
        postgresql_where=IS_UNREAD,
    )
    op.add_column("threads", sa.Column("mentioned", sa.Text()))
    op.create_index(
        "ix_threads_mentioned",
        "threads",
        ["id"],
        sqlite_where=IS_MENTIONED,
        postgresql_where=IS_MENTIONED,
    )


def downgrade() -> None:
    op.drop_index("ix_threads_mentioned", "threads")
    op.drop_column("threads", "mentioned")
    op.drop_table("mentions")
