"""What lasts of presence: what people set, and when they were last seen."""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Table, bindparam, case, select, update

from dashboard.store import customers as customer_store
from dashboard.store.missing import insert_missing, insert_on
from dashboard.store.models import admin_presence, admins, customer_presence, customers, sources
from presence.outbox import Departure
from presence.settings import Settings
from presence.states import UNSET, Stored

#: Longer numbers than any database holds name nobody.
_ADMIN_ID = re.compile("[0-9]{1,15}")
_SEEN = ("last_seen", "public_last_seen")

Change = Callable[[Settings], Settings]

_CUSTOMER_IDS = (
    select(customers.c.id, customers.c.external_id)
    .join(sources, sources.c.id == customers.c.source_id)
    .where(
        sources.c.name == bindparam("source"),
        customers.c.external_id.in_(bindparam("names", expanding=True)),
    )
)


def of_customers(connection: Connection, people: Iterable[str]) -> dict[str, Stored]:
    """What is kept of customers, named SOURCE/ID; those of whom nothing is are left out."""
    return _stored(connection, customer_presence, _customer_ids(connection, people))


def of_admins(connection: Connection, people: Iterable[str]) -> dict[str, Stored]:
    """What is kept of admins, named by their ids."""
    return _stored(connection, admin_presence, _admin_ids(people))


def change_customer(
    connection: Connection, source_id: int, name: str, change: Change, now_ms: int
) -> Settings:
    """Changes what a customer set, who is made if new; what is set then."""
    found = customer_store.locked(connection, source_id, [name], now_ms)
    return _change(connection, customer_presence, found[name]["id"], change)


def change_admin(connection: Connection, admin_id: int, change: Change) -> Settings:
    """Changes what an admin set; what is set then."""
    connection.execute(select(admins.c.id).where(admins.c.id == admin_id).with_for_update())
    return _change(connection, admin_presence, admin_id, change)


def note_customers(connection: Connection, departures: Collection[Departure]) -> None:
    """Moves last seen on, and never back; customers that there are not are passed over."""
    known = _customer_ids(connection, [one.person for one in departures])
    _note(connection, customer_presence, known, departures)


def note_admins(connection: Connection, departures: Collection[Departure]) -> None:
    wanted = _admin_ids(one.person for one in departures)
    there = set(connection.scalars(select(admins.c.id).where(admins.c.id.in_(wanted.values()))))
    known = {person: id for person, id in wanted.items() if id in there}
    _note(connection, admin_presence, known, departures)


def _stored(connection: Connection, table: Table, ids: Mapping[str, int]) -> dict[str, Stored]:
    if not ids:
        return {}
    key = _key(table)
    found = connection.execute(select(table).where(key.in_(list(ids.values()))))
    rows = {row[0]: row for row in found}
    return {person: _one(rows[id]) for person, id in ids.items() if id in rows}


def _one(row: Row[Any]) -> Stored:
    settings = UNSET if row.settings is None else Settings.from_dict(row.settings)
    return Stored(row.last_seen, row.public_last_seen, settings)


def _change(connection: Connection, table: Table, id: int, change: Change) -> Settings:
    key = _key(table)
    insert_missing(connection, table, [{key.name: id}])
    held = connection.scalar(select(table.c.settings).where(key == id).with_for_update())
    settings = change(UNSET if held is None else Settings.from_dict(held))
    connection.execute(update(table).where(key == id).values(settings=settings.to_dict()))
    return settings


def _note(
    connection: Connection,
    table: Table,
    ids: Mapping[str, int],
    departures: Collection[Departure],
) -> None:
    key = _key(table)
    seen = [
        {
            key.name: ids[one.person],
            "last_seen": one.last_seen,
            "public_last_seen": one.public_last_seen,
        }
        for one in sorted(departures, key=lambda one: ids.get(one.person, 0))
        if one.person in ids
    ]
    if not seen:
        return
    added = insert_on(connection, table)
    moved = {name: _later(table.c[name], added.excluded[name]) for name in _SEEN}
    connection.execute(added.on_conflict_do_update(index_elements=[key], set_=moved), seen)


def _later(held: ColumnElement[Any], new: ColumnElement[Any]) -> ColumnElement[Any]:
    return case((new.is_(None), held), (held.is_(None) | (held < new), new), else_=held)


def _key(table: Table) -> Any:
    return next(iter(table.primary_key))


def _admin_ids(people: Iterable[str]) -> dict[str, int]:
    return {person: int(person) for person in people if _ADMIN_ID.fullmatch(person)}


def _customer_ids(connection: Connection, people: Iterable[str]) -> dict[str, int]:
    by_source: dict[str, list[str]] = defaultdict(list)
    for person in people:
        source, _, name = person.partition("/")
        by_source[source].append(name)
    return {
        f"{source}/{name}": id
        for source, names in by_source.items()
        for id, name in connection.execute(_CUSTOMER_IDS, {"source": source, "names": names})
    }
