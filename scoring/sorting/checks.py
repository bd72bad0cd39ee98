"""Checks the rules of a sort: finds mistakes, each with its place and the reason.

The check needs nothing but rules, so it is separate from the calls that save sorts.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from scoring.conditions.nodes import AllNode, AnyNode, NotNode, OneOf, ResolvedNode
from scoring.conditions.subject import ATTRIBUTES
from scoring.sorting.compiled import ResolvedRule
from scoring.sorting.resolved import ResolvedSort
from scoring.sorting.rules import TIMES

_EVERY = AllNode(())
#: Maps a time to the values of every thread without it: a thread that is due waits, and a thread
#: that waits has a request.
_WITHOUT_TIME: Mapping[str, Mapping[str, Any]] = {
    "waiting_since": {"waiting_since": None, "due_at": None},
    "first_request_at": {
        "first_request_at": None,
        "unanswered": False,
        "waiting_since": None,
        "due_at": None,
    },
    "closed_at": {"closed_at": None, "closed": False},
    "assigned_at": {"assignee_id": None},
}


class Refusal(NamedTuple):
    """A mistake in the rules of a sort; `pointer` is a JSON pointer below the sort."""

    pointer: str
    code: str
    detail: str


def refusals(sort: ResolvedSort) -> Iterator[Refusal]:
    """Yields the mistakes in rules that can be read; nothing if the sort may be saved.

    Conditions are only compared by their keys: a rule that no thread reaches for another reason is
    accepted, and places nothing.
    """
    keys: set[str] = set()
    is_all_taken = False
    for at, rule in enumerate(sort.rules):
        if is_all_taken or rule.when.key in keys:
            phrase = "without a condition" if is_all_taken else "with the same condition"
            text = f"is never reached: an earlier rule {phrase} places its threads"
            yield Refusal(f"/rules/{at}/when", "unreachable_rule", text)
        if not any(_has_time(rule.when.root, name) for name in TIMES[rule.by]):
            text = f"is not set for every thread of the rule: some have no {rule.by}"
            yield Refusal(f"/rules/{at}/by", "time_missing", text)
        keys.add(rule.when.key)
        is_all_taken = is_all_taken or rule.when.root == _EVERY
    if not is_all_taken and not _take_each_value(sort.rules):
        yield Refusal("/rules", "rest_missing", "need a last rule for all other threads")


def _has_time(node: ResolvedNode, time: str, is_right: bool = True) -> bool:
    """Whether all threads that meet the condition (if not `is_right`: the others) have the time.

    One part of the condition says so by itself, or each alternative does.
    """
    if not ATTRIBUTES[time].may_be_missing:
        return True
    if isinstance(node, NotNode):
        return _has_time(node.node, time, not is_right)
    if isinstance(node, AllNode | AnyNode):
        parts = [_has_time(part, time, is_right) for part in node.nodes]
        return any(parts) if isinstance(node, AllNode) == is_right else all(parts)
    lacking = _WITHOUT_TIME.get(time, {time: None})
    return node.attribute in lacking and node.takes(lacking[node.attribute]) != is_right


def _take_each_value(rules: Sequence[ResolvedRule]) -> bool:
    """Whether rules with a single condition name all values of an attribute, as `is:open` and
    `is:closed` do."""
    named: dict[str, frozenset[Any]] = {}
    for rule in rules:
        if isinstance(rule.when.root, OneOf):
            leaf = rule.when.root
            named[leaf.attribute] = leaf.values.union(named.get(leaf.attribute, ()))
    domains = {name: ATTRIBUTES[name].values for name in named}
    return any(domains[name] and values.issuperset(domains[name]) for name, values in named.items())
