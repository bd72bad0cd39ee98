"""On PostgreSQL facts are vacuumed after a fiftieth of them is new or changed, not after a fifth:
of a page that no vacuum has marked, reports read the table beside the key."""

from alembic import op

revision = "0049"
down_revision = "0048"
branch_labels = None
depends_on = None

_SHARES = ("autovacuum_vacuum_scale_factor", "autovacuum_vacuum_insert_scale_factor")


def upgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        shares = ", ".join(f"{share} = 0.02" for share in _SHARES)
        op.execute(f"ALTER TABLE report_facts SET ({shares})")


def downgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.execute(f"ALTER TABLE report_facts RESET ({', '.join(_SHARES)})")
