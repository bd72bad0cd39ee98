"""Finds threads: by words and by customer, closed ones beyond the lists, and by their ids."""

import threading
from typing import Annotated
from zoneinfo import ZoneInfo

from flask import Response
from pydantic import AfterValidator, Field
from sqlalchemy import Connection

from dashboard.db import archive, policies
from dashboard.db.archive import Part
from dashboard.db.lists import named_lists, versions
from dashboard.db.lists.query_lists import QueryList
from dashboard.db.search import search
from dashboard.db.search.search import HoldsAt
from dashboard.db.threads import thread_rows, threads
from dashboard.errors import NotFound
from dashboard.services import Services
from dashboard.validation.accounts import OwnTimezone
from dashboard.validation.field_errors import invalid_query
from dashboard.validation.fields import check_length
from dashboard.web.admin.lists.views import ViewProblem
from dashboard.web.admin.preferences import timezone_of
from dashboard.web.admin.requests import ListQuery
from dashboard.web.admin.responses import CustomerPanel, Row, SearchResults, ThreadMatches
from dashboard.web.http.identity import current
from dashboard.web.http.queries import DIGITS, After, Cursor, Ids, Query, Words, excluded
from dashboard.web.http.responses import json_response
from dashboard.web.http.routes import done, route
from dashboard.web.http.schemas import Answer, ThreadId
from scoring.conditions.language.parser import LENGTH_MAX, SearchText, read_search
from scoring.conditions.language.query import QueryError
from scoring.conditions.resolve import resolve

RESULTS_DEFAULT = 50
RESULTS_MAX = 100
#: Number of a customer's threads that the panel shows.
PANEL_THREADS = 20
#: The name of the list in a search's cursors.
_LIST_NAME = "search/newest"


class MatchesQuery(Query):
    """The search text: words, phrases in quotes, and conditions, which match no messages."""

    q: Annotated[
        Words,
        AfterValidator(lambda text: check_length(text, LENGTH_MAX)),
        Field(json_schema_extra={"maxLength": LENGTH_MAX}),
    ]


class SearchQuery(MatchesQuery):
    """The search text, and the part of the results to read."""

    timezone: OwnTimezone = None
    limit: Annotated[int, Field(ge=1, le=RESULTS_MAX), DIGITS] = RESULTS_DEFAULT
    cursor: Cursor = None


class SearchApi:
    """The routes `/search`, `/threads/ID/matches` and `/threads/ID/customer`."""

    def __init__(self, services: Services):
        self._database = services.database
        self._cursors = services.cursors
        self._clock = services.clock

    @route(
        "GET",
        "/search",
        "getSearch",
        summary="Find threads by words and conditions, the newest match first",
        query=SearchQuery,
        answers=done(SearchResults),
        problem=ViewProblem,
    )
    def search(self, query: SearchQuery) -> Response:
        after = None
        if query.cursor is not None:
            after = search.SortKey(*self._cursors.decode(_LIST_NAME, query.cursor))
        with self._database.read() as connection:
            words, condition = self._read(connection, query)
            desks = current().desks
            page = search.find(connection, words, query.limit, after, condition, desks)
        next = self._cursors.encode(_LIST_NAME, page.next) if page.next else None
        return json_response(page._asdict() | {"next": next})

    @route(
        "GET",
        "/threads/{thread_id}/matches",
        "getMatches",
        summary="Find the messages of a thread that contain words",
        query=MatchesQuery,
        answers=done(ThreadMatches),
        problem=ViewProblem,
    )
    def matches(self, thread_id: int, query: MatchesQuery) -> Response:
        with self._database.read() as connection:
            if not threads.names(connection, [thread_id]):
                raise NotFound("There is no such thread.")
            matches = search.find_in_thread(connection, thread_id, _read(query.q).words)
        return json_response(matches)

    @route(
        "GET",
        "/threads/{thread_id}/customer",
        "getCustomer",
        summary="Read the customer of a thread, and the customer's threads",
        answers=done(CustomerPanel),
    )
    def customer(self, thread_id: int) -> Response:
        with self._database.read() as connection:
            panel = search.panel(connection, thread_id, PANEL_THREADS, current().desks)
        if panel is None:
            raise NotFound("There is no such thread.")
        return json_response(panel)

    def _read(self, connection: Connection, query: SearchQuery) -> tuple[str, HoldsAt | None]:
        """Returns the words, and the conditions if there are any."""
        parts = _read(query.q)
        if parts.words == query.q:
            return parts.words, None
        admin_id = current().admin_id
        timezone = ZoneInfo(timezone_of(connection, admin_id, query.timezone))
        try:
            resolved = resolve(parts.query, admin_id, policies.admin_id_of(connection), timezone)
        except QueryError as error:
            raise invalid_query(error, "/q") from error
        return parts.words, HoldsAt(resolved, self._clock())


def _read(text: str) -> SearchText:
    try:
        return read_search(text)
    except QueryError as error:
        raise invalid_query(error, "/q") from error


#: Rows of a list that one answer has.
ROWS_DEFAULT, ROWS_MAX = 50, 100


class ListPartQuery(ListQuery):
    """A list, and the part of it to read."""

    after: Annotated[After, Field(description="`next` of the answer before, as `score,id`.")] = None
    limit: Annotated[int, Field(ge=1, le=ROWS_MAX), DIGITS] = ROWS_DEFAULT


class ArchiveQuery(ListPartQuery):
    """A list, and the part of its archived threads to read."""

    ids: Annotated[Ids, Field(description="Only these threads.")] = []  # noqa: RUF012


class Archived(Answer):
    """Archived threads of a list, in its order: ids and scores, and rows."""

    ids: list[ThreadId]
    scores: list[int]
    rows: list[Row]
    next: Annotated[
        tuple[int, int] | None,
        Field(description="(score, id) after which more may follow; null at the end."),
    ]
    days: Annotated[int, Field(description="Threads closed earlier are archived.")]


class ArchiveApi:
    """Reads only from SQL: Redis holds no archived thread."""

    def __init__(self, services: Services):
        self._database = services.database
        self._clock = services.clock
        #: Held while a request searches the archive: events wait for one statement at a time.
        self._one_look = threading.Lock()

    @route(
        "GET",
        "/archive",
        "getArchive",
        summary="Read the threads of a list that were closed too long ago to be live",
        description="In the order of the list, after its live threads. With `ids`, only these "
        "threads, if they are archived and on the list.",
        query=ArchiveQuery,
        answers=done(Archived),
        problems=(404,),
        problem=ViewProblem,
    )
    def archive(self, query: ArchiveQuery) -> Response:
        if query.ids and query.after is not None:
            raise excluded("after", "ids")
        identity = current()
        name = query.list_of(identity.desks)
        with self._one_look, self._database.read() as connection:
            query_list = named_lists.find(connection, name, identity.admin_id).query_list
            part = self._found(connection, query_list, query)
            ids = [entry.id for entry in part.entries]
            rows = thread_rows.rows(connection, ids, identity.desks)
            days = versions.current(connection).history_days
        return json_response(
            {
                "ids": ids,
                "scores": [entry.score for entry in part.entries],
                "rows": [rows[id] for id in ids if id in rows],
                "next": part.next,
                "days": days,
            }
        )

    def _found(self, connection: Connection, query_list: QueryList, query: ArchiveQuery) -> Part:
        now = self._clock()
        if query.ids:
            return Part(archive.held(connection, query_list, now, query.ids), None)
        return archive.part(connection, query_list, now, query.limit, query.after)
