"""Presence in SQL: the settings of people, and their stored presence."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from sqlalchemy import Connection, Row, Select, String, Table, bindparam, cast, select, update

from dashboard.db import erasures
from dashboard.db.driver import insert_missing
from dashboard.db.models.accounts import admin_presence, admins, customer_presence, sources
from dashboard.db.models.threads import customers
from dashboard.db.threads import customers as customer_store
from dashboard.errors import CustomerErased
from presence.settings import Settings
from presence.states import UNSET, Stored

_ERASED = "The customer was deleted, and has not written since."
#: Longer numbers do not fit into BIGINT and are no ids.
_ADMIN_ID = re.compile("[0-9]{1,15}")

Change = Callable[[Settings], Settings]

_CUSTOMER_IDS = (
    select(customers.c.id, customers.c.external_id)
    .join(sources, sources.c.id == customers.c.source_id)
    .where(
        sources.c.name == bindparam("source"),
        customers.c.external_id.in_(bindparam("names", expanding=True)),
    )
)
#: Kind -> the table, and a query of each person's id, name and settings.
_NAMES: dict[str, tuple[Table, Select]] = {
    "admin": (
        admin_presence,
        select(
            admin_presence.c.admin_id.label("id"),
            cast(admin_presence.c.admin_id, String).label("name"),
            admin_presence.c.settings,
        ),
    ),
    "customer": (
        customer_presence,
        select(
            customers.c.id.label("id"),
            (sources.c.name + "/" + customers.c.external_id).label("name"),
            customer_presence.c.settings,
        )
        .join_from(customer_presence, customers, customers.c.id == customer_presence.c.customer_id)
        .join(sources, sources.c.id == customers.c.source_id),
    ),
}


def of_customers(connection: Connection, people: Iterable[str]) -> dict[str, Stored]:
    """Returns stored presence of customers, by SOURCE/ID; leaves out customers without a row."""
    return _stored(connection, customer_presence, customer_ids(connection, people))


def of_admins(connection: Connection, people: Iterable[str]) -> dict[str, Stored]:
    """Returns stored presence of admins, by their ids as text; leaves out admins without a row."""
    return _stored(connection, admin_presence, admin_ids(people))


def settings_after(
    connection: Connection, kind: str, after_id: int, limit: int
) -> tuple[dict[str, Settings], int | None]:
    """Returns settings of the next people by id who have any, and the last id; None at the end."""
    table, names = _NAMES[kind]
    key = key_of(table)
    rows = connection.execute(
        names.where(key > after_id, table.c.settings.is_not(None)).order_by(key).limit(limit)
    ).all()
    settings = {row.name: Settings.from_dict(row.settings) for row in rows}
    return settings, rows[-1].id if len(rows) == limit else None


def change_customer(
    connection: Connection, source_id: int, name: str, change: Change, now_ms: int
) -> Settings:
    """Changes and returns the settings of a customer; an unknown customer is added.

    Raises CustomerErased for a deleted customer who has not written since.
    """
    source = connection.scalar(select(sources.c.name).where(sources.c.id == source_id))
    if erasures.gone(connection, [f"{source}/{name}"]):
        raise CustomerErased(_ERASED)
    customer = customer_store.locked(connection, source_id, [name], now_ms)[name]
    # It may have waited for the deletion of this very customer.
    if customer.is_new and erasures.among(connection, source_id, [("customer", name)]):
        raise CustomerErased(_ERASED)
    row = {"customer_id": customer.id, "source_id": source_id}
    return _change(connection, customer_presence, row, change)


def change_admin(connection: Connection, admin_id: int, change: Change) -> Settings:
    """Changes and returns the settings of an admin."""
    connection.execute(select(admins.c.id).where(admins.c.id == admin_id).with_for_update())
    return _change(connection, admin_presence, {"admin_id": admin_id}, change)


def _stored(connection: Connection, table: Table, ids: Mapping[str, int]) -> dict[str, Stored]:
    if not ids:
        return {}
    key = key_of(table)
    result = connection.execute(select(table).where(key.in_(list(ids.values()))))
    rows = {row[0]: row for row in result}
    return {person: _from_row(rows[id]) for person, id in ids.items() if id in rows}


def _from_row(row: Row[Any]) -> Stored:
    settings = UNSET if row.settings is None else Settings.from_dict(row.settings)
    return Stored(row.last_seen, row.public_last_seen, settings)


def _change(connection: Connection, table: Table, row: dict[str, int], change: Change) -> Settings:
    key = key_of(table)
    own = key == row[key.name]
    insert_missing(connection, table, [row])
    old_settings = connection.scalar(select(table.c.settings).where(own).with_for_update())
    settings = change(UNSET if old_settings is None else Settings.from_dict(old_settings))
    values: dict[str, object] = {"settings": settings.to_dict()}
    if table is customer_presence:
        values["shown_to"] = settings.visibility if settings.show_last_seen else "nobody"
    connection.execute(update(table).where(own).values(values))
    return settings


def key_of(table: Table) -> Any:
    """Returns the column that identifies the person of a row."""
    return next(iter(table.primary_key))


def admin_ids(people: Iterable[str]) -> dict[str, int]:
    """Maps names in presence to admin ids; names that cannot be an id are left out."""
    return {person: int(person) for person in people if _ADMIN_ID.fullmatch(person)}


def customer_ids(connection: Connection, people: Iterable[str]) -> dict[str, int]:
    """Maps names in presence, SOURCE/ID, to customer ids; unknown ones are left out."""
    by_source: dict[str, list[str]] = defaultdict(list)
    for person in people:
        source, _, name = person.partition("/")
        by_source[source].append(name)
    return {
        f"{source}/{name}": id
        for source, names in by_source.items()
        for id, name in connection.execute(_CUSTOMER_IDS, {"source": source, "names": names})
    }
