"""Resolves the name of a list (a view or a query, with a sort and a filter) for an admin, and reads
the list from SQL."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from sqlalchemy import Connection, bindparam, exists, select

from dashboard.db.accounts.admin_desks import Desks
from dashboard.db.lists import entries, kept_lists, query_lists, sorts, views
from dashboard.db.lists.entries import Position
from dashboard.db.lists.query_lists import TIMEZONE, ListedQuery, QueryList, people_in
from dashboard.db.lists.views import View
from dashboard.db.models.threads import epochs
from dashboard.db.models.views import query_lists as lists
from dashboard.db.models.views import views as views_table
from dashboard.db.threads import threads
from dashboard.errors import NotFound
from dashboard.validation.field_errors import invalid_query, unknown_sort
from scoring.conditions.language.parser import parse
from scoring.conditions.language.query import QueryError
from scoring.reading import Entry
from scoring.sorting.rules import UnknownSort
from scoring.sorts import SORTS
from scoring.views import FILTERS, OWN_VIEWS, QUERY_VIEWS, VIEW_QUERIES, VIEWS

_IS_UNORDERED = exists().where(lists.c.id == epochs.c.list_id, lists.c.ordered_since.is_(None))
_EPOCH = select(epochs.c.epoch).where(epochs.c.list_id == bindparam("id"), ~_IS_UNORDERED)


class ListName(NamedTuple):
    """The name of a list as an admin gives it, by a view or by a query.

    With `mine`, `me` or an own view the list differs for each admin. `timezone` is the time zone of
    the days in a query. `desks` are the desks that the admin sees; None: all threads.
    """

    view: str | None
    sort: str
    filter: str
    query: str | None = None
    timezone: str | None = None
    desks: Desks = None

    @property
    def indexed_view(self) -> str | None:
        """The view if an index in SQL has its order; None: all threads must be looked through."""
        has_index = self.view in VIEWS and self.sort in SORTS and self.desks is None
        return self.view if has_index else None

    @property
    def standing_id(self) -> str | None:
        """The list id if Redis always holds the list by its view: a built-in view in a built-in
        sort, with the threads of all desks and assignees."""
        return self.indexed_view if self.filter == "all" else None

    def to_json(self) -> dict[str, str]:
        """Returns the name as it was given: `{view, sort, filter}` or `{query, sort, filter}`."""
        items = self._asdict().items()
        return {name: value for name, value in items if value is not None and name != "desks"}


class NamedList(NamedTuple):
    """The list that a name means for an admin: its id in Redis, and the same list as a query.

    `is_always_kept`: Redis keeps it, whether or not somebody looks. `epoch`: see `epoch_of`. Reads
    from SQL use an index that has the order, if there is one; else they look through all threads.
    """

    name: ListName
    admin_id: int
    list_id: str
    query_list: QueryList
    query: ListedQuery
    is_always_kept: bool
    epoch: str | None

    def listed(
        self, connection: Connection, now_ms: int, limit: int, after: Position | None = None
    ) -> tuple[list[Entry], int]:
        """Returns up to `limit` entries in SQL's order, from the head or after a (score, id), and
        the number of all entries."""
        view, sort, filter = self.name.indexed_view, self.name.sort, self.name.filter
        if view is None:
            return entries.listed(connection, self.query_list, now_ms, limit, after)
        page = threads.listed(connection, view, filter, self.admin_id, sort, limit, after)
        return page, threads.total(connection, view, filter, self.admin_id)

    def rank(self, connection: Connection, now_ms: int, thread_id: int) -> int | None:
        """Counts the threads above this one in SQL; None if it is not on the list."""
        view, sort, filter = self.name.indexed_view, self.name.sort, self.name.filter
        if view is None:
            return entries.rank(connection, self.query_list, now_ms, thread_id)
        return threads.rank(connection, view, filter, self.admin_id, sort, thread_id)


class Stamp(NamedTuple):
    """The values of a saved view that change whenever its list, or its audience, may change."""

    changed_at: int
    list_id: str | None
    owner_id: int | None
    desk: str | None


def find(connection: Connection, name: ListName, admin_id: int) -> NamedList:
    """Returns the list that a name means for this admin.

    Raises NotFound for a view that the admin does not see, and Problem (422) for a query with a
    mistake or an unknown sort.
    """
    if name.sort not in sorts.known(connection):
        raise unknown_sort()
    query, is_kept, query_list = _resolved(connection, name, admin_id, None)
    is_whole = name.filter == "all" and name.desks is None
    list_id = name.standing_id or query_list.id
    epoch = epoch_of(connection, list_id)
    is_kept = is_kept and is_whole
    return NamedList(name, admin_id, list_id, query_list, query, is_kept, epoch)


def find_at(connection: Connection, name: ListName, admin_id: int, at: int) -> QueryList:
    """Returns the list that a name meant at a moment: by the view and the sort as they were. Raises
    as `find`."""
    return _resolved(connection, name, admin_id, at)[2]


def _resolved(
    connection: Connection, name: ListName, admin_id: int, at: int | None
) -> tuple[ListedQuery, bool, QueryList]:
    """Returns the query of a name, whether Redis always keeps its list for all threads, and the
    list; now, or as of a moment."""
    pointer = "/view" if name.query is None else "/query"
    try:
        sort = None if at is None else sorts.as_it_was(connection, name.sort, at)
        query, is_kept = _query(connection, name, admin_id, at)
        me = admin_id if name.filter == "mine" else query.admin_id
        query = query._replace(admin_id=me, desks=name.desks, filter=name.filter)
        return query, is_kept, query_lists.list_of(connection, query, sort)
    except UnknownSort as error:
        raise unknown_sort() from error
    except QueryError as error:
        raise invalid_query(error, pointer) from error


def by_filter(connection: Connection, name: ListName, admin_id: int) -> dict[str, NamedList]:
    """Maps filters to the list that the name means with each filter. A view has no entry `all`: its
    total is known anyway. Raises as `find`."""
    return {
        filter: find(connection, name._replace(filter=filter), admin_id)
        for filter in FILTERS
        if filter != "all" or name.view is None
    }


def epoch_of(connection: Connection, list_id: str) -> str | None:
    """Returns the epoch of a list that Redis holds in order; None if it must be built."""
    return connection.scalar(_EPOCH, {"id": list_id})


def stamps(connection: Connection, view_ids: Collection[str]) -> dict[str, Stamp]:
    """Maps public ids of saved views to their stamps; views that are gone are left out."""
    numbers = [number for id in view_ids if (number := views.number_of(id)) is not None]
    columns = (views_table.c[name] for name in Stamp._fields)
    statement = select(views_table.c.id, *columns).where(views_table.c.id.in_(numbers))
    return {f"v{id}": Stamp(*values) for id, *values in connection.execute(statement)}


def _query(
    connection: Connection, name: ListName, admin_id: int, at: int | None
) -> tuple[ListedQuery, bool]:
    """Returns the query of a name, for all threads, and whether Redis always keeps its list."""
    if name.query is not None:
        parse(name.query)
        me = admin_id if people_in(name.query).me else None
        return ListedQuery(name.query, name.sort, name.timezone or TIMEZONE, me), False
    assert name.view is not None
    if name.view in VIEW_QUERIES:
        me = admin_id if name.view in OWN_VIEWS else None
        listed = ListedQuery(VIEW_QUERIES[name.view], name.sort, TIMEZONE, me)
        return listed, kept_lists.is_kept(name.view, name.sort)
    number = views.number_of(name.view)
    if number is None:
        view = None
    elif at is None:
        view = views.find(connection, number, admin_id, name.desks)
    else:
        view = views.as_it_was(connection, number, admin_id, name.desks, at)
    if view is None:
        raise NotFound("There is no such view.")
    is_kept = view.list_id is not None and view.sort == name.sort
    return view.listed(admin_id)._replace(sort=name.sort), is_kept


#: Maps view ids in the API to the ids of their lists.
Lists = Mapping[str, str]


class SeenLists(NamedTuple):
    """The lists of saved views, and of built-in views that are lists of queries. `shared` are for
    all admins who see all threads; `own` are for one admin each.

    Each admin has another list of `mentions`, and of a shared view that names `me`. An admin who
    sees only some desks has another list of each view, and none of `shared`. `temporary`: the lists
    of `own` that Redis keeps only while somebody looks.
    """

    shared: Lists
    own: Mapping[int, Lists]
    temporary: Mapping[str, ListedQuery]


def seen_by(connection: Connection, admins: Mapping[int, Desks]) -> SeenLists:
    """Returns the lists of the views that these admins see, for each admin's desks; leaves out
    views with a wrong query."""
    shared = {id: query_list.id for id, query_list in kept_lists.lists(connection).items()}
    own: dict[int, dict[str, str]] = defaultdict(dict)
    temporary: dict[str, ListedQuery] = {}

    def add(admin_id: int, view: str, listed: ListedQuery) -> None:
        list_id = query_lists.list_of(connection, listed).id
        own[admin_id][view] = list_id
        temporary[list_id] = listed

    for admin_id, desks in admins.items():
        for id, listed in kept_lists.own(admin_id, desks).items():
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
    """Yields the views that an admin sees with their queries, for the threads at some desks."""
    for name in QUERY_VIEWS:
        yield name, kept_lists.listed(name, desks=desks)
    for view in saved:
        if view.is_seen_by(admin_id, desks):
            yield view.public_id, view.listed(admin_id)._replace(desks=desks)
