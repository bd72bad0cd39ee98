"""Membership of lists of queries as of each thread's own moment, which may lag behind the clock.

Time changes lists by itself: after ten minutes `waits:>10m` holds. The moment of a thread is now;
or, if its next change is due and not taken up yet, just before that change; but never before the
moment of its last write. So SQL and Redis agree at every instant, however late a change is taken
up. The same holds for its place on a list with a sort that depends on the time.
"""

from typing import NamedTuple

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    FromClause,
    and_,
    bindparam,
    case,
    cast,
    false,
    func,
    literal,
)

from dashboard.db.conditions import COLUMNS, Now, joined, where
from dashboard.db.lists.query_lists import QueryList, QueryLists
from dashboard.db.models.threads import threads
from scoring.composite import TIME_BITS, TIME_MAX_MS
from scoring.conditions.subject import Subject
from scoring.sorting.compiled import ResolvedRule
from scoring.sorting.resolved import ResolvedSort
from scoring.sorting.rules import SPLITS, TIMES
from scoring.sorts import SORTS


def score(sort: ResolvedSort, now_ms: Now) -> ColumnElement[int]:
    """Returns the score of a thread at an instant, over threads joined with the sort's tables."""
    *others, last = sort.rules
    rest = _of_rule(last)
    if not others:
        return rest
    return case(*((where(rule.when, now_ms), _of_rule(rule)) for rule in others), else_=rest)


def _of_rule(rule: ResolvedRule) -> ColumnElement[int]:
    time = func.coalesce(*(COLUMNS[name] for name in TIMES[rule.by]), _number(0))
    ordered = time if rule.order == "oldest" else _number(TIME_MAX_MS) - time
    if rule.split is None:
        return _number(rule.tier << TIME_BITS) + ordered
    attribute, values = SPLITS[rule.split]
    starts = {
        value: _number(tier << TIME_BITS) for value, tier in zip(values, rule.tiers, strict=True)
    }
    return case(starts, value=COLUMNS[attribute]) + ordered


def _number(value: int) -> ColumnElement[int]:
    return cast(literal(value, BigInteger), BigInteger)


class Moves(NamedTuple):
    """Lists of queries that held a thread, and lists that hold it now, as masks of their index.

    `resorted`: ordered lists that keep it, but with another score by a saved sort.
    `next_change_at`: the next time at which time alone changes its lists or places.
    """

    held: int = 0
    holds: int = 0
    resorted: int = 0
    next_change_at: int | None = None

    @property
    def is_moved(self) -> bool:
        """Whether the thread is on other lists than before, or at another place by a saved sort."""
        return self.held != self.holds or self.resorted != 0

    def unnamed(self, lists: QueryLists, is_shown: bool) -> int:
        """Returns the lists that keep the thread and need not be named in its placement: unordered
        lists; or, unless its change `is_shown`, all lists on which it keeps its place."""
        return self.held & self.holds & (lists.unordered_mask if is_shown else ~self.resorted)


def moves(
    lists: QueryLists, before: tuple[Subject, int] | None, subject: Subject | None, now_ms: int
) -> Moves:
    """Returns the moves of a thread on lists of queries.

    `before` is its earlier subject, and the moment that its lists reflect; None: it is new, or was
    archived. `subject` None: it is archived now, and on no list.
    """
    held = 0 if before is None else lists.index.matches(*before)
    if subject is None:
        return Moves(held)
    holds = lists.index.matches(subject, now_ms)
    ordered = held & holds & ~lists.unordered_mask
    resorted = lists.resorted(ordered, before, (subject, now_ms)) if before else 0
    return Moves(held, holds, resorted, lists.next_change(holds, subject, now_ms))


def moment_of(listed_at: int, next_change_at: int | None, now_ms: int) -> int:
    """Returns the moment that the lists of a thread reflect."""
    before_change = now_ms if next_change_at is None else min(now_ms, next_change_at - 1)
    return max(listed_at, before_change)


def moment(now_ms: int) -> ColumnElement[int]:
    """Returns `moment_of` as an expression of SQL."""
    now = cast(bindparam("now", now_ms), BigInteger)
    is_due = threads.c.next_change_at <= now
    before_change = case((is_due, threads.c.next_change_at - 1), else_=now)
    return case((threads.c.listed_at > before_change, threads.c.listed_at), else_=before_change)


#: `archived` in reads by id: otherwise SQLite takes an index that begins with this column, and
#: reads all of it.
ARCHIVED_BY_ID = func.coalesce(threads.c.archived, false())


def is_on(query_list: QueryList, now_ms: int, *, by_id: bool = False) -> ColumnElement[bool]:
    """Whether a list holds a thread, over `source_of` it; `by_id`: threads of some ids are read."""
    archived = ARCHIVED_BY_ID if by_id else threads.c.archived
    return and_(archived.is_(False), meets(query_list, now_ms))


def meets(query_list: QueryList, now_ms: int) -> ColumnElement[bool]:
    """Whether a list holds a thread that is not archived, over `source_of` it."""
    at = now_ms if query_list.resolved.is_timeless else moment(now_ms)
    return where(query_list.resolved, at)


def is_archived_on(
    query_list: QueryList, now_ms: int, *, by_id: bool = False
) -> ColumnElement[bool]:
    """Whether a thread is archived and would be on a list otherwise, over `source_of` it."""
    archived = ARCHIVED_BY_ID if by_id else threads.c.archived
    return and_(archived.is_(True), where(query_list.resolved, now_ms))


def score_of(query_list: QueryList, now_ms: int) -> ColumnElement[int]:
    """Returns the score of a thread on a list, over `source_of` it."""
    if query_list.sort in SORTS:
        return threads.c[f"score_{query_list.sort}"]
    return score(query_list.order, now_ms if query_list.order.is_timeless else moment(now_ms))


def source_of(query_list: QueryList) -> FromClause:
    """Joins threads with only the tables that the query and the sort of a list read."""
    attributes = {leaf.attribute for leaf in query_list.resolved.leaves()}
    return joined(
        attributes if query_list.sort in SORTS else attributes | query_list.order.attributes
    )
