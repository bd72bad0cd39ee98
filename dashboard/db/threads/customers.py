"""Customers as stored: read, added and locked by their source's ids."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from sqlalchemy import Connection, bindparam, select

from dashboard.db import driver
from dashboard.db.driver import Ask, Row, answer, by_name, insert_missing, update_of
from dashboard.db.models.threads import customers

#: Fields that events set; the last writer is decided for each field separately.
FIELDS = ("name", "avatar_url", "member_status", "locale", "attributes")

_SAVED = ("id", *FIELDS, "stamps")
_READ = ("id", "external_id", *FIELDS, "stamps", "created_at")
_BY_NAME = by_name(customers, _READ, locked=True)
_RANKED_VALUES = select(customers.c.id, customers.c.member_status, customers.c.locale).where(
    customers.c.id.in_(bindparam("ids", expanding=True))
)
_SAVE = update_of(customers, (*FIELDS, "stamps"))


@dataclass(slots=True)
class Customer:
    """A locked customer; `is_new`: added by the transaction. Times in ms."""

    id: int
    external_id: str
    name: str | None
    avatar_url: str | None
    member_status: int
    locale: str | None
    attributes: Mapping[str, str] | None
    stamps: Mapping[str, Any]
    created_at: int
    is_new: bool = False

    @property
    def ranked_values(self) -> "RankedValues":
        """The values that decide the places of the customer's threads."""
        return RankedValues(self.member_status, self.locale)


class RankedValues(NamedTuple):
    """The values of a customer that decide the places of the customer's threads."""

    member_status: int = -1
    locale: str | None = None


#: The values of a thread without a customer.
NO_CUSTOMER = RankedValues()


def locked(
    connection: Connection, source_id: int, names: Collection[str], now_ms: int
) -> dict[str, Customer]:
    """Locks customers by their source's ids, added if unknown, in the order of row ids."""
    rows = answer(connection, ask_locked(source_id, names))
    return with_missing(connection, source_id, names, rows, now_ms)


def ask_locked(source_id: int, names: Collection[str]) -> Ask[dict[str, Customer]]:
    """Returns the query that reads and locks the known customers among these."""
    parameters = {"source": source_id, "names": driver.dumps([*names])}
    return Ask(_BY_NAME, parameters, _by_external_id)


def with_missing(
    connection: Connection,
    source_id: int,
    names: Collection[str],
    rows: dict[str, Customer],
    now_ms: int,
) -> dict[str, Customer]:
    """Adds the customers of `names` that are not in `rows`; returns all of `names`."""
    missing = sorted(set(names) - rows.keys())
    if missing:
        new_rows = [
            {"source_id": source_id, "external_id": name, "created_at": now_ms} for name in missing
        ]
        insert_missing(connection, customers, new_rows)
        added = answer(connection, ask_locked(source_id, missing))
        rows = rows | {name: replace(row, is_new=True) for name, row in added.items()}
    return {name: rows[name] for name in names if name in rows}


def named(connection: Connection, source_id: int, name: str) -> int | None:
    """Returns the id of a customer by the source's id, None if unknown."""
    is_named = customers.c.source_id == source_id, customers.c.external_id == name
    id: int | None = connection.scalar(select(customers.c.id).where(*is_named))
    return id


def read_ranked_values(connection: Connection, ids: Collection[int]) -> dict[int, RankedValues]:
    """Maps customer ids to their ranked values; unknown ids are left out."""
    if not ids:
        return {}
    rows = connection.execute(_RANKED_VALUES, {"ids": list(ids)})
    return {id: RankedValues(member_status, locale) for id, member_status, locale in rows}


def save(connection: Connection, changed: Iterable[Customer]) -> None:
    """Writes the fields and stamps of customers that `locked` returned."""
    _SAVE.write(connection, [{name: getattr(row, name) for name in _SAVED} for row in changed])


def _by_external_id(result: Sequence[Row]) -> dict[str, Customer]:
    rows = (Customer(*row) for row in result)
    return {row.external_id: row for row in rows}
