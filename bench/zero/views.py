"""Saved views that ZQL can say, and their conditions for ZQL."""

from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from bench.saved_views import saved_views
from scoring.conditions.language.parser import parse
from scoring.conditions.nodes import (
    AllNode,
    AnyNode,
    Language,
    NotNode,
    OneOf,
    Present,
    ResolvedNode,
)
from scoring.conditions.resolve import resolve
from scoring.conditions.resolved import Resolved
from scoring.conditions.subject import ATTRIBUTES

#: ["and", …] or ["or", …] of conditions, or ["cmp", column, operator, value].
Condition = list[Any]
#: One saved view in three says nothing about time.
_OF_ALL = 6


class View(NamedTuple):
    query: str
    resolved: Resolved

    @property
    def condition(self) -> Condition:
        return said(self.resolved.root)


def views_without_time(count: int) -> list[View]:
    """Returns the first saved views without a time: ZQL has no clock."""
    found = [view_of(view.query) for view in saved_views(_OF_ALL * (count + 1))]
    found = [view for view in found if view.resolved.is_timeless]
    assert len(found) >= count, "too few saved views are without a time"
    return found[:count]


def view_of(query: str) -> View:
    return View(query, resolve(parse(query), None, lambda _: None, ZoneInfo("UTC")))


def said(node: ResolvedNode, negated: bool = False) -> Condition:
    """Returns the condition for ZQL, or its contrary.

    As in SQL, a comparison with a missing value never holds, nor does its contrary.
    """
    if isinstance(node, NotNode):
        return said(node.node, not negated)
    if isinstance(node, AllNode | AnyNode):
        kind = "and" if isinstance(node, AllNode) != negated else "or"
        return _joined(kind, [said(each, negated) for each in node.nodes])
    if isinstance(node, Present):
        return ["cmp", node.attribute, "IS" if negated else "IS NOT", None]
    if isinstance(node, Language):
        return _language(node, negated)
    assert isinstance(node, OneOf), f"ZQL cannot say {node}"
    given = sorted(value for value in node.values if value is not None)
    compared: Condition = ["cmp", node.attribute, "NOT IN" if negated else "IN", given]
    if len(given) == 1:
        compared = ["cmp", node.attribute, "!=" if negated else "=", *given]
    return _with_missing(node.attribute, [compared] if given else [], None in node.values, negated)


def _language(node: Language, negated: bool) -> Condition:
    like = "NOT ILIKE" if negated else "ILIKE"
    patterns = [text for tag in node.tags if tag is not None for text in (tag, f"{tag}-%")]
    compared = [["cmp", node.attribute, like, pattern] for pattern in sorted(patterns)]
    if negated and compared:
        compared = [_joined("and", compared)]
    return _with_missing(node.attribute, compared, None in node.tags, negated)


def _with_missing(
    attribute: str, compared: list[Condition], takes_missing: bool, negated: bool
) -> Condition:
    if ATTRIBUTES[attribute].may_be_missing:
        if takes_missing and negated:
            return _joined("and", [*compared, ["cmp", attribute, "IS NOT", None]])
        if takes_missing or negated:
            compared = [*compared, ["cmp", attribute, "IS", None]]
    return _joined("or", compared)


def _joined(kind: str, conditions: list[Condition]) -> Condition:
    return conditions[0] if len(conditions) == 1 else [kind, *conditions]
