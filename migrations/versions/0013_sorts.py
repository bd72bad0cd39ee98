"""Saved sorts, and the version of a sort that orders a list of a query."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

Id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
Json = sa.JSON(none_as_null=True).with_variant(JSONB(none_as_null=True), "postgresql")


def upgrade() -> None:
    op.create_table(
        "sorts",
        sa.Column("id", Id, primary_key=True),
        sa.Column("name", sa.String(32), nullable=False),
        sa.Column("title", sa.String(80), nullable=False),
        sa.Column("rules", Json, nullable=False),
        sa.Column("changed_by", Id, sa.ForeignKey("admins.id", ondelete="SET NULL")),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.Column("replaced_at", sa.BigInteger()),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "uq_sorts_name",
        "sorts",
        ["name"],
        unique=True,
        sqlite_where=sa.text("replaced_at IS NULL"),
        postgresql_where=sa.text("replaced_at IS NULL"),
    )
    versions = op.create_table(
        "sorts_version",
        sa.Column("id", sa.SmallInteger(), primary_key=True, autoincrement=False),
        sa.Column("token", sa.String(32), nullable=False),
    )
    op.bulk_insert(versions, [{"id": 1, "token": ""}])
    with op.batch_alter_table("query_lists") as batch:
        batch.add_column(sa.Column("sort_id", Id))
        batch.create_foreign_key("fk_query_lists_sort_id", "sorts", ["sort_id"], ["id"])


def downgrade() -> None:
    with op.batch_alter_table("query_lists") as batch:
        batch.drop_constraint("fk_query_lists_sort_id", type_="foreignkey")
        batch.drop_column("sort_id")
    op.drop_table("sorts_version")
    op.drop_table("sorts")
