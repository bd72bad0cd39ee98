"""What conditions and sorts read of a thread, as SQL: columns behind the attributes of Subject."""

from collections.abc import Collection, Mapping
from typing import Any

from sqlalchemy import Column, ColumnElement, Connection, FromClause, bindparam, case, func, select
from sqlalchemy.sql.visitors import iterate

from dashboard.db.models.accounts import sources
from dashboard.db.models.threads import customers, threads
from dashboard.db.threads.thread_tags import SETS_AT, tags_in
from scoring.conditions.subject import TRUTHS, Subject

#: Attribute to its value in SQL, where that is no column of `threads` of the same name.
COMPUTED: Mapping[str, ColumnElement[Any]] = {
    "answered": threads.c.last_admin_at.is_not(None),
    "unanswered": threads.c.last_admin_at.is_(None) & threads.c.first_request_at.is_not(None),
    "snoozed": threads.c.closed.is_(False) & threads.c.snoozed_until.is_not(None),
    "member_status": func.coalesce(customers.c.member_status, -1),
    "source": sources.c.name,
    "locale": customers.c.locale,
    "closed_at": case((threads.c.closed, threads.c.closed_at)),
    "snoozed_until": case((threads.c.closed.is_(False), threads.c.snoozed_until)),
}
#: Every attribute of Subject to its value, over `joined()`.
COLUMNS: Mapping[str, ColumnElement[Any]] = {
    name: COMPUTED[name] if name in COMPUTED else threads.c[name] for name in Subject._fields
}
#: Attribute to the tables that its value is read from.
_TABLES = {
    name: {part.table for part in iterate(value) if isinstance(part, Column)}
    for name, value in COLUMNS.items()
}
#: Positions of what is true or false.
_TRUTHS_AT = [Subject._fields.index(name) for name in TRUTHS]


def joined(attributes: Collection[str] = Subject._fields) -> FromClause:
    """Threads, joined with the tables that these attributes are read from."""
    tables = set().union(*(_TABLES[name] for name in attributes))
    rows: FromClause = threads
    if sources in tables:
        rows = rows.join(sources, sources.c.id == threads.c.source_id)
    if customers in tables:
        rows = rows.join(customers, customers.c.id == threads.c.customer_id, isouter=True)
    return rows


_SUBJECTS = select(
    threads.c.id, *(COLUMNS[name].label(name) for name in Subject._fields)
).select_from(joined())
_BY_ID = _SUBJECTS.where(threads.c.id.in_(bindparam("ids", expanding=True)))


def subjects(connection: Connection, ids: Collection[int]) -> dict[int, Subject]:
    """Thread id to what conditions know of it; unknown ids are left out."""
    if not ids:
        return {}
    found = connection.execute(_BY_ID, {"ids": list(ids)}).all()
    return {id: _subject(values) for id, *values in found}


def _subject(values: list[Any]) -> Subject:
    # By position: a rebuild reads every thread.
    for at in _TRUTHS_AT:
        # SQLite gives 0 and 1 for what it computes.
        values[at] = bool(values[at])
    for at in SETS_AT:
        values[at] = tags_in(values[at])
    return Subject._make(values)
