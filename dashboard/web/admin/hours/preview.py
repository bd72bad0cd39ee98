"""The route that says how many threads policies would make late, before they are saved."""

from collections.abc import Callable

from flask import Response
from sqlalchemy import Connection

from dashboard.db.database import Database
from dashboard.db.hours import calendars, late_threads, policies
from dashboard.errors import FieldError, Invalid
from dashboard.validation.field_errors import named
from dashboard.validation.queries import invalid_query
from dashboard.web.admin.hours import requests, responses
from dashboard.web.admin.hours.requests import TriedCalendarRequest, TriedPolicyRequest
from dashboard.web.admin.routes import SUPERVISOR
from dashboard.web.http.responses import json_response
from dashboard.web.http.routes import done, route
from scoring.conditions.language.errors import QueryError
from scoring.hours.calendar import Calendar, read_calendar
from scoring.hours.policies import Policies, Policy, resolve_query


class PolicyPreviewApi:
    """The route `/policies/preview`. `clock` gives milliseconds."""

    def __init__(self, database: Database, clock: Callable[[], int]):
        self._database = database
        self._clock = clock

    @route(
        "POST",
        "/policies/preview",
        "postPolicyPreview",
        scope=SUPERVISOR,
        summary="Count the threads that policies would make late",
        body=(requests.PolicyPreviewRequest,),
        example={
            "policies": [
                {
                    "name": "VIPs",
                    "query": "member:0,1",
                    "calendar": {
                        "timezone": "Asia/Ho_Chi_Minh",
                        "week": {"mon": [["09:00", "17:30"]]},
                        "exceptions": [],
                    },
                    "first_reply": 30,
                    "next_reply": None,
                }
            ]
        },
        answers=done(responses.PolicyPreview),
        problem=responses.HoursProblem,
    )
    def preview(self, body: requests.PolicyPreviewRequest) -> Response:
        with self._database.read() as connection:
            tried = _policies(connection, body)
            return json_response(late_threads.count(connection, tried, self._clock())._asdict())


def _policies(connection: Connection, body: requests.PolicyPreviewRequest) -> Policies:
    """Raises Problem (422) for unknown calendars, and for what is no query of a policy."""
    saved = {calendar.id: calendar for calendar in calendars.listing(connection)}
    unknown = [
        f"/policies/{at}/calendar"
        for at, policy in enumerate(body.policies)
        if isinstance(policy.calendar, int) and policy.calendar not in saved
    ]
    if unknown:
        details = ((each, f"{named(each)} is no calendar.") for each in unknown)
        raise Invalid([FieldError(each, "unknown_value", detail) for each, detail in details])
    # Several policies share one.
    known = {
        policy.calendar: saved[policy.calendar].calendar()
        for policy in body.policies
        if isinstance(policy.calendar, int)
    }
    admin_id_of = policies.admin_id_of(connection)

    def made(at: int, policy: TriedPolicyRequest) -> Policy:
        calendar = _calendar(policy.calendar, known)
        try:
            when = resolve_query(policy.query, calendar.timezone, admin_id_of)
        except QueryError as error:
            raise invalid_query(error, f"/policies/{at}/query") from error
        return Policy(policy.name, when, calendar, policy.first_reply, policy.next_reply)

    return Policies([made(at, policy) for at, policy in enumerate(body.policies)])


def _calendar(given: int | TriedCalendarRequest, known: dict[int, Calendar]) -> Calendar:
    if isinstance(given, int):
        return known[given]
    draft = given.draft()
    return read_calendar(draft.timezone, draft.week, draft.exceptions)
