"""Saved views, and the order in which an admin has them."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

Id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
Json = sa.JSON(none_as_null=True).with_variant(JSONB(none_as_null=True), "postgresql")


def upgrade() -> None:
    op.create_table(
        "views",
        sa.Column("id", Id, primary_key=True),
        sa.Column("name", sa.String(80), nullable=False),
        sa.Column("query", sa.Text(), nullable=False),
        sa.Column("sort", sa.String(40), nullable=False),
        sa.Column("timezone", sa.String(64), nullable=False),
        sa.Column("owner_id", Id, sa.ForeignKey("admins.id", ondelete="CASCADE")),
        sa.Column("created_by", Id, sa.ForeignKey("admins.id", ondelete="SET NULL")),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.Column("list_id", sa.String(64)),
        sqlite_autoincrement=True,
    )
    for column in ("sort", "owner_id", "list_id"):
        op.create_index(f"ix_views_{column}", "views", [column])
    versions = op.create_table(
        "views_version",
        sa.Column("id", sa.SmallInteger(), primary_key=True, autoincrement=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
    )
    op.bulk_insert(versions, [{"id": 1, "version": 0}])
    op.create_table(
        "view_orders",
        sa.Column(
            "admin_id",
            Id,
            sa.ForeignKey("admins.id", ondelete="CASCADE"),
            primary_key=True,
            autoincrement=False,
        ),
        sa.Column("ids", Json, nullable=False),
    )


def downgrade() -> None:
    for name in ("view_orders", "views_version", "views"):
        op.drop_table(name)
