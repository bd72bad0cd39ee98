"""The views that an admin sees, with the threads in each, and the first list of the page."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypedDict

from flask import Response
from redis.exceptions import RedisError
from sqlalchemy import Connection

from dashboard import languages
from dashboard.clock import time_limit
from dashboard.db.accounts import admins
from dashboard.db.accounts.admin_desks import Desks
from dashboard.db.lists import kept_lists, query_lists, views
from dashboard.db.lists.entries import look_through
from dashboard.db.lists.named_lists import ListName
from dashboard.db.lists.query_lists import QueryList
from dashboard.db.lists.views import View
from dashboard.db.threads import threads
from dashboard.errors import Problem, StorageUnavailable
from dashboard.live import frames
from dashboard.services import Services
from dashboard.web.admin import preferences
from dashboard.web.admin.responses import Answer
from dashboard.web.http.identity import current
from dashboard.web.http.responses import json_response
from dashboard.web.http.routes import done, route
from scoring.conditions.language.query import QueryError
from scoring.ranking import RankingLost
from scoring.reading import Head, State
from scoring.sorts import ANY_SORT
from scoring.views import BUILT_IN_VIEWS, OWN_VIEWS, QUERY_VIEWS, VIEW_QUERIES, VIEWS

#: More rows than a tall screen shows; a row is about 700 bytes.
ROWS_MAX = 30


class FirstList:
    """Reads the answer of `list:open` without a socket."""

    def __init__(self, services: Services):
        self._reads = services.reads
        self._ranking = services.ranking

    def head(self, list: ListName, admin_id: int) -> dict[str, object] | None:
        """Returns the answer of `list:open` for up to ROWS_MAX rows; None if Redis cannot answer,
        as for a list that exists only while it is open.

        The page shows it at once, and catches up by `list:sync` when its socket is connected.
        """
        try:
            head = self._head(list, admin_id)
        except (RedisError, RankingLost):
            return None
        if head is None:
            return None
        rows = self._reads.rows([entry.id for entry in head.entries], list.desks)
        return {**list.to_json(), **frames.head(head), "rows": frames.rows_of(head.entries, rows)}

    def _head(self, list: ListName, admin_id: int) -> Head | None:
        try:
            named = self._reads.named(list, admin_id)
        except StorageUnavailable:
            raise
        except Problem:
            # The page shows the error when it opens the list.
            return None
        head = self._ranking.head(named.list_id, list.sort, ROWS_MAX)
        return head if head.epoch == named.epoch else None


#: How long one answer counts threads in SQL; views that are not counted by then have no total.
COUNTING_SECONDS = 1.0


class SeenView(NamedTuple):
    """A saved view as an admin sees it: its list, or the mistake in its query."""

    view: View
    query_list: QueryList | None
    mistake: QueryError | None


class ListedView(TypedDict):
    """A view as the page gets it: `View` of `views.py` describes it."""

    id: str
    name: str
    query: str
    sort: str
    owner: str
    timezone: str | None
    changed_at: int | None
    total: int | None
    mistake: Mapping[str, object] | None


class SeenViews:
    """Reads the views that admins see. Totals come from Redis; from SQL if it cannot tell."""

    def __init__(self, services: Services):
        self._database = services.database
        self._ranking = services.ranking
        self._clock = services.clock
        self._monotonic = services.monotonic

    def of(self, admin_id: int, locale: str, desks: Desks) -> list[ListedView]:
        """Returns all views that an admin sees, in the admin's order, with totals of the threads at
        these desks; None: at all desks. Raises StorageUnavailable."""
        with self._database.read() as connection:
            chosen = preferences.complete(admins.preferences(connection, admin_id), locale)
            by_id = query_lists.current(connection).lists
            saved = views.visible_to(connection, admin_id, desks)
            seen = {
                view.public_id: _seen(connection, view, admin_id, by_id, desks) for view in saved
            }
            order = views.ordered(connection, admin_id, BUILT_IN_VIEWS, seen)
            built_in = _built_in(connection, desks)
            own = {
                id: query_lists.list_of(connection, listed._replace(sort=ANY_SORT))
                for id, listed in kept_lists.own(admin_id, desks).items()
            }
        lists = {id: view.query_list for id, view in seen.items() if view.query_list is not None}
        lists |= {**built_in, **own}
        # For all desks, Redis always keeps the lists of built-in views.
        kept_ids = by_id.keys() | {entry.id for entry in built_in.values() if desks is None}
        live = {id: entry.id for id, entry in lists.items() if entry.id in kept_ids}
        totals = self._totals(lists, live, VIEWS if desks is None else ())
        return [
            _saved_json(seen[id], totals.get(id))
            if id in seen
            else _built_in_json(id, chosen, totals.get(id))
            for id in order
        ]

    def _totals(
        self, lists: Mapping[str, QueryList], live: Mapping[str, str], always: Sequence[str]
    ) -> dict[str, int | None]:
        """Maps view ids to totals; None while a list is built. `live`: ids of the lists that Redis
        keeps; `always`: the views that always have lists there."""
        by_view = {**live, **{view: view for view in always}}
        states = self._states({*by_view.values()})
        if states is None:
            return self._counted(always, lists)
        totals = {
            id: state.total if (state := states[list_id]).epoch is not None else None
            for id, list_id in by_view.items()
        }
        rest = {id: query_list for id, query_list in lists.items() if id not in live}
        return totals | self._counted((), rest)

    def _states(self, list_ids: set[str]) -> Mapping[str, State] | None:
        """Returns the states by list id; None while Redis is away."""
        try:
            return self._ranking.states(sorted(list_ids))
        except RedisError:
            return None

    def _counted(
        self, built_in: Iterable[str], lists: Mapping[str, QueryList]
    ) -> dict[str, int | None]:
        is_over = time_limit(COUNTING_SECONDS, self._monotonic)
        totals: dict[str, int | None] = {}
        now = self._clock()
        with self._database.read() as connection:
            for view in built_in:
                totals[view] = threads.total(connection, view, "all", None)
            for id, query_list in lists.items():
                if is_over():
                    break
                totals[id] = look_through(connection, query_list, now, 0, is_over).total
        return totals


def without_total(connection: Connection, view: View, admin_id: int) -> ListedView:
    """Returns a saved view as an admin sees it, without its total.

    Reads no other list: events wait while a transaction adds one.
    """
    return _saved_json(_seen(connection, view, admin_id, {}), None)


def without_totals(
    connection: Connection, admin_id: int, desks: Desks, most: int, also: str | None
) -> list[ListedView]:
    """Returns the first `most` saved views visible to an admin with access to these desks, in the
    admin's order, without totals; and the view with the id `also`."""
    saved = views.visible_to(connection, admin_id, desks)
    shown = saved[:most] + [view for view in saved[most:] if view.public_id == also]
    return [_saved_json(SeenView(view, None, None), None) for view in shown]


