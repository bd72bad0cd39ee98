"""Renames `page` to `view` in the stored preferences of admins, as on the wire."""

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

Json = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")

admins = sa.table("admins", sa.column("id", sa.BigInteger), sa.column("preferences", Json))


def upgrade() -> None:
    _rename_all("page", "view")


def downgrade() -> None:
    _rename_all("view", "page")


def _rename_all(old: str, new: str) -> None:
    connection = op.get_bind()
    for id, stored in connection.execute(sa.select(admins.c.id, admins.c.preferences)).all():
        renamed = _renamed(stored, old, new)
        if renamed != stored:
            connection.execute(
                sa.update(admins).where(admins.c.id == id).values(preferences=renamed)
            )


def _renamed(stored: dict[str, Any], old: str, new: str) -> dict[str, Any]:
    """Renames `page` and `pages` in `{"page": …, "notify": {"pages": …}}`, or back."""
    result = {new if name == old else name: value for name, value in stored.items()}
    if isinstance(result.get("notify"), dict):
        plurals = {f"{old}s": f"{new}s"}
        result["notify"] = {
            plurals.get(name, name): value for name, value in result["notify"].items()
        }
    return result
