"""Routes that find threads and messages: by words, and by customer."""

from typing import Annotated
from zoneinfo import ZoneInfo

from flask import Response
from pydantic import AfterValidator, Field
from sqlalchemy import Connection

from dashboard.db.accounts import admins
from dashboard.db.search import search
from dashboard.db.search.search import HoldsAt
from dashboard.db.threads import threads
from dashboard.errors import NotFound
from dashboard.services import Services
from dashboard.validation.accounts import Timezone
from dashboard.validation.field_errors import invalid_query
from dashboard.validation.fields import check_length
from dashboard.web.admin.lists.views import ViewProblem
from dashboard.web.admin.preferences import timezone_of
from dashboard.web.admin.responses import CustomerPanel, SearchResults, ThreadMatches
from dashboard.web.http.identity import current
from dashboard.web.http.queries import DIGITS, Cursor, Query, Words
from dashboard.web.http.responses import json_response
from dashboard.web.http.routes import done, route
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
    """The search text: words, phrases in quotes, and conditions, which find no messages."""

    q: Annotated[Words, AfterValidator(lambda text: check_length(text, LENGTH_MAX))]


class SearchQuery(MatchesQuery):
    """The search text, and the part of the results to read."""

    timezone: Timezone | None = None
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
            found = search.find(connection, words, query.limit, after, condition, desks)
        next = self._cursors.encode(_LIST_NAME, found.next) if found.next else None
        return json_response(found._asdict() | {"next": next})

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
            found = search.find_in_thread(connection, thread_id, _read(query.q).words)
        return json_response(found)

    @route(
        "GET",
        "/threads/{thread_id}/customer",
        "getCustomer",
        summary="Read the customer of a thread, and the customer's threads",
        answers=done(CustomerPanel),
    )
    def customer(self, thread_id: int) -> Response:
        with self._database.read() as connection:
            found = search.panel(connection, thread_id, PANEL_THREADS, current().desks)
        if found is None:
            raise NotFound("There is no such thread.")
        return json_response(found)

    def _read(self, connection: Connection, query: SearchQuery) -> tuple[str, HoldsAt | None]:
        """Returns the words, and the conditions if there are any."""
        read = _read(query.q)
        if read.words == query.q:
            return read.words, None

        def admin_id_of(email: str) -> int | None:
            found = admins.by_email(connection, email)
            return found.id if found else None

        admin_id = current().admin_id
        timezone = ZoneInfo(timezone_of(connection, admin_id, query.timezone))
        try:
            resolved = resolve(read.query, admin_id, admin_id_of, timezone)
        except QueryError as error:
            raise invalid_query(error, "/q") from error
        return read.words, HoldsAt(resolved, self._clock())


def _read(text: str) -> SearchText:
    try:
        return read_search(text)
    except QueryError as error:
        raise invalid_query(error, "/q") from error
