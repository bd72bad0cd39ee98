"""Threads as they are read: rows for dashboards, lists in order, and where each one belongs."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    bindparam,
    case,
    func,
    select,
    tuple_,
)

from dashboard.store.models import admins, customers, sources, threads
from scoring.pages import tags_of
from scoring.ranking import Placement
from scoring.reading import Entry
from scoring.sorts import SORTS

_PAGE_WHERE: dict[str, ColumnElement[bool]] = {
    "arrival": threads.c.closed.is_(False),
    "not_respond": threads.c.closed.is_(False) & threads.c.waiting_since.is_not(None),
    "history": threads.c.closed.is_(True),
}
_SCORES = tuple(threads.c[f"score_{name}"] for name in SORTS)
_PLACEMENT = select(
    threads.c.id,
    threads.c.revision,
    threads.c.closed,
    threads.c.waiting_since,
    threads.c.assignee_id,
    *_SCORES,
)
_PLACED = _PLACEMENT.where(threads.c.id.in_(bindparam("ids", expanding=True)))
_ROWS = (
    select(
        threads.c.id,
        threads.c.revision,
        threads.c.external_id,
        sources.c.name,
        customers.c.external_id,
        customers.c.name,
        customers.c.avatar_url,
        customers.c.member_status,
        customers.c.locale,
        threads.c.preview_role,
        threads.c.preview_body,
        threads.c.preview_at,
        threads.c.closed,
        threads.c.priority,
        threads.c.recent_at,
        threads.c.waiting_since,
        threads.c.last_admin_at,
        threads.c.unanswered,
        threads.c.assignee_id,
        admins.c.name,
    )
    .join_from(threads, sources, sources.c.id == threads.c.source_id)
    .join(customers, customers.c.id == threads.c.customer_id, isouter=True)
    .join(admins, admins.c.id == threads.c.assignee_id, isouter=True)
    .where(threads.c.id.in_(bindparam("ids", expanding=True)))
)
_BY_NAME = select(threads.c.id).where(
    threads.c.source_id == bindparam("source"), threads.c.external_id == bindparam("name")
)
_NAMES = (
    select(threads.c.id, sources.c.name, threads.c.external_id)
    .join_from(threads, sources, sources.c.id == threads.c.source_id)
    .where(threads.c.id.in_(bindparam("ids", expanding=True)))
)


class ThreadName(NamedTuple):
    """What a thread is called outside: its source and that one's own id."""

    source: str
    thread: str


def rows(connection: Connection, ids: Collection[int]) -> dict[int, dict[str, Any]]:
    """The rows of these threads as dashboards show them; unknown ids are left out."""
    if not ids:
        return {}
    found = connection.execute(_ROWS, {"ids": list(ids)})
    return {row[0]: _shown(row) for row in found}


def id_of(connection: Connection, source_id: int, name: str) -> int | None:
    """Our id of a source's thread."""
    return connection.scalar(_BY_NAME, {"source": source_id, "name": name})


def closed_and_priority(connection: Connection, id: int) -> tuple[bool, str]:
    """Whether a thread is closed, and how urgent it is."""
    found = select(threads.c.closed, threads.c.priority).where(threads.c.id == id)
    closed, priority = connection.execute(found).one()
    return closed, priority


def names(connection: Connection, ids: Collection[int]) -> dict[int, ThreadName]:
    """What these threads are called outside; unknown ids are left out."""
    if not ids:
        return {}
    found = connection.execute(_NAMES, {"ids": list(ids)})
    return {id: ThreadName(source, name) for id, source, name in found}


def listed(
    connection: Connection,
    page: str,
    filter: str,
    admin_id: int | None,
    sort: str,
    limit: int,
    after: tuple[int, int] | None = None,
) -> list[Entry]:
    """A list from its head, or what follows (score, id), in its order."""
    score = threads.c[f"score_{sort}"]
    statement = select(threads.c.id, score).where(*on_list(page, filter, admin_id))
    if after is not None:
        statement = statement.where(tuple_(score, threads.c.id) > tuple_(*after))
    found = connection.execute(statement.order_by(score, threads.c.id).limit(limit))
    return [Entry(id, score) for id, score in found]


