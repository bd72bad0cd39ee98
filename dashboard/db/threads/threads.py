"""Reads threads: names, lists in order, and their lengths."""

from collections.abc import Collection, Iterable, Sequence
from operator import itemgetter
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
    update,
)

from dashboard.db.models.accounts import sources
from dashboard.db.models.threads import customers, threads
from scoring.reading import Entry
from scoring.sorts import SORTS


def rank(
    connection: Connection, view: str, filter: str, admin_id: int, sort: str, id: int
) -> int | None:
    """Returns the rank of a thread in a list, 0 for the first; None if it is not on the list."""
    where = on_list(view, filter, admin_id)
    score = threads.c[f"score_{sort}"]
    own = connection.scalar(select(score).where(threads.c.id == id, *where))
    if own is None:
        return None
    before = tuple_(score, threads.c.id) < tuple_(own, id)
    statement = select(func.count()).select_from(threads).where(*where, before)
    return connection.scalar(statement)


#: Whether the thread is on any list.
_IS_LIVE = threads.c.archived.is_(False)
_IS_OPEN = _IS_LIVE & threads.c.closed.is_(False)
_VIEW_WHERE: dict[str, ColumnElement[bool]] = {
    "arrival": _IS_OPEN & threads.c.snoozed_until.is_(None),
    "not_respond": _IS_OPEN
    & threads.c.waiting_since.is_not(None)
    & threads.c.snoozed_until.is_(None),
    "history": _IS_LIVE & threads.c.closed.is_(True),
}
_HAS_ID = threads.c.id.in_(bindparam("ids", expanding=True))
_STATE = case(
    (threads.c.closed, "history"),
    (threads.c.snoozed_until.is_not(None), "snoozed"),
    (threads.c.waiting_since.is_(None), "quiet"),
    else_="waits",
)
#: Counts the threads of each admin by their state: reads all threads on lists.
ASSIGNED = (
    select(_STATE, threads.c.assignee_id, func.count())
    .where(_IS_LIVE)
    .group_by(_STATE, threads.c.assignee_id)
)
_BY_NAME = select(threads.c.id).where(
    threads.c.source_id == bindparam("source"), threads.c.external_id == bindparam("name")
)
_WITH_CUSTOMER = (
    select(threads.c.id, customers.c.external_id)
    .join_from(threads, customers, customers.c.id == threads.c.customer_id, isouter=True)
    .where(threads.c.source_id == bindparam("source"), threads.c.external_id == bindparam("name"))
)
_CUSTOMER_OF = (
    select(sources.c.name + "/" + customers.c.external_id)
    .join_from(customers, sources, sources.c.id == customers.c.source_id)
    .join(threads, threads.c.customer_id == customers.c.id)
    .where(threads.c.id == bindparam("thread"))
)
_NAMES = (
    select(threads.c.id, sources.c.name, threads.c.external_id)
    .join_from(threads, sources, sources.c.id == threads.c.source_id)
    .where(_HAS_ID)
)


class ThreadName(NamedTuple):
    """The name of a thread in the API: its source, and the source's id of it."""

    source: str
    thread: str


def known(connection: Connection, source_id: int, names: Collection[str]) -> set[str]:
    """Returns the ids among these that threads of this source have."""
    statement = select(threads.c.external_id).where(
        threads.c.source_id == source_id, threads.c.external_id.in_(names)
    )
    return set(connection.scalars(statement))


def id_of(connection: Connection, source_id: int, name: str) -> int | None:
    """Returns the row id of a source's thread, or None."""
    return connection.scalar(_BY_NAME, {"source": source_id, "name": name})


def with_customer(
    connection: Connection, source_id: int, name: str
) -> tuple[int, str | None] | None:
    """Returns the row id of a source's thread, and the source's id of its customer, if any."""
    row = connection.execute(_WITH_CUSTOMER, {"source": source_id, "name": name}).first()
    return None if row is None else (row[0], row[1])


def customer_of(connection: Connection, id: int) -> str | None:
    """Returns the customer of a thread, named SOURCE/ID; None if it has none."""
    return connection.scalar(_CUSTOMER_OF, {"thread": id})


def desks_of(connection: Connection, ids: Collection[int]) -> dict[int, str]:
    """Maps thread ids to desks; unknown ids are left out."""
    rows = connection.execute(select(threads.c.id, threads.c.desk).where(threads.c.id.in_(ids)))
    return {row.id: row.desk for row in rows}


def is_any_at(connection: Connection, desks: Collection[str]) -> bool:
    """Whether there is a thread at one of these desks."""
    statement = select(threads.c.id).where(threads.c.desk.in_(desks)).limit(1)
    return connection.scalar(statement) is not None


def is_any_of(connection: Connection, source: str) -> bool:
    """Whether there is a thread of the source with this name."""
    source_id = select(sources.c.id).where(sources.c.name == source).scalar_subquery()
    statement = select(threads.c.id).where(threads.c.source_id == source_id).limit(1)
    return connection.scalar(statement) is not None


def closed_and_priority(connection: Connection, id: int) -> tuple[bool, str]:
    """Returns whether a thread is closed, and its priority."""
    statement = select(threads.c.closed, threads.c.priority).where(threads.c.id == id)
    closed, priority = connection.execute(statement).one()
    return closed, priority


def last_message_ids(connection: Connection, ids: Collection[int]) -> dict[int, int]:
    """Maps thread ids to the highest id of a message that is no note; 0 without one."""
    statement = select(threads.c.id, threads.c.last_message_id).where(threads.c.id.in_(ids))
    return {id: last_id or 0 for id, last_id in connection.execute(statement)}


