"""Reports for supervisors, and the threads behind their numbers."""

from typing import Annotated

from flask import Response
from pydantic import Field

from dashboard.services import Services
from dashboard.web.admin.lists.views import ViewProblem
from dashboard.web.admin.responses import Row
from dashboard.web.admin.routes import SUPERVISOR
from dashboard.web.http.identity import current
from dashboard.web.http.reports import (
    BehindQuery,
    Reader,
    Report,
    ReportQuery,
    Reports,
)
from dashboard.web.http.responses import json_response
from dashboard.web.http.routes import done, route
from dashboard.web.http.schemas import Answer


class BehindReport(Answer):
    """The threads behind a number, as they are now."""

    rows: list[Row]
    total: int
    next: Annotated[
        tuple[int, int] | None, Field(description="After which more follow; null at the end.")
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
        "late changes earlier numbers. Parts are by what a thread is now. Lengths are exact, by "
        "nearest rank.",
        scope=SUPERVISOR,
        query=ReportQuery,
        answers=done(Report),
        problem=ViewProblem,
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
        problem=ViewProblem,
    )
    def threads(self, query: BehindQuery) -> Response:
        return json_response(self._reports.behind(query, Reader(current().admin_id)))
