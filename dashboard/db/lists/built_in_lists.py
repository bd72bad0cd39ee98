"""The lists of built-in views that are lists of queries: always kept, each in one sort."""

from collections.abc import Mapping

from sqlalchemy import Connection

from dashboard.db.accounts.admin_desks import Desks
from dashboard.db.lists import kept_lists, query_lists
from dashboard.db.lists.query_lists import TIMEZONE, ListedQuery, QueryList
from scoring.views import OWN_VIEWS, QUERY_VIEWS, VIEW_QUERIES


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
    """View to the list that Redis always keeps for it."""
    return {view: query_lists.list_of(connection, listed(view)) for view in QUERY_VIEWS}


def keep(connection: Connection) -> None:
    """Adds those that are missing."""
    for view in QUERY_VIEWS:
        query_lists.keep(connection, listed(view))


def are_kept(connection: Connection) -> bool:
    """Whether none is missing."""
    kept = kept_lists.kept_for_good(connection)
    return all(each.id in kept for each in lists(connection).values())
