"""Customers by the time that they were last seen, read from SQL."""

import heapq
from itertools import islice
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, false, func, or_, select

from dashboard.db.accounts.sources import names_by_source
from dashboard.db.database import Database
from dashboard.db.models.accounts import sources
from dashboard.db.models.presence import customer_presence
from dashboard.db.models.threads import customers
from presence.last_seen.rows import Audience, Row, Wanted


class SeenCustomers:
    """What SQL knows of customers, named SOURCE/ID. Methods raise StorageUnavailable."""

    def __init__(self, database: Database):
        self._database = database

    def page(self, audience: Audience, wanted: Wanted, limit: int) -> list[Row]:
        """The first `limit` rows, newest first, of equal times the greatest name first."""
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
        """How many rows there are of these times."""
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
    """The statement for the wanted people alone, named SOURCE/ID; None: for all."""
    if wanted.people is None:
        return statement
    if not wanted.people:
        return statement.where(false())
    named = (
        (sources.c.name == source) & customers.c.external_id.in_(names)
        for source, names in names_by_source(wanted.people).items()
    )
    return statement.where(or_(*named))


def _ranges(
    connection: Connection, audience: Audience, group: str | None
) -> list[tuple[ColumnElement[int], ColumnElement[bool]]]:
    """(Column of times, condition) of ranges of an index: of each source where all may be known."""
    named = select(sources.c.id).order_by(sources.c.id)
    if group is not None:
        named = named.where(sources.c.name == group)
    if audience != "truth":
        shown = customer_presence.c.shown_to == audience
        own = customer_presence.c.source_id.in_(named)
        return [(customer_presence.c.public_last_seen, shown if group is None else shown & own)]
    return [
        (customer_presence.c.last_seen, customer_presence.c.source_id == id)
        for id in connection.scalars(named)
    ]


def _page(
    connection: Connection,
    time: ColumnElement[int],
    where: ColumnElement[bool],
    wanted: Wanted,
    limit: int,
) -> Select[Any]:
    name = sources.c.name + "/" + customers.c.external_id
    # By bytes, as SQLite compares without being told.
    by_bytes = name if connection.dialect.name == "sqlite" else name.collate("C")
    found = (
        _of_people(select(time.label("at"), name.label("person")).select_from(_NAMED), wanted)
        .where(where, time.between(wanted.from_ms, wanted.to_ms))
        .order_by(time.desc(), by_bytes.desc())
        .limit(limit)
    )
    if wanted.after is None:
        return found
    at, last = wanted.after.last_seen, wanted.after.name.decode()
    return found.where(time <= at, or_(time < at, by_bytes < last))
