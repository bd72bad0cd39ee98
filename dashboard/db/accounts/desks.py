"""Desks: threads stand at them, and admins work at them."""

from collections.abc import Collection

from sqlalchemy import Connection, select

from dashboard.db.models.accounts import desks
from dashboard.db.upsert import insert_on

#: The desk that always exists.
MAIN = "main"


def names(connection: Connection) -> list[str]:
    """The names of all desks, `main` first."""
    found = connection.scalars(select(desks.c.name).order_by(desks.c.name))
    return sorted(found, key=lambda name: name != MAIN)


def unknown(connection: Connection, wanted: Collection[str]) -> set[str]:
    """Returns the names that belong to no desk."""
    if not wanted:
        return set()
    known = connection.scalars(select(desks.c.name).where(desks.c.name.in_(wanted)))
    return set(wanted) - set(known)


def add(connection: Connection, name: str, now_ms: int) -> bool:
    """Adds a desk; False if the name is taken."""
    row = {"name": name, "created_at": now_ms}
    added = insert_on(connection, desks).on_conflict_do_nothing()
    return connection.execute(added.values(row)).rowcount > 0
