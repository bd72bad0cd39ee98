"""Customers as stored: read, added and locked by the ids that their source gave them."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

from sqlalchemy import Connection, bindparam, select, update

from dashboard.db.models.threads import customers
from dashboard.db.upsert import insert_missing

#: Fields that events set; the last writer is decided for each field separately.
FIELDS = ("name", "avatar_url", "member_status", "locale")

_READ = ("id", "external_id", *FIELDS, "stamps", "created_at")
_BY_NAME = (
    select(*(customers.c[name] for name in _READ))
    .where(
        customers.c.source_id == bindparam("source"),
        customers.c.external_id.in_(bindparam("names", expanding=True)),
    )
    .order_by(customers.c.id)
    .with_for_update()
)
_RANKED_VALUES = select(customers.c.id, customers.c.member_status, customers.c.locale).where(
    customers.c.id.in_(bindparam("ids", expanding=True))
)
_SAVE = (
    update(customers)
    .where(customers.c.id == bindparam("customer"))
    .values({name: bindparam(f"new_{name}") for name in (*FIELDS, "stamps")})
)


class RankedValues(NamedTuple):
    """What decides, of a customer, where their threads stand."""

    member_status: int = -1
    locale: str | None = None


#: Those of a thread without a customer.
NO_CUSTOMER = RankedValues()


def locked(
    connection: Connection, source_id: int, names: Collection[str], now_ms: int
) -> dict[str, dict[str, Any]]:
    """The customers of a source by the source's ids, added if unknown, locked in the order of ids.

    Rows of added ones have `is_new` set.
    """
    if not names:
        return {}
    found = _by_name(connection, source_id, names)
    missing = sorted(set(names) - found.keys())
    if missing:
        new_rows = [
            {"source_id": source_id, "external_id": name, "created_at": now_ms} for name in missing
        ]
        insert_missing(connection, customers, new_rows)
        added = _by_name(connection, source_id, missing)
        found |= {name: row | {"is_new": True} for name, row in added.items()}
    return found


def ranked_values(row: Mapping[str, Any]) -> RankedValues:
    """Those of a row that `locked` returned."""
    return RankedValues(row["member_status"], row["locale"])


def read_ranked_values(connection: Connection, ids: Collection[int]) -> dict[int, RankedValues]:
    """Customer id to what decides where their threads stand; unknown ids are left out."""
    if not ids:
        return {}
    found = connection.execute(_RANKED_VALUES, {"ids": list(ids)})
    return {id: RankedValues(member_status, locale) for id, member_status, locale in found}


def save(connection: Connection, changed: Iterable[dict[str, Any]]) -> None:
    """Writes the fields and stamps of rows that `locked` returned."""
    rows = [
        {"customer": row["id"]} | {f"new_{name}": row[name] for name in (*FIELDS, "stamps")}
        for row in changed
    ]
    if rows:
        connection.execute(_SAVE, rows)


def _by_name(
    connection: Connection, source_id: int, names: Collection[str]
) -> dict[str, dict[str, Any]]:
    parameters = {"source": source_id, "names": list(names)}
    rows = connection.execute(_BY_NAME, parameters)
    found = (dict(zip(_READ, row, strict=True)) for row in rows)
    return {row["external_id"]: row for row in found}
