"""Finds threads to archive, and reads the archived threads behind a list."""

from collections.abc import Collection
from typing import Any, NamedTuple

from sqlalchemy import BindParameter, Connection, Select, select, tuple_

from dashboard.db.lists import versions
from dashboard.db.lists.entries import Position, look_through
from dashboard.db.lists.membership import is_archived_on, score_of, source_of
from dashboard.db.lists.query_lists import QueryList
from dashboard.db.models.threads import threads
from dashboard.turns import turns
from scoring.conditions.nodes import AllNode, OneOf
from scoring.conditions.resolved import Resolved
from scoring.reading import Entry, in_order
from scoring.sorts import SORTS
from scoring.views import closed_before, may_hold_archived

_LIVE = (
    select(threads.c.id)
    .where(threads.c.closed.is_(True), threads.c.archived.is_(False), threads.c.mentioned.is_(None))
    .order_by(threads.c.closed_at)
)
_ARCHIVED = (
    select(threads.c.id)
    .where(threads.c.archived.is_(True), threads.c.closed.is_(True))
    .order_by(threads.c.closed_at.desc())
)


def behind(connection: Connection, now_ms: int, limit: int) -> list[int]:
    """Returns up to `limit` ids of threads to archive or to bring back, because time passed or
    lists hold closed threads for another number of days."""
    latest = closed_before(versions.current(connection).history_days, now_ms)
    to_archive, to_bring_back = statements(latest, limit)
    return [*connection.scalars(to_archive), *connection.scalars(to_bring_back)][:limit]


def statements(
    latest: int | BindParameter[Any], limit: int | None
) -> tuple[Select[int], Select[int]]:
    """Returns selects of threads to archive, closed at `latest` or before, and to bring back."""
    to_archive = _LIVE.where(threads.c.closed_at <= latest).limit(limit)
    return to_archive, _ARCHIVED.where(threads.c.closed_at > latest).limit(limit)


#: One statement looks at as many threads as asked for; if few of them are on the list, the next one
#: looks at CHUNK_GROWTH times as many, up to CHUNK_MAX.
CHUNK_GROWTH, CHUNK_MAX = 4, 2_000
_IS_ARCHIVED = (threads.c.archived.is_(True), threads.c.closed.is_(True))


class Part(NamedTuple):
    """Some archived threads of a list in its order, and the position after which more may follow;
    None: there are no more."""

    entries: list[Entry]
    next: Position | None


def part(
    connection: Connection, query_list: QueryList, now_ms: int, limit: int, after: Position | None
) -> Part:
    """Returns up to `limit` archived threads, from the first or after a position.

    If few of the archived threads are on the list, many are looked at; other requests are served in
    between. The position is that of a thread on the list, so it reveals no other thread.
    """
    if not may_hold_archived(query_list.resolved):
        return Part([], None)
    if query_list.sort not in SORTS:
        return _looked_up(connection, query_list, now_ms, limit, after)
    if _names_assignees(query_list.resolved):
        statement = of_assignees(query_list, now_ms, limit + 1, after)
        return _part(_entries(connection, statement), limit)
    entries: list[Entry] = []
    size = limit + 1
    while True:
        last = connection.execute(last_of_chunk(query_list.sort, size, after)).first()
        entries += _entries(connection, between(query_list, now_ms, after, last))
        if len(entries) > limit or last is None:
            return _part(entries, limit)
        after = last.score, last.id
        size = min(CHUNK_MAX, size * CHUNK_GROWTH)
        turns.give()


def held(
    connection: Connection, query_list: QueryList, now_ms: int, ids: Collection[int]
) -> list[Entry]:
    """Returns the entries of the threads among these that are archived and on the list."""
    statement = on_list(query_list, now_ms, ids).add_columns(score_of(query_list, now_ms))
    return in_order(_entries(connection, statement))


def of_assignees(
    query_list: QueryList, now_ms: int, size: int, after: Position | None
) -> Select[Any]:
    """Selects the next threads of a list that asks for assignees: an index finds their threads."""
    score = score_of(query_list, now_ms)
    statement = select(threads.c.id, score).select_from(source_of(query_list))
    statement = statement.where(is_archived_on(query_list, now_ms, by_id=True))
    if after is not None:
        statement = statement.where(tuple_(score + 0, threads.c.id) > tuple_(*after))
    # `score + 0`: otherwise SQLite reads a whole index in its order to avoid sorting.
    return statement.order_by(score + 0, threads.c.id).limit(size)


def last_of_chunk(sort: str, size: int, after: Position | None) -> Select[Any]:
    """Selects the last one of the next `size` archived threads in the order of a sort, on any list;
    no row if there are fewer."""
    score = threads.c[f"score_{sort}"]
    statement = select(threads.c.id, score.label("score")).where(*_IS_ARCHIVED)
    if after is not None:
        statement = statement.where(tuple_(score, threads.c.id) > tuple_(*after))
    return statement.order_by(score, threads.c.id).offset(size - 1).limit(1)


def between(
    query_list: QueryList, now_ms: int, after: Position | None, last: tuple[int, int] | None
) -> Select[Any]:
    """Selects the archived threads of a list after a position, up to an (id, score)."""
    score = score_of(query_list, now_ms)
    statement = select(threads.c.id, score).select_from(source_of(query_list))
    statement = statement.where(*_IS_ARCHIVED, is_archived_on(query_list, now_ms, by_id=True))
    if after is not None:
        statement = statement.where(tuple_(score, threads.c.id) > tuple_(*after))
    if last is not None:
        id, until = last
        statement = statement.where(tuple_(score, threads.c.id) <= tuple_(until, id))
    return statement.order_by(score, threads.c.id)


def on_list(query_list: QueryList, now_ms: int, ids: Collection[int]) -> Select[Any]:
    """Selects the threads among these that are archived and on the list."""
    statement = select(threads.c.id).select_from(source_of(query_list))
    is_on = is_archived_on(query_list, now_ms, by_id=True)
    return statement.where(threads.c.id.in_(ids), is_on)


def _looked_up(
    connection: Connection, query_list: QueryList, now_ms: int, limit: int, after: Position | None
) -> Part:
    """Does the same as `part` for a sort without an index: looks through all archived threads."""
    result = look_through(
        connection,
        query_list,
        now_ms,
        limit + 1,
        lambda: False,
        after,
        on_list=is_archived_on(query_list, now_ms),
    )
    return _part(result.entries, limit)


def _names_assignees(resolved: Resolved) -> bool:
    """Whether every thread that the query asks for is assigned to one of certain admins."""
    root = resolved.root
    nodes = root.nodes if isinstance(root, AllNode) else (root,)
    return any(
        (isinstance(node, OneOf) and node.attribute == "assignee_id" and None not in node.values)
        or (isinstance(node, AllNode) and _names_assignees(Resolved(node)))
        for node in nodes
    )


def _part(entries: list[Entry], limit: int) -> Part:
    """Cuts entries to a part; one more than `limit` shows that a next part exists."""
    if len(entries) <= limit:
        return Part(entries, None)
    return Part(entries[:limit], _position(entries[limit - 1]))


def _entries(connection: Connection, statement: Select[Any]) -> list[Entry]:
    return [Entry(id, score) for id, score in connection.execute(statement)]


def _position(entry: Entry) -> Position:
    return entry.score, entry.id
