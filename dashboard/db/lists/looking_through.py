"""Looks through all threads for those of a query, in slices, so that others are served between."""

import time
from collections.abc import Callable
from typing import Any, NamedTuple

from sqlalchemy import BigInteger, Connection, Select, bindparam, func, select

from dashboard.db.id_ranges import within
from dashboard.db.lists.query_lists import QueryList
from dashboard.db.lists.standing import is_on, score_of, source_of
from dashboard.db.models.threads import threads
from scoring.reading import Entry, in_order

#: Threads that one statement looks at: at first, at least and at most. In between it is as many as
#: take 50 ms, whatever the query asks.
SLICE, SLICE_MIN, SLICE_MAX = 8_000, 2_000, 32_000
SLICE_SECONDS = 0.05


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
) -> Found:
    """Counts the threads of a query and gives the first `limit`, until `is_over()`.

    The newest threads are looked at first, at least one slice of them.
    """
    count, heads = _statements(query_list, now_ms, limit)
    total, first, size = 0, list[Entry](), SLICE
    last_id = connection.scalar(select(func.max(threads.c.id))) or 0
    while last_id > 0:
        begun = time.monotonic()
        slice = {"after": last_id - size, "last": last_id}
        in_slice: int = connection.scalar(count, slice) or 0
        if in_slice and limit:
            entries = [Entry(*row) for row in connection.execute(heads, slice)]
            first = in_order([*first, *entries])[:limit]
        total += in_slice
        last_id -= size
        if last_id > 0:
            if is_over():
                return Found(None, first)
            size = _next_size(size, time.monotonic() - begun)
            time.sleep(0)
    return Found(total, first)


def _next_size(size: int, seconds: float) -> int:
    """How many threads the next slice has, after one of this size took so long."""
    if seconds > SLICE_SECONDS:
        return max(SLICE_MIN, size // 2)
    return min(SLICE_MAX, 2 * size) if seconds < SLICE_SECONDS / 2 else size


def _statements(query_list: QueryList, now_ms: int, limit: int) -> tuple[Select[Any], Select[Any]]:
    """The number of threads of a slice that are on the list, and the first of them."""
    last, after = bindparam("last", type_=BigInteger), bindparam("after", type_=BigInteger)
    on_list = within(threads.c.id, after, last) & is_on(query_list, now_ms)
    source = source_of(query_list)
    score = score_of(query_list, now_ms)
    heads = select(threads.c.id, score).select_from(source).where(on_list)
    # As an expression: else SQLite reads a whole index in its order to sort nothing.
    heads = heads.order_by(score + 0, threads.c.id).limit(limit)
    return select(func.count()).select_from(source).where(on_list), heads
