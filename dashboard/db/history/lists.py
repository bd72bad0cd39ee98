"""Any list as it was at a moment, with its rows."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from math import ceil
from typing import Any, NamedTuple

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    FromClause,
    Select,
    and_,
    bindparam,
    case,
    func,
    literal,
    select,
    tuple_,
    union,
    union_all,
)

from dashboard.db.conditions import where
from dashboard.db.database import Database
from dashboard.db.history.past import (
    COLUMNS,
    WITH_CUSTOMERS,
    Past,
    adapted,
    ended_between,
    now,
    threads_at,
    was,
)
from dashboard.db.lists import membership
from dashboard.db.lists.entries import Position
from dashboard.db.lists.query_lists import QueryList
from dashboard.db.models.history import thread_history as ended
from dashboard.db.models.threads import events, threads
from dashboard.db.steps import Step, step_table
from dashboard.db.threads import edits
from dashboard.db.threads.thread_rows import (
    ThreadRow,
    preview_json,
    preview_of,
    row_json,
    select_rows,
)


class PastList(NamedTuple):
    """A part of a list as it was, in its order; `total` counts the threads of the whole list, and
    `next` is the position after which more follow, None at the end."""

    ids: list[int]
    scores: list[int]
    rows: list[ThreadRow]
    total: int
    next: Position | None


def part(
    database: Database, query_list: QueryList, at: int, limit: int, after: Position | None
) -> PastList:
    """Returns up to `limit` threads of a list as it was, from the first or after a position.

    Raises StorageUnavailable.
    """
    preview = _preview(database.is_sqlite)
    found = database.read_beside(_rows(query_list, at, limit + 1, after, preview))
    total = found[0][0] if found else _total(database, query_list, at, after)
    shown = found[:limit]
    with database.read() as connection:
        previews = _previews(connection, [row[2] for row in shown if row[2] is not None])
    rows = [row_json(values) for _, _, _, *values in shown]
    for row, (_, _, preview_id, *_) in zip(rows, shown, strict=True):
        row["preview"], row["woken"], row["queue"] = previews.get(preview_id), None, None
    ids, scores = [row["id"] for row in rows], [score for _, score, *_ in shown]
    last = (scores[-1], ids[-1]) if len(found) > limit else None
    return PastList(ids, scores, rows, total, last)


def rank(
    database: Database, query_list: QueryList, at: int, thread_id: int
) -> tuple[int | None, int]:
    """Returns the number of threads that stood above this one, None if it was not on the list, and
    the number of all threads on it. Raises StorageUnavailable."""
    entries = _entries(query_list, at).subquery()
    own = select(entries.c.score).where(entries.c.id == thread_id).scalar_subquery()
    above = tuple_(entries.c.score, entries.c.id) < tuple_(own, thread_id)
    is_it = entries.c.id == thread_id
    counts: list[Any] = [func.count().filter(is_it), func.count().filter(above), func.count()]
    statement = select(*counts).select_from(entries)
    (is_on, rank, total), *_ = database.read_beside(statement)
    return rank if is_on else None, total


class Marks(NamedTuple):
    """The times (ms) at which something happened to a list, in equal steps: for each step its
    number, from 0, the number of changes, and the moments of the first and the last one; steps
    without changes are left out."""

    step: int
    counts: list[tuple[int, int, int, int]]


def marks(database: Database, query_list: QueryList, since: int, until: int, steps: int) -> Marks:
    """Counts the changes of a list after `since` and by `until`: threads that came, left, or
    changed on it. Raises StorageUnavailable."""
    step = ceil((until - since) / steps)
    gone, there = ended_between(since, until), threads_at(until)
    changes = union(
        _moments(query_list, gone, gone.states.c.until, gone.states.c.until - 1),
        _moments(query_list, gone, gone.states.c.listed_at, gone.states.c.listed_at),
        _moments(query_list, there, there.states.c.listed_at, there.states.c.listed_at),
    ).subquery()
    at = changes.c.at
    number = (at - since - 1) // literal(step, BigInteger)
    counts = select(number, func.count(), func.min(at), func.max(at)).where(at > since)
    return Marks(step, [tuple(row) for row in database.read_beside(counts.group_by(number))])


def lengths(database: Database, query_list: QueryList, moments: Sequence[int]) -> list[int]:
    """Returns the number of threads on a list at each of these moments, in order.

    A list that time alone changes is read at each moment; the changes of another one are counted
    once. Raises StorageUnavailable.
    """
    if len(moments) == 1 or not query_list.resolved.is_timeless:
        return [rank(database, query_list, at, 0)[1] for at in moments]
    first, last = moments[0], moments[-1]
    gone, there = ended_between(first, last), threads_at(last)
    changes = union_all(
        _moments(query_list, gone, gone.states.c.until, gone.states.c.until - 1, -1),
        _moments(query_list, gone, gone.states.c.listed_at, gone.states.c.listed_at, 1),
        _moments(query_list, there, there.states.c.listed_at, there.states.c.listed_at, 1),
    ).subquery()
    # Up to a moment, that one included.
    pairs = enumerate(pairwise(moments))
    each = step_table(Step(since + 1, until + 1, at) for at, (since, until) in pairs)
    is_within = and_(changes.c.at >= each.c.begin, changes.c.at < each.c.end)
    counts = select(each.c.label, func.sum(changes.c.sign)).join_from(each, changes, is_within)
    found = Counter[int]()
    for label, sum in database.read_beside(counts.group_by(each.c.label)):
        found[label] = int(sum)
    begin = rank(database, query_list, first, 0)[1]
    return list(accumulate((found[at] for at in range(len(moments) - 1)), initial=begin))


def _moments(
    query_list: QueryList,
    past: Past,
    at: ColumnElement[int],
    seen_at: ColumnElement[int],
    sign: int | None = None,
) -> Select[Any]:
    """Selects the moments `at` of the states of threads that were on a list when `seen_at`; with a
    `sign` in a column of its own."""
    columns = [past.states.c.id, at.label("at")]
    columns += [] if sign is None else [literal(sign).label("sign")]
    return (
        select(*columns)
        .select_from(_source(query_list, past))
        .where(_is_on(query_list, past, seen_at))
    )


def _total(database: Database, query_list: QueryList, at: int, after: Position | None) -> int:
    """Counts the threads of a list, if a part of it showed none."""
    return 0 if after is None else rank(database, query_list, at, 0)[1]


def _entries(query_list: QueryList, at: int) -> Select[Any]:
    """Selects the threads of a list as it was: `id`, `until`, `score` and `total`."""
    past = threads_at(at)
    order = query_list.order
    score = membership.score(order, at if order.is_timeless else past.moment(at))
    columns = past.states.c.id, past.states.c.until, past.adapted(score).label("score")
    entries = select(*columns, func.count().over().label("total"))
    return entries.select_from(_source(query_list, past)).where(_is_on(query_list, past, at))


def _is_on(query_list: QueryList, past: Past, at: ColumnElement[int] | int) -> ColumnElement[bool]:
    """Whether a list held a thread at a moment of its state."""
    resolved = query_list.resolved
    holds = where(resolved, 0 if resolved.is_timeless else past.moment(at))
    return past.adapted(and_(threads.c.archived.is_(False), holds))


def _source(query_list: QueryList, past: Past) -> FromClause:
    """Joins threads as they were with the tables that the query and the sort of a list read."""
    return past.source(
        {leaf.attribute for leaf in query_list.leaves()} | query_list.order.attributes
    )


def _rows(
    query_list: QueryList, at: int, limit: int, after: Position | None, preview: Any
) -> Select[Any]:
    """Selects a part of a list: the total, the score, the message of the preview, and the values of
    `row_json`."""
    entries = _entries(query_list, at).subquery("entries")
    head = select(entries)
    if after is not None:
        head = head.where(tuple_(entries.c.score, entries.c.id) > tuple_(*after))
    heads = head.order_by(entries.c.score, entries.c.id).limit(limit).subquery("heads")
    has_ended = heads.c.until.is_not(None)
    states = select(
        *(
            case((has_ended, was(name)), else_=now(name)).label(name)
            for name in COLUMNS
            if name != "id"
        ),
        threads.c.id,
        heads.c.score,
        heads.c.total,
    )
    its_state = and_(ended.c.until == heads.c.until, ended.c.thread_id == heads.c.id)
    shown = states.select_from(
        heads.join(WITH_CUSTOMERS, threads.c.id == heads.c.id).join(ended, its_state, isouter=True)
    ).subquery("shown")

    def as_it_was(clause: Any) -> Any:
        return adapted(clause, lambda name: shown.c[name])

    source = shown.join(threads, threads.c.id == shown.c.id)
    first = shown.c.total, shown.c.score, as_it_was(preview)
    rows = select_rows(source, as_it_was)
    columns = [*first, *rows.selected_columns]
    return rows.with_only_columns(*columns).order_by(shown.c.score, shown.c.id)


def _preview(is_sqlite: bool) -> Any:
    """Selects the message that the row of a thread shows: see `folding`."""
    its = events.c
    of_thread = its.thread_id == threads.c.id, its.id <= threads.c.last_message_id
    # Compares bytes; SQLite does so by default.
    name = its.external_id if is_sqlite else its.external_id.collate("C")
    role = case({"client": 0, "admin": 1}, value=its.role, else_=2)
    shown = select(its.id).where(*of_thread, its.role.is_not(None), its.private.is_(False))
    return shown.order_by(role, its.ranked_at.desc(), name.desc()).limit(1).scalar_subquery()


#: With the texts of now: one that was edited or deleted since is not shown again.
_MESSAGES = (
    select(
        *(events.c.id, events.c.role, edits.IS_DELETED),
        *(edits.BODY, edits.ATTACHMENTS, events.c.ranked_at),
    )
    .select_from(edits.joined(events))
    .where(events.c.id.in_(bindparam("ids", expanding=True)))
)


def _previews(connection: Connection, ids: Sequence[int]) -> Mapping[int, dict[str, object]]:
    """Maps messages to the previews that rows show of them."""
    found = connection.execute(_MESSAGES, {"ids": list(ids)}) if ids else ()
    return {
        id: preview_json(role, None if is_deleted else preview_of(body, attachments or ()), at)
        for id, role, is_deleted, body, attachments, at in found
    }
