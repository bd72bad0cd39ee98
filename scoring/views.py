"""Views, and the ones that hold a thread."""

from collections.abc import Callable

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
