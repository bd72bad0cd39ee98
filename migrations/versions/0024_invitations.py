"""Invitations, the times of changes of accounts, and the times of use of API keys."""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

Id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.add_column(
        "admins", sa.Column("changed_at", sa.BigInteger(), nullable=False, server_default="0")
    )
    op.add_column("api_keys", sa.Column("last_used_at", sa.BigInteger()))
    op.create_table(
        "invitations",
        sa.Column("id", Id, primary_key=True),
        sa.Column("email", sa.String(254), nullable=False),
        sa.Column("name", sa.String(128), nullable=False),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("desks", sa.Text(), nullable=False),
        sa.Column("token_hash", sa.LargeBinary(32), nullable=False),
        sa.Column("created_by", Id, sa.ForeignKey("admins.id"), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("used_at", sa.BigInteger()),
        sa.Column("withdrawn_at", sa.BigInteger()),
        sa.UniqueConstraint("email"),
        sa.UniqueConstraint("token_hash"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_invitations_created_by", "invitations", ["created_by"])


def downgrade() -> None:
    op.drop_table("invitations")
    op.drop_column("api_keys", "last_used_at")
    op.drop_column("admins", "changed_at")
