"""Which lists a thread is on: views, and on each the filters that hold it."""

from collections.abc import Callable, Iterable
from functools import lru_cache

from scoring.facts import Facts

#: Which threads a view holds.
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
#: The views of which Redis holds a list for each built-in sort and filter, under list ids.
VIEWS = tuple(VIEW_RULES)
#: The built-in views whose lists are lists of queries, and the sort in which Redis always holds it.
QUERY_VIEWS: dict[str, str] = {"snoozed": "soonest"}
#: The built-in views of which each admin has a list of their own, kept while the admin is here, and
#: the sort in which it is.
OWN_VIEWS: dict[str, str] = {"mentions": "arrival"}
BUILT_IN_VIEWS = tuple(VIEW_QUERIES)
assert {*BUILT_IN_VIEWS} == {*VIEWS, *QUERY_VIEWS, *OWN_VIEWS}
FILTERS = ("all", "unassigned", "mine")


def list_id(view: str, filter: str = "all", admin_id: int | None = None) -> str:
    """The name under which Redis keeps the lists of a view and filter: one hash tag each.

    `admin_id` is whose list `mine` is; the other filters take none of it.
    """
    if filter == "all":
        return view
    return f"{view}:unassigned" if filter == "unassigned" else f"{view}:mine:{admin_id}"


def views_of(facts: Facts) -> tuple[str, ...]:
    """The views that a thread is on, in the order of VIEWS."""
    return tuple(view for view, holds in VIEW_RULES.items() if holds(facts))


@lru_cache(maxsize=4_096)
def list_ids_of(views: tuple[str, ...], assignee_id: int | None) -> frozenset[str]:
    """All list ids that a thread of these views is on."""
    filter = "unassigned" if assignee_id is None else "mine"
    return frozenset(name for view in views for name in (view, list_id(view, filter, assignee_id)))


def list_ids(facts: Facts, assignee_id: int | None) -> frozenset[str]:
    """List ids that hold a thread: each view, with its `unassigned` or its assignee's `mine`."""
    return list_ids_of(views_of(facts), assignee_id)


def all_list_ids(admin_ids: Iterable[int]) -> list[str]:
    """Every list id that may hold a thread, given who may be assigned one."""
    shared = [list_id(view, filter) for view in VIEWS for filter in ("all", "unassigned")]
    return shared + [list_id(view, "mine", admin_id) for admin_id in admin_ids for view in VIEWS]
