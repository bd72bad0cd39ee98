"""The SQL reader: a resolved query as a condition on threads.

Each question is true or false, never NULL, so that NOT means the opposite everywhere.
"""

from itertools import groupby
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    FromClause,
    and_,
    cast,
    false,
    func,
    not_,
    or_,
    true,
)

from dashboard.db.conditions.columns import COLUMNS, joined
from dashboard.db.threads.thread_tags import in_column
from scoring.conditions.leaves import Language, OneOf, Span, Tagged, Within
from scoring.conditions.nodes import AllNode, AnyNode, NotNode, ResolvedNode
from scoring.conditions.resolved import Resolved
from scoring.conditions.subject import ATTRIBUTES, TRUTHS

Condition = ColumnElement[bool]
#: Milliseconds, or a bind parameter for them.
Now = int | ColumnElement[int]


def where(resolved: Resolved, now_ms: Now) -> Condition:
    """The threads for which a query holds at an instant, over `threads_of` the same query."""
    return _condition(resolved.root, now_ms)


def threads_of(resolved: Resolved) -> FromClause:
    """Threads, joined with what the query reads and with nothing else."""
    return joined({leaf.attribute for leaf in resolved.leaves()})


def _condition(node: ResolvedNode, now_ms: Now) -> Condition:
    if isinstance(node, NotNode):
        return not_(_condition(node.node, now_ms))
    if isinstance(node, AllNode):
        return and_(true(), *(_condition(each, now_ms) for each in node.nodes))
    if isinstance(node, AnyNode):
        return or_(false(), *(_condition(each, now_ms) for each in node.nodes))
    if isinstance(node, OneOf):
        return _one_of(node)
    if isinstance(node, Language):
        return _language(node)
    if isinstance(node, Tagged):
        return _tagged(node)
    column = COLUMNS[node.attribute]
    if isinstance(node, Within):
        spans = (_within(column, node, span, now_ms) for span in node.spans)
        return and_(column.is_not(None), or_(*spans))
    return column.is_not(None)


def _one_of(leaf: OneOf) -> Condition:
    column = COLUMNS[leaf.attribute]
    if leaf.attribute in TRUTHS:
        return or_(false(), *(column if value else not_(column) for value in leaf.values))
    values = sorted(value for value in leaf.values if value is not None)
    found: list[Condition] = [column.in_(values)] if values else []
    if not ATTRIBUTES[leaf.attribute].may_be_missing:
        return or_(false(), *found)
    if None in leaf.values:
        return or_(column.is_(None), *found)
    return and_(column.is_not(None), *found)


def _language(leaf: Language) -> Condition:
    column = COLUMNS[leaf.attribute]
    tag = func.lower(column).concat("-")
    tags = sorted(one for one in leaf.tags if one is not None)
    # One look at each length of a tag, however many there are.
    found: list[Condition] = [
        func.substr(tag, 1, length + 1).in_([f"{one}-" for one in group])
        for length, group in groupby(sorted(tags, key=len), len)
    ]
    if None in leaf.tags:
        return or_(column.is_(None), *found)
    return and_(column.is_not(None), or_(*found))


def _tagged(leaf: Tagged) -> Condition:
    column = COLUMNS[leaf.attribute]
    tags = sorted(one for one in leaf.tags if one is not None)
    # Tags are of letters, digits and hyphens: nothing in them means more to LIKE.
    found = [column.contains(in_column([tag])) for tag in tags]
    if None in leaf.tags:
        return or_(column.is_(None), *found)
    return and_(column.is_not(None), or_(*found))


def _within(column: ColumnElement[Any], leaf: Within, span: Span, now_ms: Now) -> Condition:
    """Whether what is measured of a time lies in a span, as a comparison of the column itself."""
    low, high = span
    now = now_ms if isinstance(now_ms, int) else cast(now_ms, BigInteger)
    found: list[Condition] = []
    if leaf.measure == "since":
        found += [] if low is None else [column <= now - low]
        found += [] if high is None else [column > now - high]
    else:
        start = now if leaf.measure == "until" else 0
        found += [] if low is None else [column >= start + low]
        found += [] if high is None else [column < start + high]
    return and_(*found)
