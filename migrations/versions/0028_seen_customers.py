"""Customers by the time at which they were last seen, for each source and for each audience."""

import json
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None

Id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_TABLE = "customer_presence"


def upgrade() -> None:
    op.add_column(_TABLE, sa.Column("source_id", Id))
    shown_to = sa.Column("shown_to", sa.String(8), nullable=False, server_default="everyone")
    op.add_column(_TABLE, shown_to)
    op.execute(
        "UPDATE customer_presence SET source_id = (SELECT customers.source_id FROM customers"
        " WHERE customers.id = customer_presence.customer_id)"
    )
    _fill_shown_to()
    with op.batch_alter_table(_TABLE) as batch:
        batch.alter_column("source_id", nullable=False)
        name = "fk_customer_presence_source_id"
        batch.create_foreign_key(name, "sources", ["source_id"], ["id"])
    seen, shown = "source_id_last_seen", "shown_to_public_last_seen"
    op.create_index(f"ix_{_TABLE}_{seen}", _TABLE, ["source_id", "last_seen"])
    op.create_index(f"ix_{_TABLE}_{shown}", _TABLE, ["shown_to", "public_last_seen"])


def _fill_shown_to() -> None:
    """Fills the column from the settings of customers who have any."""
    connection = op.get_bind()
    found = connection.execute(
        sa.text("SELECT customer_id, settings FROM customer_presence WHERE settings IS NOT NULL")
    ).all()
    rows = [{"id": id, "shown_to": _shown_to(settings)} for id, settings in found]
    if rows:
        changed = "UPDATE customer_presence SET shown_to = :shown_to WHERE customer_id = :id"
        connection.execute(sa.text(changed), rows)


def _shown_to(settings: Any) -> str:
    known = json.loads(settings) if isinstance(settings, str | bytes) else settings
    if not known.get("show_last_seen", True):
        return "nobody"
    return str(known.get("visibility", "everyone"))


def downgrade() -> None:
    for columns in ("shown_to_public_last_seen", "source_id_last_seen"):
        op.drop_index(f"ix_{_TABLE}_{columns}", _TABLE)
    with op.batch_alter_table(_TABLE) as batch:
        batch.drop_constraint("fk_customer_presence_source_id", type_="foreignkey")
        batch.drop_column("source_id")
        batch.drop_column("shown_to")
