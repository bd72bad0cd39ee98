"""Threads as they were at a moment, as SQL: the columns of `threads` that conditions, sorts and
rows read, so that those readers serve the past as well."""

from collections.abc import Callable, Collection
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    FromClause,
    Select,
    Subquery,
    and_,
    case,
    cast,
    func,
    literal,
    null,
    select,
    union_all,
)
from sqlalchemy.sql.visitors import replacement_traverse

from dashboard.db.history.states import DESK, PRIORITY, ROLES, SHORT_BITS, SPAN_MAX, TIMES
from dashboard.db.models.accounts import sources
from dashboard.db.models.history import thread_history as ended
from dashboard.db.models.threads import customers, threads

Clause = TypeVar("Clause", bound=Any)
#: Classes of states that lasted long, and the length of the longest in each.
_CLASSES = union_all(
    *(
        select(
            literal(span, BigInteger).label("span"),
            literal(1 << (SHORT_BITS + span), BigInteger).label("reach"),
        )
        for span in range(1, SPAN_MAX + 1)
    )
).subquery("classes")


def _ago(name: str) -> ColumnElement[int]:
    return ended.c.until - ended.c[name]


#: Columns of an ended state with other values than in `thread_history`.
_DECODED: dict[str, ColumnElement[Any]] = {
    "id": ended.c.thread_id,
    "listed_at": _ago("lasted"),
    **{name: _ago(name) for name in TIMES},
    "first_request_at": _ago("first_event_at") + ended.c.first_request_at,
    "recent_at": func.coalesce(_ago("last_client_at"), _ago("first_event_at"), 0),
    "last_role": case(ROLES, value=ended.c.last_role),
    "priority": func.coalesce(ended.c.priority, PRIORITY),
    "desk": func.coalesce(ended.c.desk, DESK),
}
#: Columns of threads, and of their customers, that the past has.
_OF_THREADS = tuple(
    name for name in dict.fromkeys((*_DECODED, *ended.c.keys())) if name in threads.c
)
_OF_CUSTOMERS = ("member_status", "locale")
COLUMNS = (*_OF_THREADS, *_OF_CUSTOMERS)


def was(name: str) -> ColumnElement[Any]:
    """Returns a column of COLUMNS over a row of `thread_history`."""
    return _DECODED[name] if name in _DECODED else ended.c[name]


def now(name: str) -> ColumnElement[Any]:
    """Returns the same column over a row of `threads`, joined with `customers`."""
    if name == "member_status":
        return func.coalesce(customers.c.member_status, -1)
    return customers.c[name] if name in _OF_CUSTOMERS else threads.c[name]


WITH_CUSTOMERS = threads.join(customers, customers.c.id == threads.c.customer_id, isouter=True)


class Past(NamedTuple):
    """States of threads as a subquery with COLUMNS and `until`, the end of the state; null: it
    lasts."""

    states: Subquery

    def adapted(self, clause: Clause) -> Clause:
        """Returns an expression over threads and their customers as one over these."""
        return adapted(clause, lambda name: self.states.c[name])

    def moment(self, at: ColumnElement[int] | int) -> ColumnElement[int]:
        """Returns the moment that lists reflected at a moment of the state: `moment_of`."""
        due, since = self.states.c.next_change_at, self.states.c.listed_at
        before_change = case((due <= at, due - 1), else_=at)
        return case((since > before_change, since), else_=before_change)

    def source(self, attributes: Collection[str]) -> FromClause:
        """Joins these with the other tables from which conditions and sorts read attributes."""
        if "source" not in attributes:
            return self.states
        its_thread = threads.c.id == self.states.c.id
        return self.states.join(threads, its_thread).join(
            sources, sources.c.id == threads.c.source_id
        )


def threads_at(at: int) -> Past:
    """Returns the threads at this moment.

    A state of this moment began before it and ended after it. A short state ended soon after it,
    and a state of a class within the time of its class. So each is looked for in a part of an
    index: about two states are read for each thread, however long the past is.
    """
    moment = literal(at, BigInteger)
    has_begun = _ago("lasted") <= moment
    short = and_(
        ended.c.span.is_(None), ended.c.until > moment, ended.c.until <= at + (1 << SHORT_BITS)
    )
    long = and_(
        ended.c.span == _CLASSES.c.span,
        ended.c.until > moment,
        ended.c.until <= moment + _CLASSES.c.reach,
    )
    parts = (
        _selected(was, ended.c.until).select_from(ended).where(short, has_begun),
        _selected(was, ended.c.until).select_from(_CLASSES.join(ended, long)).where(has_begun),
        _lasting().where(threads.c.revision > 0, threads.c.listed_at <= moment),
    )
    return Past(union_all(*parts).subquery("past"))


def ended_between(since: int, until: int) -> Past:
    """Returns the states that ended after `since` and by `until`, as threads."""
    is_between = and_(ended.c.until > since, ended.c.until <= until)
    states = _selected(was, ended.c.until).where(is_between)
    return Past(states.subquery("past"))


def ended_of(thread_id: int, until: int) -> Past:
    """Returns one state of a thread that has ended."""
    is_it = and_(ended.c.until == until, ended.c.thread_id == thread_id)
    return Past(_selected(was, ended.c.until).where(is_it).subquery("past"))


def threads_of(thread_id: int) -> Past:
    """Returns the state of a thread that lasts."""
    return Past(_lasting().where(threads.c.id == thread_id).subquery("past"))


def _lasting() -> Select[Any]:
    return _selected(now, cast(null(), BigInteger)).select_from(WITH_CUSTOMERS)


def _selected(
    column: Callable[[str], ColumnElement[Any]], until: ColumnElement[Any]
) -> Select[Any]:
    return select(*(column(name).label(name) for name in COLUMNS), until.label("until"))


def adapted(clause: Clause, column: Callable[[str], ColumnElement[Any]]) -> Clause:
    """Returns a clause with other expressions in place of columns of threads, and of those of their
    customers that the past has."""

    def replaced(element: Any, **_: Any) -> ColumnElement[Any] | None:
        if not isinstance(element, Column):
            return None
        if element.table is threads and element.key in _OF_THREADS:
            return column(element.key)
        if element.table is customers and element.key in _OF_CUSTOMERS:
            return column(element.key)
        return None

    return replacement_traverse(clause, {}, replaced)
