"""Presence: the settings of customers and admins, and the times at which they were last seen."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

Id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
Json = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def upgrade() -> None:
    for person in ("customer", "admin"):
        op.create_table(
            f"{person}_presence",
            sa.Column(
                f"{person}_id",
                Id,
                sa.ForeignKey(f"{person}s.id", ondelete="CASCADE"),
                primary_key=True,
                autoincrement=False,
            ),
            sa.Column("settings", Json),
            sa.Column("last_seen", sa.BigInteger),
            sa.Column("public_last_seen", sa.BigInteger),
        )


def downgrade() -> None:
    for person in ("customer", "admin"):
        op.drop_table(f"{person}_presence")