def names(connection: Connection, ids: Collection[int]) -> dict[int, ThreadName]:
    """Maps thread ids to source and external id; unknown ids are left out."""
    if not ids:
        return {}
    rows = connection.execute(_NAMES, {"ids": list(ids)})
    return {id: ThreadName(source, name) for id, source, name in rows}


def listed(
    connection: Connection,
    view: str,
    filter: str,
    admin_id: int | None,
    sort: str,
    limit: int,
    after: tuple[int, int] | None = None,
) -> list[Entry]:
    """Returns up to `limit` entries of a list in order, from its head or after a (score, id)."""
    score = threads.c[f"score_{sort}"]
    statement = select(threads.c.id, score).where(*on_list(view, filter, admin_id))
    if after is not None:
        statement = statement.where(tuple_(score, threads.c.id) > tuple_(*after))
    rows = connection.execute(statement.order_by(score, threads.c.id).limit(limit))
    return [Entry(id, score) for id, score in rows]


def total(connection: Connection, view: str, filter: str, admin_id: int | None) -> int:
    """Counts the threads on a list."""
    return (
        connection.scalar(
            select(func.count()).select_from(threads).where(*on_list(view, filter, admin_id))
        )
        or 0
    )


def waiting_before(
    connection: Connection, times_ms: Sequence[int], desks: Collection[str] | None
) -> list[int]:
    """Counts for each time the threads on `not_respond` that have waited since before it.

    `desks`: counts the threads of these desks alone; None: of all.
    """
    since: Column[int | None] = threads.c.waiting_since
    counts = [func.count().filter(since < time) for time in times_ms]
    where = [*on_list("not_respond", "all", None), since < max(times_ms)]
    if desks is not None:
        where.append(threads.c.desk.in_(desks))
    return list(connection.execute(select(*counts).select_from(threads).where(*where)).one())


def assigned(rows: Iterable[Sequence[Any]]) -> dict[str, dict[int, int]]:
    """Maps views to the number of threads of each admin, by id; 0: unassigned. Numbers of 0 are
    left out. `rows` are the result of ASSIGNED."""
    by_view: dict[str, dict[int, int]] = {}
    for state, assignee_id, count in rows:
        for name in VIEWS_OF[state]:
            of_view = by_view.setdefault(name, {})
            of_view[assignee_id or 0] = of_view.get(assignee_id or 0, 0) + count
    return by_view


def due(connection: Connection, now_ms: int, limit: int) -> list[int]:
    """Returns up to `limit` ids of threads that time has changed, the longest due ones. Threads
    that stand highest in any sort come first."""
    due_at, scores = threads.c.next_change_at, [threads.c[f"score_{name}"] for name in SORTS]
    statement = select(threads.c.id, *scores).where(due_at <= now_ms).order_by(due_at).limit(limit)
    rows = connection.execute(statement).all()
    best: dict[int, int] = {}
    for column in range(1, 1 + len(scores)):
        for place, row in enumerate(sorted(rows, key=itemgetter(column, 0))):
            best[row[0]] = min(place, best.get(row[0], place))
    return sorted(best, key=lambda id: (best[id], id))


def has_untaken(connection: Connection, ids: Collection[int], now_ms: int) -> bool:
    """Whether an admin has not opened one of these threads in the time that a queue gave for it."""
    statement = select(threads.c.id).where(threads.c.id.in_(ids), threads.c.take_until <= now_ms)
    return connection.scalar(statement.limit(1)) is not None


def is_to_open(connection: Connection, thread_id: int, admin_id: int) -> bool:
    """Whether the admin must open a thread that a queue gave to the admin."""
    statement = select(threads.c.take_until).where(
        threads.c.id == thread_id, threads.c.assignee_id == admin_id
    )
    return connection.scalar(statement) is not None


def set_opened(connection: Connection, thread_id: int, admin_id: int) -> None:
    """Notes that the admin has opened a thread that a queue gave to the admin."""
    connection.execute(
        update(threads)
        .where(threads.c.id == thread_id, threads.c.assignee_id == admin_id)
        .values(take_until=None)
    )


def last_id(connection: Connection) -> int:
    """Returns the greatest id of a thread; 0 without threads."""
    return connection.scalar(select(func.max(threads.c.id))) or 0


def first_live_id(connection: Connection, after_id: int) -> int | None:
    """Returns the id of the next thread after this id that is not archived, or None."""
    return connection.scalar(
        select(func.min(threads.c.id)).where(_IS_LIVE, threads.c.id > after_id)
    )


#: Maps the state of a thread (see _STATE) to the views that hold it.
VIEWS_OF: dict[str, frozenset[str]] = {
    "history": frozenset({"history"}),
    "snoozed": frozenset(),
    "quiet": frozenset({"arrival"}),
    "waits": frozenset({"arrival", "not_respond"}),
}


def on_list(view: str, filter: str, admin_id: int | None) -> list[ColumnElement[bool]]:
    """Returns the conditions of a view and filter, as `scoring.views` defines them."""
    assignee: Column[int] = threads.c.assignee_id
    by_filter: dict[str, list[ColumnElement[bool]]] = {
        "all": [],
        "unassigned": [assignee.is_(None)],
        "mine": [assignee == admin_id],
    }
    return [_VIEW_WHERE[view], *by_filter[filter]]
