"""The desks that admins belong to: at first all desks, because all admins saw all threads."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "admin_desks",
        sa.Column(
            "admin_id",
            sa.BigInteger().with_variant(sa.Integer, "sqlite"),
            sa.ForeignKey("admins.id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("desk", sa.String(32), sa.ForeignKey("desks.name"), primary_key=True),
    )
    op.execute(
        "INSERT INTO admin_desks (admin_id, desk) SELECT admins.id, desks.name FROM admins, desks"
    )
    op.add_column("query_lists", sa.Column("desks", sa.Text()))


def downgrade() -> None:
    # Lists of some desks would become lists of all desks; they are created again when opened.
    op.execute("DELETE FROM query_lists WHERE desks IS NOT NULL")
    op.drop_column("query_lists", "desks")
    op.drop_table("admin_desks")
