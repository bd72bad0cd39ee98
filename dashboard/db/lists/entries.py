"""The lists of queries in SQL's order, to build the lists in Redis and to compare them."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Select,
    and_,
    bindparam,
    func,
    or_,
    select,
    tuple_,
    update,
)

from dashboard.db import id_ranges
from dashboard.db.conditions import COLUMNS
from dashboard.db.id_ranges import within
from dashboard.db.lists.membership import ARCHIVED_BY_ID, is_on, meets, score_of, source_of
from dashboard.db.lists.query_lists import QueryList
from dashboard.db.models.threads import threads
from dashboard.turns import turns
from scoring.conditions.nodes import Within
from scoring.reading import Entry, in_order
from scoring.rebuilding import Row

#: The clocks of two processes may differ by this much.
CLOCKS_MS = 60_000

_SOONER = (
    update(threads)
    .where(
        threads.c.id == bindparam("thread"),
        or_(threads.c.next_change_at.is_(None), threads.c.next_change_at > bindparam("at")),
    )
    .values(next_change_at=bindparam("at"))
)


class Change(NamedTuple):
    """A thread, and the time when its lists may change by time alone."""

    thread: int
    at: int


def entries(
    connection: Connection,
    query_list: QueryList,
    now_ms: int,
    limit: int,
    after: tuple[int, int] | None = None,
) -> list[Entry]:
    """Returns up to `limit` entries of a list in order, from its head or after a (score, id)."""
    score = score_of(query_list, now_ms)
    statement = _on(query_list, now_ms, threads.c.id, score)
    if after is not None:
        statement = statement.where(tuple_(score, threads.c.id) > tuple_(*after))
    rows = connection.execute(statement.order_by(score, threads.c.id).limit(limit))
    return [Entry(id, score) for id, score in rows]


def held(
    connection: Connection, query_list: QueryList, now_ms: int, ids: Collection[int]
) -> set[int]:
    """Returns the threads among these that are on a list."""
    on_list = is_on(query_list, now_ms, by_id=True)
    statement = select(threads.c.id).select_from(source_of(query_list))
    statement = statement.where(threads.c.id.in_(ids), on_list)
    return set(connection.scalars(statement))


def between(
    connection: Connection,
    query_list: QueryList,
    now_ms: int,
    after_id: int,
    last_id: int,
    limit: int,
) -> list[Row]:
    """Returns the first `limit` threads of a list with `after_id` < id <= `last_id`, by id, to fill
    a list in Redis."""
    if _is_any_archived(connection, after_id, last_id):
        ids, on_list = _between(after_id, last_id), is_on(query_list, now_ms)
    else:
        # Without archived threads, a range of ids is a fifth faster than an index that omits them.
        ids, on_list = within(threads.c.id, after_id, last_id), meets(query_list, now_ms)
    columns = threads.c.id, threads.c.revision, score_of(query_list, now_ms)
    statement = select(*columns).select_from(source_of(query_list)).where(on_list, ids)
    rows = connection.execute(statement.order_by(threads.c.id).limit(limit))
    return [(id, revision, (score,), None) for id, revision, score in rows]


def among(
    connection: Connection, query_list: QueryList, now_ms: int, ids: Collection[int]
) -> list[Row]:
    """Returns the threads among these that are on a list, by id, to fill a list in Redis."""
    on_list = is_on(query_list, now_ms, by_id=True)
    columns = threads.c.id, threads.c.revision, score_of(query_list, now_ms)
    statement = select(*columns).select_from(source_of(query_list))
    result = connection.execute(statement.where(threads.c.id.in_(ids), on_list))
    rows: list[Row] = [(id, revision, (score,), None) for id, revision, score in result]
    return sorted(rows, key=itemgetter(0))


def live_between(after_id: int, last_id: int) -> ColumnElement[bool]:
    """Selects the threads with `after_id` < id <= `last_id` that are not archived."""
    return and_(threads.c.archived.is_(False), _between(after_id, last_id))


def live_among(ids: Collection[int]) -> ColumnElement[bool]:
    """Selects the threads among these that are not archived."""
    return and_(ARCHIVED_BY_ID.is_(False), threads.c.id.in_(ids))


def changes_ahead(
    connection: Connection, query_lists: Iterable[QueryList], now_ms: int, some: ColumnElement[bool]
) -> list[Change]:
    """Returns the threads that new lists will change before their stored next change, each with
    that time: a write of a thread considered only the lists that existed then."""
    changes = [*_changes(query_lists)]
    if not changes:
        return []
    # Past changes are not needed: the list is built as of now.
    over_at, due = now_ms - CLOCKS_MS, threads.c.next_change_at
    is_sooner = [
        (change > over_at) & (change > threads.c.listed_at) & or_(due.is_(None), due > change)
        for change in changes
    ]
    statement = select(threads.c.id, threads.c.listed_at, *changes).where(some, or_(*is_sooner))
    return [
        Change(id, min(at for at in times if at is not None and at > max(over_at, listed_at)))
        for id, listed_at, *times in connection.execute(statement)
    ]


def lock_threads(connection: Connection, some: ColumnElement[bool]) -> None:
    """Locks threads as writes of threads do, in the order of ids."""
    if connection.dialect.name == "postgresql":
        connection.execute(
            select(threads.c.id).where(some).order_by(threads.c.id).with_for_update()
        )


def bring_forward(connection: Connection, changes: Sequence[Change]) -> None:
    """Has the queue of due changes take up these threads at these moments, or sooner."""
    if changes:
        # In the order of ids, as all writes lock threads.
        connection.execute(_SOONER, [change._asdict() for change in sorted(changes)])


def _changes(lists: Iterable[QueryList]) -> Iterator[ColumnElement[int]]:
    """Yields the moments at which time may move a thread onto, off or within one of the lists;
    NULL: never."""
    bounds = {
        (leaf.attribute, leaf.measure, bound)
        for query_list in lists
        for leaf in query_list.leaves()
        if isinstance(leaf, Within) and leaf.measure != "instant"
        for bound in leaf.bounds
    }
    for attribute, measure, bound in sorted(bounds):
        column = COLUMNS[attribute]
        yield column + bound if measure == "since" else column - (bound - 1)


def _between(after_id: int, last_id: int) -> ColumnElement[bool]:
    """Selects a range of ids. Unlike `id_ranges.within`, this lets SQLite skip years of archived
    threads, by an index."""
    return and_(threads.c.id > after_id, threads.c.id <= last_id)


def _is_any_archived(connection: Connection, after_id: int, last_id: int) -> bool:
    first = select(func.min(threads.c.id)).where(
        threads.c.archived.is_(True), threads.c.id > after_id
    )
    first_id = connection.scalar(first)
    return first_id is not None and first_id <= last_id


def _on(query_list: QueryList, now_ms: int, *columns: ColumnElement[Any]) -> Select[Any]:
    return select(*columns).select_from(source_of(query_list)).where(is_on(query_list, now_ms))


#: (score, id) of an entry.
Position = tuple[int, int]
#: Threads with `after` < id <= `last`.
Slice = dict[str, int]

_IN_SLICE = id_ranges.within(
    threads.c.id, bindparam("after", type_=BigInteger), bindparam("last", type_=BigInteger)
)


class Found(NamedTuple):
    """The number of threads of a query, None if there was no time to count all of them; and the
    first threads among the counted ones."""

    total: int | None
    entries: list[Entry]


def look_through(
    connection: Connection,
    query_list: QueryList,
    now_ms: int,
    limit: int,
    is_over: Callable[[], bool],
    after: Position | None = None,
    on_list: ColumnElement[bool] | None = None,
) -> Found:
    """Counts the threads of a query and returns the first `limit`, after a position if one is
    given, until `is_over()`.

    The newest threads are looked at first, at least one slice of them. `on_list`: a condition that
    replaces the one for threads on the list.
    """
    on_list = is_on(query_list, now_ms) if on_list is None else on_list
    count, heads = _statements(query_list, on_list, now_ms, limit, after)
    count_of_all, first, has_begun = 0, list[Entry](), False
    for slice in _slices(connection):
        if has_begun and is_over():
            return Found(None, first)
        has_begun = True
        in_slice: int = connection.scalar(count, slice) or 0
        if in_slice and limit:
            entries = [Entry(*row) for row in connection.execute(heads, slice)]
            first = in_order([*first, *entries])[:limit]
        count_of_all += in_slice
    return Found(count_of_all, first)


def listed(
    connection: Connection,
    query_list: QueryList,
    now_ms: int,
    limit: int,
    after: Position | None = None,
) -> tuple[list[Entry], int]:
    """Returns the first `limit` entries, after a position if one is given, and the number of all
    entries."""
    result = look_through(connection, query_list, now_ms, limit, lambda: False, after)
    assert result.total is not None
    return result.entries, result.total


def total(connection: Connection, query_list: QueryList, now_ms: int) -> int:
    """Counts the threads on a list."""
    return listed(connection, query_list, now_ms, limit=0)[1]


def rank(connection: Connection, query_list: QueryList, now_ms: int, id: int) -> int | None:
    """Counts the threads above this one; None if it is not on the list."""
    source, on_list = source_of(query_list), is_on(query_list, now_ms)
    score = score_of(query_list, now_ms)
    own = connection.scalar(select(score).select_from(source).where(on_list, threads.c.id == id))
    if own is None:
        return None
    above = select(func.count()).select_from(source)
    above = above.where(_IN_SLICE, on_list, tuple_(score, threads.c.id) < tuple_(own, id))
    return sum(connection.scalar(above, slice) or 0 for slice in _slices(connection))


def _slices(connection: Connection) -> Iterator[Slice]:
    """Yields slices of all threads, the newest first; other requests run in between."""
    last_id = connection.scalar(select(func.max(threads.c.id))) or 0
    stride = id_ranges.stride(turns.step_seconds)
    while last_id > 0:
        size = stride.size
        with stride.timed():
            yield {"after": last_id - size, "last": last_id}
        stride.adapt()
        last_id -= size
        if last_id > 0:
            turns.give()


def _statements(
    query_list: QueryList,
    on_list: ColumnElement[bool],
    now_ms: int,
    limit: int,
    after: Position | None,
) -> tuple[Select[Any], Select[Any]]:
    """Selects the number of threads of a slice that are on the list, and the first of them."""
    on_list = _IN_SLICE & on_list
    source = source_of(query_list)
    score = score_of(query_list, now_ms)
    heads = select(threads.c.id, score).select_from(source).where(on_list)
    if after is not None:
        heads = heads.where(tuple_(score, threads.c.id) > tuple_(*after))
    # `score + 0`: otherwise SQLite reads a whole index in its order to avoid sorting.
    heads = heads.order_by(score + 0, threads.c.id).limit(limit)
    return select(func.count()).select_from(source).where(on_list), heads
