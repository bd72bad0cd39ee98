"""Customers as they are kept: found, made and locked by their sources' ids."""

from collections.abc import Collection, Iterable
from typing import Any

from sqlalchemy import Connection, bindparam, select, update

from dashboard.store.missing import insert_missing
from dashboard.store.models import customers

#: What a sender may say of a customer; each field has its own last writer.
FIELDS = ("name", "avatar_url", "member_status", "locale")

_READ = ("id", "external_id", *FIELDS, "stamps")
_BY_NAME = (
    select(*(customers.c[name] for name in _READ))
    .where(
        customers.c.source_id == bindparam("source"),
        customers.c.external_id.in_(bindparam("names", expanding=True)),
    )
    .order_by(customers.c.id)
    .with_for_update()
)
_MEMBER_STATUS = select(customers.c.id, customers.c.member_status).where(
    customers.c.id.in_(bindparam("ids", expanding=True))
)
_SAVE = (
    update(customers)
    .where(customers.c.id == bindparam("customer"))
    .values({name: bindparam(f"new_{name}") for name in (*FIELDS, "stamps")})
)


def locked(
    connection: Connection, source_id: int, names: Collection[str], now_ms: int
) -> dict[str, dict[str, Any]]:
    """The customers of a source by the source's ids, made where new, locked in id order.

    Those that were made have `is_new` set.
    """
    if not names:
        return {}
    found = _by_name(connection, source_id, names)
    missing = sorted(set(names) - found.keys())
    if missing:
        made = [
            {"source_id": source_id, "external_id": name, "created_at": now_ms} for name in missing
        ]
        insert_missing(connection, customers, made)
        added = _by_name(connection, source_id, missing)
        found |= {name: row | {"is_new": True} for name, row in added.items()}
    return found


def member_statuses(connection: Connection, ids: Collection[int]) -> dict[int, int]:
    """The member status of each of these customers."""
    if not ids:
        return {}
    found = connection.execute(_MEMBER_STATUS, {"ids": list(ids)})
    return {row.id: row.member_status for row in found}


def save(connection: Connection, changed: Iterable[dict[str, Any]]) -> None:
    """Writes the fields and stamps of customers that `locked` gave."""
    rows = [
        {"customer": row["id"]} | {f"new_{name}": row[name] for name in (*FIELDS, "stamps")}
        for row in changed
    ]
    if rows:
        connection.execute(_SAVE, rows)


def _by_name(
    connection: Connection, source_id: int, names: Collection[str]
) -> dict[str, dict[str, Any]]:
    given = {"source": source_id, "names": list(names)}
    found = (dict(zip(_READ, row, strict=True)) for row in connection.execute(_BY_NAME, given))
    return {row["external_id"]: row for row in found}
