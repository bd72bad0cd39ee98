"""Opening hours, and the policies that promise answers within them."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

Id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
Json = sa.JSON(none_as_null=True).with_variant(JSONB(none_as_null=True), "postgresql")
IS_WAITING = sa.text("waiting_since IS NOT NULL")


def upgrade() -> None:
    op.create_table(
        "calendars",
        sa.Column("id", Id, primary_key=True),
        sa.Column("name", sa.String(80), nullable=False),
        sa.Column("timezone", sa.String(64), nullable=False),
        sa.Column("week", Json, nullable=False),
        sa.Column("exceptions", Json, nullable=False),
        sa.Column("changed_by", Id, sa.ForeignKey("admins.id", ondelete="SET NULL")),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.UniqueConstraint("name", name="uq_calendars_name"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "policies",
        sa.Column("id", Id, primary_key=True),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(80), nullable=False),
        sa.Column("query", sa.Text(), nullable=False),
        sa.Column("calendar_id", Id, sa.ForeignKey("calendars.id"), nullable=False),
        sa.Column("first_reply", sa.Integer()),
        sa.Column("next_reply", sa.Integer()),
        sa.Column("changed_by", Id, sa.ForeignKey("admins.id", ondelete="SET NULL")),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.UniqueConstraint("name", name="uq_policies_name"),
        sqlite_autoincrement=True,
    )
    op.add_column(
        "query_lists_version",
        sa.Column("policies", sa.BigInteger(), nullable=False, server_default="0"),
    )
    op.create_index(
        "ix_threads_due_version",
        "threads",
        ["due_version", "id"],
        sqlite_where=IS_WAITING,
        postgresql_where=IS_WAITING,
    )


def downgrade() -> None:
    op.drop_index("ix_threads_due_version", "threads")
    with op.batch_alter_table("query_lists_version") as batch:
        batch.drop_column("policies")
    op.drop_table("policies")
    op.drop_table("calendars")
