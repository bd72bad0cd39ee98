"""What conditions and sorts read of a thread, as SQL: columns behind the attributes of Subject."""

from collections.abc import Collection, Mapping
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    FromClause,
    and_,
    bindparam,
    case,
    func,
    select,
)

from dashboard.db.models.accounts import sources
from dashboard.db.models.threads import customers, threads
from dashboard.db.threads.thread_tags import tags_in
from scoring.conditions.subject import Subject

#: Attribute of Subject to its value, over `joined()`. What is never NULL stands in NEVER_MISSING.
COLUMNS: Mapping[str, ColumnElement[Any]] = {
    "closed": threads.c.closed,
    "answered": threads.c.last_admin_at.is_not(None),
    "unanswered": and_(threads.c.last_admin_at.is_(None), threads.c.first_request_at.is_not(None)),
    "snoozed": and_(threads.c.closed.is_(False), threads.c.snoozed_until.is_not(None)),
    "assignee_id": threads.c.assignee_id,
    "priority": threads.c.priority,
    "member_status": func.coalesce(customers.c.member_status, -1),
    "source": sources.c.name,
    "locale": customers.c.locale,
    "last_role": threads.c.last_role,
    "waiting_since": threads.c.waiting_since,
    "last_client_at": threads.c.last_client_at,
    "first_event_at": threads.c.first_event_at,
    "closed_at": case((threads.c.closed, threads.c.closed_at)),
    "due_at": threads.c.due_at,
    "first_request_at": threads.c.first_request_at,
    "assigned_at": threads.c.assigned_at,
    "snoozed_until": case((threads.c.closed.is_(False), threads.c.snoozed_until)),
    "tags": threads.c.tags,
    "desk": threads.c.desk,
    "mentioned": threads.c.mentioned,
}
#: Attributes that are true or false in SQL, too.
TRUTHS = frozenset({"closed", "answered", "unanswered", "snoozed"})
NEVER_MISSING = TRUTHS | {"priority", "member_status", "source", "desk"}
#: Attributes for which a thread must be joined with its source or its customer.
_OF_SOURCES = frozenset({"source"})
_OF_CUSTOMERS = frozenset({"member_status", "locale"})
#: Positions in a Subject: of what is true or false, and of what SQL has as one text.
_TRUTHS_AT = [at for at, name in enumerate(Subject._fields) if name in TRUTHS]
_TEXTS_AT = [Subject._fields.index(name) for name in ("tags", "mentioned")]


def joined(attributes: Collection[str] = Subject._fields) -> FromClause:
    """Threads, joined with the tables that these attributes are read from."""
    found: FromClause = threads
    if not _OF_SOURCES.isdisjoint(attributes):
        found = found.join(sources, sources.c.id == threads.c.source_id)
    if not _OF_CUSTOMERS.isdisjoint(attributes):
        found = found.join(customers, customers.c.id == threads.c.customer_id, isouter=True)
    return found


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
    for at in _TEXTS_AT:
        values[at] = tags_in(values[at])
    return Subject._make(values)
