"""The past: any list as it was at a moment, and the changes of a thread."""

from typing import Annotated, Any

from flask import Response
from pydantic import Field

from dashboard.db.accounts import team
from dashboard.db.history import changes, lists, states
from dashboard.db.lists import named_lists
from dashboard.db.lists.query_lists import QueryList
from dashboard.db.threads import threads
from dashboard.errors import NotFound
from dashboard.services import Services
from dashboard.validation.field_errors import field_error
from dashboard.validation.fields import INTEGER_MAX, Role, Timestamp
from dashboard.web.admin.lists.search import ROWS_DEFAULT, ROWS_MAX, ListPartQuery
from dashboard.web.admin.lists.views import ViewProblem
from dashboard.web.admin.requests import ListQuery
from dashboard.web.admin.responses import Act, Row
from dashboard.web.http.identity import current
from dashboard.web.http.queries import DIGITS, Query
from dashboard.web.http.responses import json_response
from dashboard.web.http.routes import done, route
from dashboard.web.http.schemas import Answer, Milliseconds, Person, ThreadId
from scoring.views import DAY_MS

#: Steps of marks, and the longest time that they show.
STEPS_MAX, MARKED_MAX_MS = 400, 31 * DAY_MS


class HistoryQuery(ListPartQuery):
    """A list, the moment, and the part of it to read."""

    at: Timestamp


class PastThreads(Answer):
    """A list as it was, in its order: ids and scores, and rows."""

    ids: list[ThreadId]
    scores: list[int]
    rows: list[Row]
    total: Annotated[int, Field(description="The number of threads on the list.")]
    next: Annotated[
        tuple[int, int] | None,
        Field(description="(score, id) after which more follow; null at the end."),
    ]
    since: Annotated[Milliseconds, Field(description="From then on the past is known.")]


class MarksQuery(ListQuery):
    """A list, and the time to look at: after `since`, and by `until`, in equal steps."""

    since: Timestamp
    until: Timestamp
    steps: Annotated[int, Field(ge=1, le=STEPS_MAX), DIGITS] = STEPS_MAX


class Marks(Answer):
    """The numbers of changes of a list: threads came, left, or changed on it."""

    step: Annotated[int, Field(description="The length of a step in milliseconds.")]
    counts: Annotated[
        list[tuple[int, int, int, int]],
        Field(
            description="The number of a step, from 0, that of its changes, and the moments of the "
            "first and the last of them in milliseconds; steps without changes are left out."
        ),
    ]


class ChangesQuery(Query):
    """The part of the changes to read: the last ones, or those before a time."""

    before: Annotated[int | None, Field(ge=0, le=INTEGER_MAX), DIGITS] = None
    limit: Annotated[int, Field(ge=1, le=ROWS_MAX), DIGITS] = ROWS_DEFAULT


class ChangeMessage(Answer):
    """A message behind a change; it came late if it was received long after its time."""

    id: int
    role: Role
    private: bool
    at: Milliseconds
    received_at: Milliseconds


class Change(Answer):
    """A change of a thread; `changed` maps values to what they were and became."""

    at: Milliseconds
    rev: int
    changed: dict[str, list[Any]]
    acts: list[Act]
    messages: list[ChangeMessage]


class Changes(Answer):
    """Changes of a thread, the last one first."""

    changes: list[Change]
    people: Annotated[list[Person], Field(description="The admins that `assignee_id` names.")]
    next: Annotated[
        int | None, Field(description="The time before which more happened; null at the end.")
    ]


class HistoryApi:
    """The routes `/history`, `/history/marks` and `/threads/ID/history`, which read only SQL."""

    def __init__(self, services: Services):
        self._database = services.database
        self._clock = services.clock

    @route(
        "GET",
        "/history",
        "getHistory",
        summary="Read a list as it was at a moment",
        description="By the view and the sort as they were. What a chatbot reports late was not "
        "shown before, and is not on earlier lists. An erased customer is gone from all.",
        query=HistoryQuery,
        answers=done(PastThreads),
        problems=(404,),
        problem=ViewProblem,
    )
    def history(self, query: HistoryQuery) -> Response:
        since, query_list = self._list(query, query.at, "at")
        part = lists.part(self._database, query_list, query.at, query.limit, query.after)
        return json_response(part._asdict() | {"since": since})

    @route(
        "GET",
        "/history/marks",
        "getHistoryMarks",
        summary="Read when something happened to a list",
        query=MarksQuery,
        answers=done(Marks),
        problems=(404,),
        problem=ViewProblem,
    )
    def marks(self, query: MarksQuery) -> Response:
        """By the view and the sort as they were at `until`."""
        if not query.since < query.until <= query.since + MARKED_MAX_MS:
            raise field_error("/until", "number_out_of_range", "must be after `since`, by 31 days")
        _, query_list = self._list(query, query.until, "until")
        marks = lists.marks(self._database, query_list, query.since, query.until, query.steps)
        return json_response(marks._asdict())

    @route(
        "GET",
        "/threads/{thread_id}/history",
        "getThreadHistory",
        summary="Read the changes of a thread",
        query=ChangesQuery,
        answers=done(Changes),
    )
    def changes(self, thread_id: int, query: ChangesQuery) -> Response:
        with self._database.read() as connection:
            part = changes.part(connection, thread_id, query.limit, query.before)
            if not part.changes and not threads.desks_of(connection, [thread_id]):
                raise NotFound("There is no such thread.")
            pairs = [change["changed"].get("assignee_id", ()) for change in part.changes]
            names = team.names(connection, {id for pair in pairs for id in pair if id is not None})
        people = [{"id": id, "name": name} for id, name in names.items()]
        return json_response(part._asdict() | {"people": people})

    def _list(self, query: ListQuery, at: int, field: str) -> tuple[int, QueryList]:
        """Returns the time from which the past is known, and the list as it was. Raises Invalid for
        a moment that is earlier, or has not come; and the errors of `find_at`."""
        identity = current()
        name, now = query.list_of(identity.desks), self._clock()
        with self._database.read() as connection:
            since = states.check_moment(connection, at, now, field)
            return since, named_lists.find_at(connection, name, identity.admin_id, at)
