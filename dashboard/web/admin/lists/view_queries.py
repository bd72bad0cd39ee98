"""The routes that help to write a query: a preview of its threads, and suggestions."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence

from flask import Response

from dashboard.clock import time_limit
from dashboard.db.accounts.admin_desks import Desks
from dashboard.db.database import Database
from dashboard.db.lists import query_lists, query_values
from dashboard.db.lists.entries import look_through
from dashboard.db.lists.query_lists import ListedQuery
from dashboard.db.threads import thread_rows
from dashboard.validation.queries import invalid_query
from dashboard.web.admin.lists import views
from dashboard.web.admin.preferences import timezone_of
from dashboard.web.http.identity import current
from dashboard.web.http.responses import json_response
from dashboard.web.http.routes import done, route
from scoring.conditions.language.completion import complete
from scoring.conditions.language.errors import QueryError

ROWS_MAX = 20
#: How long a preview searches for threads.
PREVIEW_SECONDS = 2.0


class QueriesApi:
    """The routes `/views/preview` and `/query/complete`."""

    def __init__(
        self,
        database: Database,
        clock: Callable[[], int],
        monotonic: Callable[[], float] = time.monotonic,
    ):
        self._database = database
        self._clock = clock
        self._monotonic = monotonic

    @route(
        "POST",
        "/views/preview",
        "postViewPreview",
        summary="Count the threads that a view would have, and read the first of them",
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
            found = look_through(connection, query_list, self._clock(), ROWS_MAX, is_over)
            ids = [entry.id for entry in found.entries]
            rows = thread_rows.rows(connection, ids, identity.desks)
        return json_response({"total": found.total, "rows": [rows[id] for id in ids if id in rows]})

    @route(
        "GET",
        "/query/complete",
        "getCompletion",
        summary="Say what may be written at a place of a query",
        query=views.CompletionQuery,
        answers=done(views.Suggestions),
    )
    def complete(self, query: views.CompletionQuery) -> Response:
        at = len(query.text) if query.at is None else query.at
        return json_response(
            {"suggestions": complete(query.text, at, _Choices(self._database, current().desks))}
        )


class _Choices(Mapping[str, Sequence[str]]):
    """The values of fields that are not fixed, read when they are needed: those of threads at these
    desks; None: at all desks."""

    def __init__(self, database: Database, desks: Desks):
        self._database = database
        self._desks = desks

    def __getitem__(self, name: str) -> Sequence[str]:
        with self._database.read() as connection:
            return query_values.BY_FIELD[name](connection, self._desks)

    def __iter__(self) -> Iterator[str]:
        return iter(query_values.BY_FIELD)

    def __len__(self) -> int:
        return len(query_values.BY_FIELD)
