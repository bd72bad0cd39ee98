"""Last-seen times of customers and admins: saved in batches, listed, and kept."""

import heapq
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    Table,
    case,
    delete,
    false,
    func,
    or_,
    select,
)

from dashboard.db import erasures
from dashboard.db.accounts.presence_settings import admin_ids, customer_ids, key_of
from dashboard.db.accounts.sources import names_by_source
from dashboard.db.database import Database
from dashboard.db.driver import RowValues, insert_on
from dashboard.db.models.accounts import admin_presence, admins, customer_presence, sources
from dashboard.db.models.threads import customers
from presence.listing import Audience, Row, Wanted
from presence.outbox import Departure


class SeenCustomers:
    """Reads last-seen times of customers, named SOURCE/ID. Methods raise StorageUnavailable."""

    def __init__(self, database: Database):
        self._database = database

    def page(self, audience: Audience, wanted: Wanted, limit: int) -> list[Row]:
        """Returns the first `limit` rows, newest first; at equal times the greatest name first."""
        with self._database.read() as connection:
            runs = [
                [
                    Row(row.at, row.person.encode())
                    for row in connection.execute(_page(connection, time, where, wanted, limit))
                ]
                for time, where in _ranges(connection, audience, wanted.group)
            ]
        return list(islice(heapq.merge(*runs, reverse=True), limit))

    def count(self, audience: Audience, wanted: Wanted) -> int:
        """Counts the rows with these times."""
        with self._database.read() as connection:
            return sum(
                connection.scalar(
                    _of_people(
                        select(func.count()).select_from(_NAMED)
                        if wanted.people
                        else select(func.count()).select_from(customer_presence),
                        wanted,
                    ).where(where, time.between(wanted.from_ms, wanted.to_ms))
                )
                or 0
                for time, where in _ranges(connection, audience, wanted.group)
            )


_NAMED = customer_presence.join(customers, customers.c.id == customer_presence.c.customer_id).join(
    sources, sources.c.id == customers.c.source_id
)


def _of_people(statement: Select[Any], wanted: Wanted) -> Select[Any]:
    """Narrows a statement to the wanted people, named SOURCE/ID; None: all."""
    if wanted.people is None:
        return statement
    if not wanted.people:
        return statement.where(false())
    conditions = (
        (sources.c.name == source) & customers.c.external_id.in_(names)
        for source, names in names_by_source(wanted.people).items()
    )
    return statement.where(or_(*conditions))


def _ranges(
    connection: Connection, audience: Audience, group: str | None
) -> list[tuple[ColumnElement[int], ColumnElement[bool]]]:
    """Returns (column of times, condition) for each index range: one, for `truth` one a source."""
    statement = select(sources.c.id).order_by(sources.c.id)
    if group is not None:
        statement = statement.where(sources.c.name == group)
    if audience != "truth":
        shown = customer_presence.c.shown_to == audience
        own = customer_presence.c.source_id.in_(statement)
        return [(customer_presence.c.public_last_seen, shown if group is None else shown & own)]
    return [
        (customer_presence.c.last_seen, customer_presence.c.source_id == id)
        for id in connection.scalars(statement)
    ]


def _page(
    connection: Connection,
    time: ColumnElement[int],
    where: ColumnElement[bool],
    wanted: Wanted,
    limit: int,
) -> Select[Any]:
    name = sources.c.name + "/" + customers.c.external_id
    # Compares bytes; SQLite does so by default.
    by_bytes = name if connection.dialect.name == "sqlite" else name.collate("C")
    statement = (
        _of_people(select(time.label("at"), name.label("person")).select_from(_NAMED), wanted)
        .where(where, time.between(wanted.from_ms, wanted.to_ms))
        .order_by(time.desc(), by_bytes.desc())
        .limit(limit)
    )
    if wanted.after is None:
        return statement
    at, last = wanted.after.last_seen, wanted.after.name.decode()
    return statement.where(time <= at, or_(time < at, by_bytes < last))


