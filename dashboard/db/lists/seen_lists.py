"""The lists of queries whose lengths are the totals of views, for all who look at once."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from sqlalchemy import Connection

from dashboard.db.accounts.admin_desks import Desks
from dashboard.db.lists import built_in_lists, query_lists, views
from dashboard.db.lists.listed_queries import ListedQuery
from dashboard.db.lists.views import View
from scoring.conditions.language.errors import QueryError
from scoring.views import QUERY_VIEWS

#: View id, as the API calls it, to the id of its list.
Lists = Mapping[str, str]


class SeenLists(NamedTuple):
    """The lists of saved views, and of built-in ones that are lists of queries: those that
    everybody sees who sees all threads, and those that one admin sees.

    Of a view of several people that names `me`, and of `mentions`, each admin has another list; who
    sees the threads of some desks alone has another one of each view, and none of `shared`.
    `temporary`: those of `own` that Redis keeps while somebody looks.
    """

    shared: Lists
    own: Mapping[int, Lists]
    temporary: Mapping[str, ListedQuery]


def seen_by(connection: Connection, admins: Mapping[int, Desks]) -> SeenLists:
    """The lists of the views that these admins see, each with the admin's desks; without those of
    wrong queries."""
    shared = {id: each.id for id, each in built_in_lists.lists(connection).items()}
    own: dict[int, dict[str, str]] = defaultdict(dict)
    temporary: dict[str, ListedQuery] = {}

    def add(admin_id: int, view: str, listed: ListedQuery) -> None:
        list_id = query_lists.list_of(connection, listed).id
        own[admin_id][view] = list_id
        temporary[list_id] = listed

    for admin_id, desks in admins.items():
        for id, listed in built_in_lists.own(admin_id, desks).items():
            add(admin_id, id, listed)
    of_all_desks = [id for id, desks in admins.items() if desks is None]
    saved = views.of_several(connection, admins)
    for view in saved:
        if view.list_id is not None:
            if view.owner_id is None:
                shared[view.public_id] = view.list_id
            elif admins[view.owner_id] is None:
                own[view.owner_id][view.public_id] = view.list_id
        elif view.owner_id is None:
            for admin_id in of_all_desks:
                try:
                    add(admin_id, view.public_id, view.listed(admin_id))
                except QueryError:
                    break
    for admin_id, desks in admins.items():
        if desks is not None:
            for id, listed in _at_desks(saved, admin_id, desks):
                try:
                    add(admin_id, id, listed)
                except QueryError:
                    continue
    return SeenLists(shared, own, temporary)


def _at_desks(
    saved: Iterable[View], admin_id: int, desks: Desks
) -> Iterable[tuple[str, ListedQuery]]:
    """What the views ask that an admin sees, of the threads at some desks."""
    for view in QUERY_VIEWS:
        yield view, built_in_lists.listed(view, desks=desks)
    for each in saved:
        if each.is_seen_by(admin_id, desks):
            yield each.public_id, each.listed(admin_id)._replace(desks=desks)
