"""Second factors of admins and their recovery codes; addresses and last uses of sessions."""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    id = sa.BigInteger().with_variant(sa.Integer, "sqlite")
    op.create_table(
        "second_factors",
        sa.Column("admin_id", id, sa.ForeignKey("admins.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("secret", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("confirmed_at", sa.BigInteger()),
        sa.Column("last_step", sa.BigInteger(), nullable=False, server_default="0"),
    )
    op.create_table(
        "recovery_codes",
        sa.Column("admin_id", id, sa.ForeignKey("admins.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("code_hash", sa.LargeBinary(32), primary_key=True),
    )
    op.add_column("sessions", sa.Column("last_used_at", sa.BigInteger()))
    op.add_column("sessions", sa.Column("address", sa.String(64)))
    op.add_column("sessions", sa.Column("user_agent", sa.String(300)))


def downgrade() -> None:
    for name in ("user_agent", "address", "last_used_at"):
        op.drop_column("sessions", name)
    op.drop_table("recovery_codes")
    op.drop_table("second_factors")
