"""The lists of queries whose lengths are the totals of views, for all who look at once."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import NamedTuple

from sqlalchemy import Connection

from dashboard.db.lists import built_in_lists, query_lists, views
from dashboard.db.lists.query_lists import ListedQuery
from scoring.conditions.language.errors import QueryError

#: View id, as the API calls it, to the id of its list.
Lists = Mapping[str, str]


class SeenLists(NamedTuple):
    """The lists of saved views, and of built-in ones that are lists of queries: those that
    everybody sees, and those that one admin sees.

    `temporary`: those of `own` that Redis keeps while somebody looks. Of a view of everybody
    that names `me`, each admin has another list.
    """

    shared: Lists
    own: Mapping[int, Lists]
    temporary: Mapping[str, ListedQuery]


def seen_by(connection: Connection, admin_ids: Collection[int]) -> SeenLists:
    """The lists of the views that these admins see; without those of wrong queries."""
    shared = {id: each.id for id, each in built_in_lists.lists(connection).items()}
    own: dict[int, dict[str, str]] = defaultdict(dict)
    temporary: dict[str, ListedQuery] = {}
    for view in views.seen_by(connection, admin_ids):
        if view.list_id is not None:
            lists = shared if view.owner_id is None else own[view.owner_id]
            lists[view.public_id] = view.list_id
        elif view.owner_id is None:
            for admin_id in admin_ids:
                listed = view.listed(admin_id)
                try:
                    list_id = query_lists.list_of(connection, listed).id
                except QueryError:
                    break
                own[admin_id][view.public_id] = list_id
                temporary[list_id] = listed
    return SeenLists(shared, own, temporary)
