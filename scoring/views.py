"""Views, the threads that they hold, and archived threads, which no list holds any more."""

from collections.abc import Callable

from scoring.conditions.nodes import AllNode, AnyNode, NotNode, ResolvedNode
from scoring.conditions.resolved import Resolved
from scoring.conditions.subject import Subject
from scoring.facts import Facts

#: Predicates of the threads that a view holds.
VIEW_RULES: dict[str, Callable[[Facts], bool]] = {
    "arrival": lambda facts: not facts.closed and not facts.snoozed,
    "not_respond": lambda facts: facts.waiting_since is not None and not facts.snoozed,
    "history": lambda facts: facts.closed,
}
#: The same as conditions, with the other built-in views, in the order in which pages show them.
VIEW_QUERIES: dict[str, str] = {
    "arrival": "is:open -is:snoozed",
    "not_respond": "is:open is:waiting -is:snoozed",
    "snoozed": "is:snoozed",
    "mentions": "mentions:me",
    "history": "is:closed",
}
#: The views with a list in Redis for each built-in sort, always: their names are list ids.
VIEWS = tuple(VIEW_RULES)
#: The built-in views with lists of queries, and the sort in which Redis always holds such a list.
QUERY_VIEWS: dict[str, str] = {"snoozed": "soonest"}
#: The built-in views with a list for each admin, kept while the admin is here, and the sort of this
#: list.
OWN_VIEWS: dict[str, str] = {"mentions": "arrival"}
BUILT_IN_VIEWS = tuple(VIEW_QUERIES)
assert {*BUILT_IN_VIEWS} == {*VIEWS, *QUERY_VIEWS, *OWN_VIEWS}
#: The filters of a view: `all` keeps everything, `unassigned` and `mine` test the assignee.
FILTERS = ("all", "unassigned", "mine")


def views_of(facts: Facts) -> tuple[str, ...]:
    """Returns the views that hold a thread, in the order of VIEWS."""
    return tuple(view for view, holds in VIEW_RULES.items() if holds(facts))


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
    """Whether the thread is archived. A thread with unread mentions waits for its readers."""
    if not facts.closed or is_mentioned:
        return False
    return facts.closed_at is not None and facts.closed_at <= closed_before(history_days, now_ms)


def may_hold_archived(resolved: Resolved) -> bool:
    """Whether a query may hold for archived threads; False if all its threads must be open."""
    return True in _answers(resolved.root)


def _answers(node: ResolvedNode) -> frozenset[bool]:
    """Returns the possible answers of a condition for archived threads."""
    if isinstance(node, NotNode):
        return frozenset(not answer for answer in _answers(node.node))
    if isinstance(node, AllNode | AnyNode):
        parts = [_answers(part) for part in node.nodes]
        is_all = isinstance(node, AllNode)
        if any(part == {not is_all} for part in parts):
            return frozenset({not is_all})
        return frozenset({is_all}).union(*parts)
    if node.attribute in _KNOWN:
        return frozenset({node.holds(_ARCHIVED, 0)})
    return frozenset({True, False})
