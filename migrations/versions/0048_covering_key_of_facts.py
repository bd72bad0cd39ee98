"""On PostgreSQL the key of facts holds what reports count, in the order of kind and time."""

from alembic import op

revision = "0048"
down_revision = "0047"
branch_labels = None
depends_on = None

_KEY = (
    "ALTER TABLE report_facts DROP CONSTRAINT pk_report_facts,"
    " ADD CONSTRAINT pk_report_facts PRIMARY KEY (kind, at, id)"
)
_INCLUDED = (
    " INCLUDE (thread_id, value, opening, bucket, opening_bucket, admin_id, before, own_before,"
    " queue_id, source_id, desk, tier, language)"
)


def upgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.execute(_KEY + _INCLUDED)


def downgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.execute(_KEY)
