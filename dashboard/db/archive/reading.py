"""Archived threads of a list: they follow those that Redis holds, by the same query and sort."""

import time
from collections.abc import Collection
from typing import NamedTuple

from sqlalchemy import Connection, select, tuple_

from dashboard.db.lists.looking_through import Position, look_through
from dashboard.db.lists.query_lists import QueryList
from dashboard.db.lists.standing import is_archived_on, score_of, source_of
from dashboard.db.models.threads import threads
from scoring.archive import may_hold_archived
from scoring.reading import Entry, in_order
from scoring.sorts import SORTS

#: Threads that one statement looks at: at first as many as are asked for, then more, where few of
#: them are on the list.
CHUNK_GROWTH, CHUNK_MAX = 4, 2_000
_IS_ARCHIVED = (threads.c.archived.is_(True), threads.c.closed.is_(True))


class Part(NamedTuple):
    """Some archived threads of a list in its order, and the position after which more may follow;
    None: there are no more."""

    entries: list[Entry]
    next: Position | None


def part(
    connection: Connection,
    query_list: QueryList,
    now_ms: int,
    limit: int,
    after: Position | None,
) -> Part:
    """Up to `limit` of them, from the first or after a position.

    Where few of the archived threads are on the list many are looked at; others are served in
    between. The position is that of a thread on the list: who reads it learns of no other one.
    """
    if not may_hold_archived(query_list.resolved):
        return Part([], None)
    if query_list.sort not in SORTS:
        return _looked_up(connection, query_list, now_ms, limit, after)
    found: list[Entry] = []
    size = limit + 1
    while True:
        chunk = _chunk(connection, query_list.sort, size, after)
        on_list = _on_list(connection, query_list, now_ms, [entry.id for entry in chunk])
        found += [entry for entry in chunk if entry.id in on_list]
        if len(found) > limit or len(chunk) < size:
            return _part(found, limit)
        after = _position(chunk[-1])
        size = min(CHUNK_MAX, size * CHUNK_GROWTH)
        time.sleep(0)


def held(
    connection: Connection, query_list: QueryList, now_ms: int, ids: Collection[int]
) -> list[Entry]:
    """Those of these threads that are archived and on the list."""
    on_list = threads.c.id.in_(ids) & is_archived_on(query_list, now_ms)
    found = connection.execute(
        select(threads.c.id, score_of(query_list, now_ms))
        .select_from(source_of(query_list))
        .where(on_list)
    )
    return in_order([Entry(id, score) for id, score in found])


def _chunk(connection: Connection, sort: str, size: int, after: Position | None) -> list[Entry]:
    """The next archived threads in the order of a sort, whatever list they are on."""
    score = threads.c[f"score_{sort}"]
    statement = select(threads.c.id, score).where(*_IS_ARCHIVED)
    if after is not None:
        statement = statement.where(tuple_(score, threads.c.id) > tuple_(*after))
    found = connection.execute(statement.order_by(score, threads.c.id).limit(size))
    return [Entry(id, score) for id, score in found]


def _on_list(
    connection: Connection, query_list: QueryList, now_ms: int, ids: Collection[int]
) -> set[int]:
    """Those of these archived threads that are on the list."""
    if not ids:
        return set()
    on_list = threads.c.id.in_(ids) & is_archived_on(query_list, now_ms)
    statement = select(threads.c.id).select_from(source_of(query_list)).where(on_list)
    return set(connection.scalars(statement))


def _looked_up(
    connection: Connection,
    query_list: QueryList,
    now_ms: int,
    limit: int,
    after: Position | None,
) -> Part:
    """The same in a sort whose scores no index has: all archived threads are looked through."""
    found = look_through(
        connection,
        query_list,
        now_ms,
        limit + 1,
        lambda: False,
        after,
        on_list=is_archived_on(query_list, now_ms),
    )
    return _part(found.entries, limit)


def _part(entries: list[Entry], limit: int) -> Part:
    """One more than `limit` shows whether there is a next part."""
    if len(entries) <= limit:
        return Part(entries, None)
    return Part(entries[:limit], _position(entries[limit - 1]))


def _position(entry: Entry) -> Position:
    return entry.score, entry.id
