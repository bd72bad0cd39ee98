"""The routes that help to write queries and sorts: previews of their threads, and suggestions."""

from collections.abc import Iterator, Mapping, Sequence

from flask import Response
from sqlalchemy import Connection

from dashboard.clock import time_limit
from dashboard.db import conditions
from dashboard.db.accounts import admins
from dashboard.db.accounts.admin_desks import Desks
from dashboard.db.database import Database
from dashboard.db.lists import named_lists, query_lists
from dashboard.db.lists import views as saved_views
from dashboard.db.lists.entries import look_through
from dashboard.db.lists.named_lists import ListName
from dashboard.db.lists.query_lists import ListedQuery, QueryList
from dashboard.db.threads import thread_rows
from dashboard.errors import NotFound
from dashboard.languages import browsers_locale
from dashboard.services import Services
from dashboard.validation.field_errors import invalid_query
from dashboard.web.admin import preferences
from dashboard.web.admin.lists import views
from dashboard.web.admin.lists.sorts import SortPreview, SortPreviewRequest, SortProblem, checked
from dashboard.web.admin.preferences import timezone_of
from dashboard.web.admin.routes import SUPERVISOR
from dashboard.web.http.identity import current
from dashboard.web.http.responses import json_response
from dashboard.web.http.routes import done, route
from scoring.conditions.language.completion import complete
from scoring.conditions.language.query import QueryError
from scoring.views import BUILT_IN_VIEWS

ROWS_MAX = 20
#: How long a preview searches for threads.
PREVIEW_SECONDS = 2.0


class QueriesApi:
    """The routes `/views/preview` and `/query/complete`."""

    def __init__(self, services: Services):
        self._database = services.database
        self._clock = services.clock
        self._monotonic = services.monotonic

    @route(
        "POST",
        "/views/preview",
        "postViewPreview",
        summary="Preview a view: the number of its threads, and the first of them",
        body=(views.ViewPreviewRequest,),
        example={"query": "is:waiting waits:>10m", "sort": "longest_wait"},
        answers=done(views.ViewPreview),
        problem=views.ViewProblem,
    )
    def preview(self, body: views.ViewPreviewRequest) -> Response:
        is_over = time_limit(PREVIEW_SECONDS, self._monotonic)
        identity = current()
        with self._database.read() as connection:
            timezone = timezone_of(connection, identity.admin_id, body.timezone)
            listed = ListedQuery(body.query, body.sort, timezone, identity.admin_id, identity.desks)
            try:
                query_list = query_lists.list_of(connection, listed)
            except QueryError as error:
                raise invalid_query(error) from error
            part = look_through(connection, query_list, self._clock(), ROWS_MAX, is_over)
            ids = [entry.id for entry in part.entries]
            rows = thread_rows.rows(connection, ids, identity.desks)
        return json_response({"total": part.total, "rows": [rows[id] for id in ids if id in rows]})

    @route(
        "GET",
        "/query/complete",
        "getCompletion",
        summary="Complete a query at the cursor",
        query=views.CompletionQuery,
        answers=done(views.Suggestions),
    )
    def complete(self, query: views.CompletionQuery) -> Response:
        at = len(query.text) if query.at is None else query.at
        return json_response(
            {"suggestions": complete(query.text, at, _Choices(self._database, current().desks))}
        )


class _Choices(Mapping[str, Sequence[str]]):
    """Maps fields without fixed values to the values that occur at these desks; None: at all
    desks. Values are read when they are needed."""

    def __init__(self, database: Database, desks: Desks):
        self._database = database
        self._desks = desks

    def __getitem__(self, name: str) -> Sequence[str]:
        with self._database.read() as connection:
            return conditions.BY_FIELD[name](connection, self._desks)

    def __iter__(self) -> Iterator[str]:
        return iter(conditions.BY_FIELD)

    def __len__(self) -> int:
        return len(conditions.BY_FIELD)


#: Most threads that are shown.
SHOWN = 200
#: How long a preview searches for threads; it searches once for each order.
SECONDS = 1.5


class SortPreviewApi:
    """The route `/sorts/preview`."""

    def __init__(self, services: Services):
        self._database = services.database
        self._clock = services.clock
        self._monotonic = services.monotonic

    @route(
        "POST",
        "/sorts/preview",
        "postSortPreview",
        scope=SUPERVISOR,
        summary="Preview how rules would order the first 200 threads of a view",
        body=(SortPreviewRequest,),
        example={
            "rules": [{"when": "", "by": "created_at", "order": "oldest"}],
            "view": "not_respond",
        },
        answers=done(SortPreview),
        problems=(404,),
        problem=SortProblem,
    )
    def preview(self, body: SortPreviewRequest) -> Response:
        admin_id, now = current().admin_id, self._clock()
        with self._database.read() as connection:
            name = ListName(body.view, _sort_of(connection, body.view, admin_id), "all")
            named = named_lists.find(connection, name, admin_id)
            timezone = preferences.timezone_of(connection, admin_id, body.timezone)
            _, resolved = checked(connection, "", "", body.rules, timezone)
            tried = QueryList("", named.query_list.resolved, "", resolved)
            before, is_whole = self._first(connection, named.query_list, now)
            after, is_whole_after = self._first(connection, tried, now)
        return json_response(
            {
                "bits": resolved.bits,
                "tiers": resolved.tiers,
                "moved": moved(before, after),
                "of": len(after),
                "before": before,
                "after": after,
                "whole": is_whole and is_whole_after,
            }
        )

    def _first(
        self, connection: Connection, query_list: QueryList, now: int
    ) -> tuple[list[int], bool]:
        """Returns the first threads of a list, and whether all threads were looked at."""
        is_over = time_limit(SECONDS, self._monotonic)
        part = look_through(connection, query_list, now, SHOWN, is_over)
        return [entry.id for entry in part.entries], part.total is not None


def moved(before: Sequence[int], after: Sequence[int]) -> int:
    """Returns the number of threads that stand at another place than before."""
    places = {id: place for place, id in enumerate(before)}
    return sum(places.get(id) != place for place, id in enumerate(after))


def _sort_of(connection: Connection, view: str, admin_id: int) -> str:
    """Returns the sort that a view has now for this admin. Raises NotFound."""
    if view in BUILT_IN_VIEWS:
        chosen = preferences.complete(admins.preferences(connection, admin_id), browsers_locale())
        sort: str = chosen["sorts"][view]
        return sort
    number = saved_views.number_of(view)
    row = None if number is None else saved_views.find(connection, number, admin_id, desks=None)
    if row is None:
        raise NotFound("There is no such view.")
    return row.sort