def total(connection: Connection, page: str, filter: str, admin_id: int | None) -> int:
    """How many threads a list holds."""
    return (
        connection.scalar(
            select(func.count()).select_from(threads).where(*on_list(page, filter, admin_id))
        )
        or 0
    )


def totals(connection: Connection) -> dict[str, int]:
    """How many threads each tag holds, of those that hold any."""
    page = case(
        (threads.c.closed, "history"), (threads.c.waiting_since.is_(None), "quiet"), else_="waits"
    )
    counts = connection.execute(
        select(page, threads.c.assignee_id, func.count()).group_by(page, threads.c.assignee_id)
    )
    found: dict[str, int] = {}
    for state, assignee_id, count in counts:
        for name in tags_of(_PAGES_OF[state], assignee_id):
            found[name] = found.get(name, 0) + count
    return found


def placements(connection: Connection, ids: Collection[int]) -> list[Placement]:
    """Where these threads belong; they leave nothing. Unknown ids are left out."""
    if not ids:
        return []
    return _placements(connection.execute(_PLACED, {"ids": list(ids)}))


def placements_after(connection: Connection, after_id: int, limit: int) -> list[Placement]:
    """Where the next threads in the order of ids belong."""
    statement = _PLACEMENT.where(threads.c.id > after_id).order_by(threads.c.id).limit(limit)
    return _placements(connection.execute(statement))


def unplaced(connection: Connection, limit: int) -> dict[int, int]:
    """Threads whose last revision is not known to stand in Redis: id to revision."""
    statement = (
        select(threads.c.id, threads.c.revision)
        .where(threads.c.placed_revision != threads.c.revision)
        .order_by(threads.c.id)
        .limit(limit)
    )
    return {row.id: row.revision for row in connection.execute(statement)}


def last_id(connection: Connection) -> int:
    """The greatest id of a thread; 0 without any."""
    return connection.scalar(select(func.max(threads.c.id))) or 0


_PAGES_OF = {
    "history": ("history",),
    "quiet": ("arrival",),
    "waits": ("arrival", "not_respond"),
}


def on_list(page: str, filter: str, admin_id: int | None) -> list[ColumnElement[bool]]:
    """What `scoring.pages` says of a page and filter, for SQL."""
    assignee: Column[int] = threads.c.assignee_id
    by_filter: dict[str, list[ColumnElement[bool]]] = {
        "all": [],
        "unassigned": [assignee.is_(None)],
        "mine": [assignee == admin_id],
    }
    return [_PAGE_WHERE[page], *by_filter[filter]]


def _placements(found: Iterable[Sequence[Any]]) -> list[Placement]:
    return [
        Placement(id, revision, frozenset(), tags_of(_pages(closed, waiting), assignee), scores)
        for id, revision, closed, waiting, assignee, *rest in found
        for scores in (tuple(rest),)
    ]


def _pages(closed: bool, waiting_since: int | None) -> tuple[str, ...]:
    if closed:
        return _PAGES_OF["history"]
    return _PAGES_OF["quiet" if waiting_since is None else "waits"]


def _shown(row: Sequence[Any]) -> dict[str, Any]:
    (id, revision, name, source, *person), rest = row[:9], row[9:]
    role, body, at, closed, priority, recent_at, waiting_since, answered, unanswered, *who = rest
    return {
        "id": id,
        "rev": revision,
        "thread": name,
        "source": source,
        "customer": _customer(source, *person),
        "preview": {"role": role, "body": body, "at": at} if role is not None else None,
        "open": not closed,
        "priority": priority,
        "recent_at": recent_at,
        "waiting_since": waiting_since,
        "answered": answered is not None,
        "unanswered": unanswered,
        "assignee": {"id": who[0], "name": who[1]} if who[0] is not None else None,
    }


def _customer(
    source: str,
    name_there: str | None,
    name: str | None,
    avatar_url: str | None,
    member_status: int,
    locale: str | None,
) -> dict[str, Any] | None:
    if name_there is None:
        return None
    return {
        "id": f"{source}/{name_there}",
        "name": name,
        "avatar_url": avatar_url,
        "member_status": member_status,
        "locale": locale,
    }
