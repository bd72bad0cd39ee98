"""Views that belong to a desk."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("views", table_kwargs={"sqlite_autoincrement": True}) as batch:
        batch.add_column(
            sa.Column("desk", sa.String(32), sa.ForeignKey("desks.name", name="fk_views_desk"))
        )
    op.create_index("ix_views_desk", "views", ["desk"])


def downgrade() -> None:
    op.execute("DELETE FROM views WHERE desk IS NOT NULL")
    op.drop_index("ix_views_desk", "views")
    with op.batch_alter_table("views", table_kwargs={"sqlite_autoincrement": True}) as batch:
        batch.drop_column("desk")
