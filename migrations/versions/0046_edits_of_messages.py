"""The edit or deletion of a message that counts."""

import sqlalchemy as sa
from alembic import op

revision = "0046"
down_revision = "0045"
branch_labels = None
depends_on = None

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    # No foreign key: on SQLite it would copy the table, and events are never removed.
    op.add_column("events", sa.Column("edit_id", ID))


def downgrade() -> None:
    op.drop_column("events", "edit_id")
