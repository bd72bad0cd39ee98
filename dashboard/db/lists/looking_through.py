"""Looks through all threads for those of a query, in slices, so that others are served between:
while Redis is away, and for queries that have no list there."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Select,
    bindparam,
    func,
    select,
    tuple_,
)

from dashboard.db import id_ranges
from dashboard.db.lists.query_lists import QueryList
from dashboard.db.lists.standing import is_on, score_of, source_of
from dashboard.db.models.threads import threads
from dashboard.turns import turns
from scoring.reading import Entry, in_order

#: (score, id) of an entry.
Position = tuple[int, int]
#: Threads with `after` < id <= `last`.
Slice = dict[str, int]

_IN_SLICE = id_ranges.within(
    threads.c.id, bindparam("after", type_=BigInteger), bindparam("last", type_=BigInteger)
)


class Found(NamedTuple):
    """How many threads a query has, None where there was no time to count all of them; and the
    first of those that were looked at."""

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
    """Counts the threads of a query and gives the first `limit`, those after a position if one is
    given, until `is_over()`.

    The newest threads are looked at first, at least one slice of them. `on_list`: which threads are
    asked for, if not those that the list holds.
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
    """The first `limit` entries, those after a position if one is given; and how many there are in
    all."""
    found = look_through(connection, query_list, now_ms, limit, lambda: False, after)
    assert found.total is not None
    return found.entries, found.total


def total(connection: Connection, query_list: QueryList, now_ms: int) -> int:
    """The number of threads on a list."""
    return listed(connection, query_list, now_ms, limit=0)[1]


def rank(connection: Connection, query_list: QueryList, now_ms: int, id: int) -> int | None:
    """How many threads are above this one; None where it is not on the list."""
    source, on_list = source_of(query_list), is_on(query_list, now_ms)
    score = score_of(query_list, now_ms)
    own = connection.scalar(select(score).select_from(source).where(on_list, threads.c.id == id))
    if own is None:
        return None
    above = select(func.count()).select_from(source)
    above = above.where(_IN_SLICE, on_list, tuple_(score, threads.c.id) < tuple_(own, id))
    return sum(connection.scalar(above, slice) or 0 for slice in _slices(connection))


def _slices(connection: Connection) -> Iterator[Slice]:
    """All threads, the newest first; others are served after each slice."""
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
    """The number of threads of a slice that are on the list, and the first of them."""
    on_list = _IN_SLICE & on_list
    source = source_of(query_list)
    score = score_of(query_list, now_ms)
    heads = select(threads.c.id, score).select_from(source).where(on_list)
    if after is not None:
        heads = heads.where(tuple_(score, threads.c.id) > tuple_(*after))
    # As an expression: else SQLite reads a whole index in its order to sort nothing.
    heads = heads.order_by(score + 0, threads.c.id).limit(limit)
    return select(func.count()).select_from(source).where(on_list), heads
