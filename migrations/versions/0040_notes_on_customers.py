"""The note that admins keep on a customer."""

import sqlalchemy as sa
from alembic import op

revision = "0040"
down_revision = "0039"
branch_labels = None
depends_on = None

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    # No foreign key: on SQLite it would copy the table, and admins are never deleted.
    for column in (
        sa.Column("note", sa.Text()),
        sa.Column("note_by_id", ID),
        sa.Column("note_at", sa.BigInteger()),
    ):
        op.add_column("customers", column)


def downgrade() -> None:
    for name in ("note_at", "note_by_id", "note"):
        op.drop_column("customers", name)