def _built_in(connection: Connection, desks: Desks) -> Mapping[str, QueryList]:
    """Returns the lists of built-in views that are lists of queries; for an admin of only
    some desks, the lists of all built-in views except OWN_VIEWS."""
    if desks is None:
        return kept_lists.lists(connection)
    return {
        view: query_lists.list_of(
            connection, kept_lists.listed(view, QUERY_VIEWS.get(view, ANY_SORT), desks)
        )
        for view in BUILT_IN_VIEWS
        if view not in OWN_VIEWS
    }


def _seen(
    connection: Connection,
    view: View,
    admin_id: int,
    by_id: Mapping[str, QueryList],
    desks: Desks = None,
) -> SeenView:
    if desks is None and view.list_id is not None and view.list_id in by_id:
        return SeenView(view, by_id[view.list_id], None)
    try:
        listed = view.listed(admin_id)._replace(desks=desks)
        query_list = query_lists.list_of(connection, listed)
    except QueryError as error:
        return SeenView(view, None, error)
    return SeenView(view, query_list, None)


def _saved_json(seen: SeenView, total: int | None) -> ListedView:
    view, mistake = seen.view, seen.mistake
    return {
        "id": view.public_id,
        "name": view.name,
        "query": view.query,
        "sort": view.sort,
        "owner": view.shared_with or "me",
        "timezone": view.timezone,
        "changed_at": view.changed_at,
        "total": total,
        "mistake": None
        if mistake is None
        else {"at": mistake.at, "expected": list(mistake.expected)},
    }


def _built_in_json(id: str, chosen: Mapping[str, Any], total: int | None) -> ListedView:
    """Returns a built-in view in the sort and the language that the admin has chosen."""
    return {
        "id": id,
        "name": languages.page_texts(chosen["locale"])[f"view.{id}"],
        "query": VIEW_QUERIES[id],
        "sort": chosen["sorts"][id],
        "owner": "built-in",
        "timezone": None,
        "changed_at": None,
        "total": total,
        "mistake": None,
    }


#: Waits are counted from these lengths on.
LONG_MINUTES = (10, 30)
MINUTE_MS = 60_000


class LongWaits(Answer):
    """The number of threads that have waited for longer than this."""

    minutes: int
    count: int


class QueueAnswer(Answer):
    """Threads on `not_respond` at the desks that the admin sees, by their waits."""

    over: list[LongWaits]


class QueueApi:
    """The route `/queue`."""

    def __init__(self, services: Services):
        self._database = services.database
        self._clock = services.clock

    @route(
        "GET",
        "/queue",
        "getQueue",
        summary="Count the waiting threads by their waits",
        answers=done(QueueAnswer),
    )
    def queue(self) -> Response:
        now = self._clock()
        times = [now - minutes * MINUTE_MS for minutes in LONG_MINUTES]
        with self._database.read() as connection:
            counts = threads.waiting_before(connection, times, current().desks)
        over = [
            {"minutes": minutes, "count": count}
            for minutes, count in zip(LONG_MINUTES, counts, strict=True)
        ]
        return json_response({"over": over})
