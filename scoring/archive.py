"""Archived threads: those closed so long ago that no list holds them any more."""

from scoring.conditions.nodes import AllNode, AnyNode, NotNode, ResolvedNode
from scoring.conditions.resolved import Resolved
from scoring.conditions.subject import Subject
from scoring.facts import Facts

#: Lists hold a closed thread for this many days by default.
HISTORY_DAYS = 90
DAY_MS = 86_400_000
#: The subject of every archived thread, as far as it is the same for all.
_ARCHIVED = Subject(closed=True)
_KNOWN = frozenset({"closed", "snoozed", "snoozed_until", "waiting_since", "mentioned"})


def closed_before(history_days: int, now_ms: int) -> int:
    """Returns the time in milliseconds; threads closed then or before are archived."""
    return now_ms - history_days * DAY_MS


def is_archived(facts: Facts, is_mentioned: bool, history_days: int, now_ms: int) -> bool:
    """Whether the thread is archived. One with unread mentions waits for its readers."""
    if not facts.closed or is_mentioned:
        return False
    return facts.closed_at is not None and facts.closed_at <= closed_before(history_days, now_ms)


def may_hold_archived(resolved: Resolved) -> bool:
    """Whether a query may hold for archived threads: not if all of its threads are open."""
    return True in _answers(resolved.root)


def _answers(node: ResolvedNode) -> frozenset[bool]:
    """Returns the possible answers of a condition for archived threads."""
    if isinstance(node, NotNode):
        return frozenset(not answer for answer in _answers(node.node))
    if isinstance(node, AllNode | AnyNode):
        found = [_answers(each) for each in node.nodes]
        is_all = isinstance(node, AllNode)
        if any(each == {not is_all} for each in found):
            return frozenset({not is_all})
        return frozenset({is_all}).union(*found)
    if node.attribute in _KNOWN:
        return frozenset({node.holds(_ARCHIVED, 0)})
    return frozenset({True, False})