_SEEN = ("last_seen", "public_last_seen")


def save_customers(connection: Connection, departures: Collection[Departure]) -> None:
    """Saves the times customers were last seen; a time never goes back.

    Unknown customers, such as visitors who never wrote, are added, unless they were deleted.
    """
    seen = {one.person: one for one in departures}
    ids = customer_ids(connection, seen)
    unknown = [one for one in departures if one.person not in ids and one.last_seen is not None]
    if unknown:
        _add(connection, unknown)
        ids |= customer_ids(connection, [one.person for one in unknown])
    source_ids = _source_ids(connection, ids)
    rows = {
        id: {"customer_id": id, "source_id": source_ids[person.partition("/")[0]]}
        for person, id in ids.items()
    }
    _save(connection, customer_presence, ids, seen.values(), rows)


def save_admins(connection: Connection, departures: Collection[Departure]) -> None:
    """Saves the times admins were last seen; a time never goes back, unknown ids are ignored."""
    ids = admin_ids(one.person for one in departures)
    existing = set(connection.scalars(select(admins.c.id).where(admins.c.id.in_(ids.values()))))
    ids = {person: id for person, id in ids.items() if id in existing}
    _save(connection, admin_presence, ids, departures, {id: {"admin_id": id} for id in existing})


def _add(connection: Connection, unknown: Collection[Departure]) -> None:
    """Adds customers of known sources, except deleted ones."""
    by_source: dict[str, dict[str, int | None]] = defaultdict(dict)
    for one in unknown:
        source, _, name = one.person.partition("/")
        by_source[source][name] = one.last_seen
    for source, source_id in _source_ids(connection, [one.person for one in unknown]).items():
        seen = by_source[source]
        rows = [
            {"source_id": source_id, "external_id": name, "created_at": seen[name]}
            for name in sorted(seen.keys() - _erased(connection, source_id, seen))
        ]
        if rows:
            _insert(connection, source_id, rows)


def _insert(connection: Connection, source_id: int, rows: Sequence[RowValues]) -> None:
    """Inserts rows. Waits for a concurrent deletion, and so finds deleted people afterwards."""
    insert = insert_on(connection, customers).on_conflict_do_nothing()
    result = connection.execute(insert.returning(customers.c.id, customers.c.external_id), rows)
    ids = {row.external_id: row.id for row in result}
    erased = [ids[name] for name in _erased(connection, source_id, ids)]
    if erased:
        connection.execute(delete(customers).where(customers.c.id.in_(erased)))


def _erased(connection: Connection, source_id: int, names: Iterable[str]) -> set[str]:
    pairs: list[tuple[erasures.Kind, str]] = [("customer", name) for name in names]
    return {name for _, name in erasures.among(connection, source_id, pairs)}


def _source_ids(connection: Connection, people: Collection[str]) -> dict[str, int]:
    names = {person.partition("/")[0] for person in people}
    statement = select(sources.c.name, sources.c.id).where(sources.c.name.in_(names))
    return {row.name: row.id for row in connection.execute(statement)}


def _save(
    connection: Connection,
    table: Table,
    ids: Mapping[str, int],
    departures: Collection[Departure],
    rows: Mapping[int, RowValues],
) -> None:
    seen = [
        {
            **rows[ids[one.person]],
            "last_seen": one.last_seen,
            "public_last_seen": one.public_last_seen,
        }
        # In the order of ids, so that concurrent writers do not deadlock.
        for one in sorted(departures, key=lambda one: ids.get(one.person, 0))
        if one.person in ids
    ]
    if not seen:
        return
    statement = insert_on(connection, table)
    values = {name: _later(table.c[name], statement.excluded[name]) for name in _SEEN}
    connection.execute(
        statement.on_conflict_do_update(index_elements=[key_of(table)], set_=values), seen
    )


def _later(old: ColumnElement[Any], new: ColumnElement[Any]) -> ColumnElement[Any]:
    return case((new.is_(None), old), (old.is_(None) | (old < new), new), else_=old)
