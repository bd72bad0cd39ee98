"""An index of the customers of each language, for the lists that ask for one."""

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None


def upgrade() -> None:
    is_known = sa.text("locale IS NOT NULL")
    op.create_index(
        "ix_customers_locale",
        "customers",
        ["locale"],
        sqlite_where=is_known,
        postgresql_where=is_known,
    )


def downgrade() -> None:
    op.drop_index("ix_customers_locale", "customers")
