"""PostgreSQL vacuums facts when a fiftieth of them has changed, not a fifth. After a change reports
read the page of the table, too, until a vacuum marks it."""

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
