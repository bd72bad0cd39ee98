"""Reports for supervisors, and the threads behind their numbers."""

from typing import Annotated

from flask import Response
from pydantic import AfterValidator, Field

from dashboard.db.reports.figures import Wanted
from dashboard.services import Services
from dashboard.validation.fields import INTEGER_MAX, Milliseconds, check_characters
from dashboard.web.admin.responses import Row
from dashboard.web.admin.routes import SUPERVISOR
from dashboard.web.http.identity import current
from dashboard.web.http.queries import DIGITS, After
from dashboard.web.http.reports import Reader, Report, ReportQuery, Reports
from dashboard.web.http.responses import json_response
from dashboard.web.http.routes import done, route
from dashboard.web.http.schemas import Answer, QueryProblem

#: Threads of one answer.
THREADS_MAX, THREADS_DEFAULT = 100, 50


class BehindQuery(ReportQuery):
    """A number, by its metric and time, and the part of its threads to read."""

    part: Annotated[
        str | None,
        AfterValidator(check_characters),
        Field(
            description="The key of a part; without it, the threads of the whole. With `by=hour` "
            "the number of an hour of the week; of `waiting`, when most waited in such an hour."
        ),
    ] = None
    least: Annotated[
        int | None,
        Field(ge=0, le=INTEGER_MAX, description="Only durations of at least so many ms."),
        DIGITS,
    ] = None
    below: Annotated[
        int | None,
        Field(ge=0, le=INTEGER_MAX, description="Only durations below so many ms."),
        DIGITS,
    ] = None
    after: Annotated[After, Field(description="`next` of the answer before, as `value,id`.")] = None
    limit: Annotated[int, Field(ge=1, le=THREADS_MAX), DIGITS] = THREADS_DEFAULT


class BehindReport(Answer):
    """The threads behind a number, as they are now."""

    rows: list[Row]
    values: Annotated[
        list[int],
        Field(
            description="One for each row (ms): the longest time, of durations; else when it "
            "happened last, or since when the thread waited."
        ),
    ]
    total: Annotated[int, Field(description="The number of threads.")]
    count: Annotated[int, Field(description="How often it happened in them.")]
    next: Annotated[
        tuple[int, int] | None, Field(description="After which more follow; null at the end.")
    ]
    at: Annotated[
        Milliseconds | None, Field(description="The moment at which they waited; of `waiting`.")
    ]


class ReportsApi:
    """The routes `/reports` and `/reports/threads`, which read only SQL."""

    def __init__(self, services: Services):
        self._reports = Reports(services.database, services.clock)

    @route(
        "GET",
        "/reports",
        "getReport",
        summary="Read a number over time, and its parts",
        description="Counted from the events and acts of threads, by their own times: what comes "
        "late changes earlier numbers. Parts are by what a thread is now. Durations are exact, by "
        "nearest rank.",
        scope=SUPERVISOR,
        query=ReportQuery,
        answers=done(Report),
        problems=(404,),
        problem=QueryProblem,
    )
    def report(self, query: ReportQuery) -> Response:
        return json_response(self._reports.report(query, Reader(current().admin_id)))

    @route(
        "GET",
        "/reports/threads",
        "getReportThreads",
        summary="Read the threads behind a number of a report",
        description="The longest first, or those first that it happened to last; of `waiting`, "
        "those that waited at `to`, the longest wait first.",
        scope=SUPERVISOR,
        query=BehindQuery,
        answers=done(BehindReport),
        problems=(404,),
        problem=QueryProblem,
    )
    def threads(self, query: BehindQuery) -> Response:
        reader = Reader(current().admin_id)
        wanted = Wanted(query.part, query.limit, query.after, query.least, query.below)
        return json_response(self._reports.behind(query, reader, wanted))
