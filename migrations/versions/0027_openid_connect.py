"""Sign-in by OpenID Connect: the admins of subjects, their sessions, and logout tokens."""

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None

Id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "oidc_accounts",
        sa.Column("issuer", sa.String(255), primary_key=True),
        sa.Column("subject", sa.String(255), primary_key=True),
        sa.Column("admin_id", Id, sa.ForeignKey("admins.id", ondelete="CASCADE"), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
    )
    op.create_index("ix_oidc_accounts_admin_id", "oidc_accounts", ["admin_id"])
    op.create_table(
        "oidc_sessions",
        sa.Column(
            "token_hash",
            sa.LargeBinary(32),
            sa.ForeignKey("sessions.token_hash", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("issuer", sa.String(255), nullable=False),
        sa.Column("subject", sa.String(255), nullable=False),
        sa.Column("sid", sa.String(255)),
    )
    op.create_index("ix_oidc_sessions_subject", "oidc_sessions", ["subject", "issuer"])
    op.create_table(
        "oidc_logouts",
        sa.Column("token_id_hash", sa.LargeBinary(32), primary_key=True),
        sa.Column("issuer", sa.String(255), nullable=False),
        sa.Column("subject", sa.String(255)),
        sa.Column("sid", sa.String(255)),
        sa.Column("issued_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
    )
    op.create_index("ix_oidc_logouts_expires_at", "oidc_logouts", ["expires_at"])


def downgrade() -> None:
    op.drop_table("oidc_logouts")
    op.drop_table("oidc_sessions")
    op.drop_table("oidc_accounts")
