"""Hashes of deleted people: a late retry of an event must not bring them back."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

Id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "erasures",
        sa.Column(
            "source_id", Id, sa.ForeignKey("sources.id"), primary_key=True, autoincrement=False
        ),
        sa.Column("name_hash", sa.LargeBinary(32), primary_key=True),
        sa.Column("erased_at", sa.BigInteger(), nullable=False),
    )


def downgrade() -> None:
    op.drop_table("erasures")
