"""The lists that chatbots walk: of built-in views and saved ones of everybody, in any sort."""

from collections.abc import Mapping
from typing import NamedTuple, Protocol

from sqlalchemy import Connection

from dashboard.db.lists import looking_through, named_lists, query_lists, sorts, views
from dashboard.db.lists.listed_queries import TIMEZONE, ListedQuery
from dashboard.db.lists.looking_through import Position
from dashboard.db.lists.people import people_in
from dashboard.db.lists.query_lists import QueryList
from dashboard.db.lists.views import number_of
from dashboard.db.threads import threads
from scoring.conditions.language.errors import QueryError
from scoring.reading import Entry
from scoring.sorts import SORTS
from scoring.views import OWN_VIEWS, VIEW_QUERIES, VIEWS


class WalkedList(Protocol):
    """A list in one sort: where Redis keeps it, if it does, and what SQL says."""

    @property
    def name(self) -> str:
        """Cursors are valid for lists of the same name."""

    @property
    def in_redis(self) -> str | None:
        """The list id in Redis; None where it has not the list in order."""

    @property
    def kept(self) -> Mapping[str, ListedQuery]:
        """The same with what it asks, where it is the list of a query that Redis keeps, in order or
        not."""

    def asked(self, connection: Connection) -> QueryList:
        """The list as that of a query."""

    def listed(
        self, connection: Connection, limit: int, after: Position | None, now_ms: int
    ) -> tuple[list[Entry], int]:
        """Up to `limit` entries in order, from the head or after a position; and how many there
        are in all."""


class BuiltInList(NamedTuple):
    """The list of a built-in view."""

    view: str
    sort: str

    @property
    def name(self) -> str:
        return f"{self.view}/{self.sort}"

    @property
    def in_redis(self) -> str | None:
        return self.view

    @property
    def kept(self) -> Mapping[str, ListedQuery]:
        return {}

    def asked(self, connection: Connection) -> QueryList:
        listed = ListedQuery(VIEW_QUERIES[self.view], self.sort, TIMEZONE)
        return query_lists.list_of(connection, listed)

    def listed(
        self, connection: Connection, limit: int, after: Position | None, now_ms: int
    ) -> tuple[list[Entry], int]:
        found = threads.listed(connection, self.view, "all", None, self.sort, limit, after)
        return found, threads.total(connection, self.view, "all", None)


class SavedList(NamedTuple):
    """The list of a query, whose cursors end with a change of it or of the rules of its sort."""

    query_list: QueryList
    in_redis: str | None
    kept: Mapping[str, ListedQuery]

    @property
    def name(self) -> str:
        return self.query_list.id

    def asked(self, connection: Connection) -> QueryList:
        return self.query_list

    def listed(
        self, connection: Connection, limit: int, after: Position | None, now_ms: int
    ) -> tuple[list[Entry], int]:
        return looking_through.listed(connection, self.query_list, now_ms, limit, after)


def _listed(connection: Connection, view: str) -> ListedQuery | None:
    if view in OWN_VIEWS:
        return None
    if view in VIEW_QUERIES:
        return ListedQuery(VIEW_QUERIES[view], "", TIMEZONE)
    number = number_of(view)
    found = None if number is None else views.find(connection, number, None, frozenset())
    return None if found is None or people_in(found.query).me else found.listed(None)


def walked_list(connection: Connection, view: str, sort: str) -> WalkedList | None:
    """The list of a view in a sort; None where chatbots cannot ask for it.

    They are nobody, so a view that names `me` is none of theirs.
    """
    if view in VIEWS and sort in SORTS:
        return BuiltInList(view, sort)
    listed = _listed(connection, view)
    if listed is None or sort not in sorts.known(connection):
        return None
    listed = listed._replace(sort=sort)
    try:
        query_list = query_lists.list_of(connection, listed)
    except QueryError:
        # An address in it is gone: it has no threads that anybody could name.
        return None
    is_kept = query_list.id in query_lists.current(connection).lists
    is_built = is_kept and named_lists.epoch_of(connection, query_list.id) is not None
    kept = {query_list.id: listed} if is_kept else {}
    return SavedList(query_list, query_list.id if is_built else None, kept)
