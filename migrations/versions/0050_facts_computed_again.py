"""How far the facts of a source's threads have been computed again, after a key with `handoff`."""

import sqlalchemy as sa
from alembic import op

revision = "0050"
down_revision = "0049"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("sources", sa.Column("refolded_to", sa.BigInteger()))


def downgrade() -> None:
    op.drop_column("sources", "refolded_to")
