"""Which closed threads no list holds any more: those that were closed long ago."""

from scoring.conditions.nodes import AllNode, AnyNode, NotNode, ResolvedNode
from scoring.conditions.resolved import Resolved
from scoring.conditions.subject import Subject
from scoring.facts import Facts

#: For how many days lists hold a closed thread, where nobody says otherwise.
HISTORY_DAYS = 90
DAY_MS = 86_400_000
#: What conditions know of every archived thread.
_ARCHIVED = Subject(closed=True)
_KNOWN = frozenset({"closed", "snoozed", "snoozed_until", "waiting_since", "mentioned"})


def closed_before(history_days: int, now_ms: int) -> int:
    """Threads that were closed at this time or before it are archived, in milliseconds."""
    return now_ms - history_days * DAY_MS


def is_archived(facts: Facts, is_mentioned: bool, history_days: int, now_ms: int) -> bool:
    """Whether no list holds a thread any more. One with unread mentions waits for its readers."""
    if not facts.closed or is_mentioned:
        return False
    return facts.closed_at is not None and facts.closed_at <= closed_before(history_days, now_ms)


def may_hold_archived(resolved: Resolved) -> bool:
    """Whether a query may hold for archived threads: not where all of its threads are open."""
    return True in _answers(resolved.root)


def _answers(node: ResolvedNode) -> frozenset[bool]:
    """What a condition may say of archived threads."""
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
