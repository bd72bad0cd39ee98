"""The lists of built-in views that are lists of queries."""

from collections.abc import Iterable, Mapping

from sqlalchemy import Connection

from dashboard.db.accounts.admin_desks import Desks
from dashboard.db.lists import kept_lists, query_lists, sorts
from dashboard.db.lists.query_lists import TIMEZONE, ListedQuery, QueryList
from scoring.sorts import BUILT_IN_SORTS, SORTS
from scoring.views import BUILT_IN_VIEWS, OWN_VIEWS, QUERY_VIEWS, VIEW_QUERIES, VIEWS


def listed(view: str, sort: str | None = None, desks: Desks = None) -> ListedQuery:
    """What a built-in view asks, of the threads at these desks or of all, in a sort, or in that in
    which its list is always kept."""
    return ListedQuery(VIEW_QUERIES[view], sort or QUERY_VIEWS[view], TIMEZONE, desks=desks)


def own(admin_id: int, desks: Desks = None) -> Mapping[str, ListedQuery]:
    """View to what it asks, of those of which each admin has a list of their own."""
    return {
        view: ListedQuery(VIEW_QUERIES[view], sort, TIMEZONE, admin_id, desks)
        for view, sort in OWN_VIEWS.items()
    }


def lists(connection: Connection) -> Mapping[str, QueryList]:
    """View to its list in the sort that it has by default, of those that are lists of queries."""
    return {view: query_lists.list_of(connection, listed(view)) for view in QUERY_VIEWS}


def ids_in(connection: Connection, names: Iterable[str]) -> set[str]:
    """The lists of queries that Redis always keeps for built-in views in these sorts."""
    asked = [each for sort in {*names} for each in _listed_in(sort)]
    return {query_lists.list_of(connection, each).id for each in asked}


def keep_in(connection: Connection, sort: str) -> None:
    """Keeps those in a sort always."""
    for each in _listed_in(sort):
        query_lists.keep(connection, each)


def keep(connection: Connection) -> None:
    """Adds those of all sorts that are missing."""
    for sort in sorts.known(connection):
        keep_in(connection, sort)


def are_kept(connection: Connection) -> bool:
    """Whether none is missing."""
    return ids_in(connection, sorts.known(connection)) <= kept_lists.kept_for_good(connection)


def is_kept(view: str, sort: str) -> bool:
    """Whether Redis always keeps the list of a built-in view in a sort as that of a query.

    Of VIEWS it has those in SORTS in another way, and `soonest` orders by what only snoozed threads
    have.
    """
    if sort in BUILT_IN_SORTS and sort not in SORTS:
        return QUERY_VIEWS.get(view) == sort
    return view in QUERY_VIEWS or (view in VIEWS and sort not in SORTS)


def _listed_in(sort: str) -> list[ListedQuery]:
    return [listed(view, sort) for view in BUILT_IN_VIEWS if is_kept(view, sort)]
