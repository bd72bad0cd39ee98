"""Suggestions of chatbots with their outcomes, and the summaries of threads."""

import sqlalchemy as sa
from alembic import op

revision = "0047"
down_revision = "0046"
branch_labels = None
depends_on = None

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "suggestions",
        sa.Column("event_id", ID, primary_key=True, autoincrement=False),
        sa.Column("thread_id", ID, nullable=False),
        sa.Column("message_id", ID, nullable=False),
        sa.Column("outcome", sa.String(7)),
        sa.Column("reason", sa.String(9)),
        sa.Column("decided_at", sa.BigInteger()),
        sa.Column("decided_by_id", ID),
        sa.Column("reply_id", ID),
        sa.ForeignKeyConstraint(["event_id"], ["events.id"]),
        sa.ForeignKeyConstraint(["thread_id"], ["threads.id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["decided_by_id"], ["admins.id"]),
    )
    op.create_index("ix_suggestions_of_thread", "suggestions", ["thread_id", "event_id"])
    op.create_table(
        "summaries",
        sa.Column("thread_id", ID, primary_key=True, autoincrement=False),
        sa.Column("event_id", ID, nullable=False),
        sa.Column("message_id", ID, nullable=False),
        sa.ForeignKeyConstraint(["thread_id"], ["threads.id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["event_id"], ["events.id"]),
    )


def downgrade() -> None:
    op.drop_table("summaries")
    op.drop_index("ix_suggestions_of_thread", "suggestions")
    op.drop_table("suggestions")
