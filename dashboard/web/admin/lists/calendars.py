"""Opening hours: routes, bodies, answers, and the code shared with policies."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Annotated, Any, Literal, TypeVar

from flask import Response
from pydantic import AfterValidator, Field, StrictInt
from pydantic import Strict as Strictness
from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from dashboard.db import audit, calendars, policies
from dashboard.db.audit import Target, add, changes
from dashboard.db.calendars import CALENDARS_MAX, CalendarDraft, SavedCalendar
from dashboard.db.lists import versions
from dashboard.errors import ChangedMeanwhile, NotFound, Problem, quoted
from dashboard.services import Services
from dashboard.validation.accounts import Timezone
from dashboard.validation.field_errors import field_error
from dashboard.validation.fields import INTEGER_MAX, Strict, check_line, fault
from dashboard.web.admin.routes import SUPERVISOR
from dashboard.web.http import schemas
from dashboard.web.http.audit import acting
from dashboard.web.http.identity import current
from dashboard.web.http.responses import json_response
from dashboard.web.http.routes import NO_CONTENT, Documented, done, route
from dashboard.web.http.schemas import Absent, Answer, Milliseconds
from scoring.calendar import DATE_PATTERN, END_PATTERN, TIME_PATTERN, is_date, is_end, is_time

Saved = TypeVar("Saved")


class HoursApi:
    """Saves calendars or policies, which have unique names and from which due times follow."""

    def __init__(self, services: Services):
        self._database = services.database
        self._clock = services.clock
        #: Starts recomputing due times.
        self._wake = services.recompute.wake

    def _write_named(self, detail: str, work: Callable[[Connection], Saved]) -> Saved:
        """Runs the write. Raises Problem (409) with the text `detail` if the name is in use."""
        try:
            return self._database.write(work)
        except IntegrityError as error:
            raise Problem(409, "name_taken", detail) from error


NAME_MAX = 80
INTERVALS_MAX = 50
EXCEPTIONS_MAX = 1_000
#: A year.
MINUTES_MAX = 525_600


def _checked(is_right: Callable[[str], bool], expected: str) -> AfterValidator:
    def check(text: str) -> str:
        if not is_right(text):
            raise fault("unknown_value", f"must be {expected}, not {quoted(text, 60)}")
        return text

    return AfterValidator(check)


Name = Annotated[
    str, AfterValidator(lambda text: check_line(text, NAME_MAX)), Field(max_length=NAME_MAX)
]
_Begin = Annotated[
    str,
    _checked(is_time, "a time such as 09:00"),
    Field(json_schema_extra={"pattern": TIME_PATTERN}),
]
_End = Annotated[
    str,
    _checked(is_end, "a time such as 17:30, or 24:00"),
    Field(json_schema_extra={"pattern": END_PATTERN}),
]
#: Not strict, unlike its parts: JSON has lists and no tuples.
_IntervalRequest = Annotated[tuple[_Begin, _End], Strictness(False)]
_Intervals = Annotated[
    list[_IntervalRequest],
    Field(
        max_length=INTERVALS_MAX,
        description="An interval that ends at or before its beginning spans midnight.",
    ),
]
_Date = Annotated[
    str,
    _checked(is_date, "a date such as 2026-12-25"),
    Field(json_schema_extra={"pattern": DATE_PATTERN}),
]
ChangedAt = Annotated[
    Annotated[StrictInt, Field(ge=0, le=INTEGER_MAX)] | None,
    Field(description="Its value as read: an object that has changed since is not overwritten."),
]
Id = Annotated[StrictInt, Field(ge=1, le=INTEGER_MAX)]
MinutesRequest = Annotated[StrictInt, Field(ge=1, le=MINUTES_MAX)] | None


class WeekRequest(Strict):
    """The opening hours of a week; an omitted day is closed."""

    mon: _Intervals = Field(default_factory=list)
    tue: _Intervals = Field(default_factory=list)
    wed: _Intervals = Field(default_factory=list)
    thu: _Intervals = Field(default_factory=list)
    fri: _Intervals = Field(default_factory=list)
    sat: _Intervals = Field(default_factory=list)
    sun: _Intervals = Field(default_factory=list)


class ExceptionRequest(Strict):
    """A date with intervals that replace its weekday's; none: closed."""

    date: _Date
    intervals: _Intervals


def _each_date_once(exceptions: list[ExceptionRequest]) -> list[ExceptionRequest]:
    dates: set[str] = set()
    for exception in exceptions:
        if exception.date in dates:
            raise fault("duplicate_date", f"contain the date {exception.date} twice")
        dates.add(exception.date)
    return exceptions


class NewCalendarRequest(Strict):
    """A calendar to be saved."""

    name: Name
    timezone: Annotated[Timezone, Field(description="Time zone of the week and the exceptions.")]
    week: WeekRequest
    exceptions: Annotated[
        list[ExceptionRequest], Field(max_length=EXCEPTIONS_MAX), AfterValidator(_each_date_once)
    ] = Field(default_factory=list)

    def draft(self) -> CalendarDraft:
        values = self.model_dump(mode="json", exclude_unset=True)
        exceptions = sorted(values.get("exceptions", []), key=lambda entry: entry["date"])
        return CalendarDraft(self.name, self.timezone, values["week"], exceptions)


class CalendarRequest(NewCalendarRequest):
    """The new state of a calendar."""

    changed_at: ChangedAt = None


class TriedCalendarRequest(NewCalendarRequest):
    """A calendar that is being edited; it needs no name."""

    name: Any = ""


#: Begin and end, such as ["22:00", "06:00"].
_Interval = Annotated[list[str], Field(min_length=2, max_length=2)]
_Weekday = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
_Minutes = Annotated[int | None, Field(description="Minutes of opening time; null: no target.")]
Count = Annotated[int, Field(ge=0)]


class CalendarException(Answer):
    """A date with intervals that replace its weekday's."""

    date: str
    intervals: list[_Interval]


class Calendar(Answer):
    """The opening hours of a desk, by the wall clock of its time zone."""

    id: int
    name: str
    timezone: str
    week: dict[_Weekday, list[_Interval]]
    exceptions: Annotated[list[CalendarException], Field(description="By date.")]
    policies: Annotated[list[str], Field(description="The names of the policies that use it.")]
    changed_at: Milliseconds


class Calendars(Answer):
    """All calendars, by name."""

    calendars: list[Calendar]


class OneCalendar(Answer):
    """The calendar as it is now."""

    calendar: Calendar


class Policy(Answer):
    """Reply targets; the first policy with a query that matches a thread applies to it."""

    id: int
    name: str
    query: str
    calendar: Annotated[int, Field(description="The id of its calendar.")]
    first_reply: _Minutes
    next_reply: _Minutes
    changed_at: Milliseconds


class HoursProblem(schemas.Problem):
    """A problem with the place of a mistake in a query, or with its subject as it is now."""

    errors: list[schemas.QueryError]  # type: ignore[assignment]
    pointer: Annotated[str, Field(description="With `invalid_query`.")] = Absent
    at: Annotated[int, Field(description="With `invalid_query`.")] = Absent
    expected: Annotated[list[str], Field(description="With `invalid_query`.")] = Absent
    calendar: Annotated[Calendar, Field(description="With `changed_meanwhile`.")] = Absent
    policy: Annotated[Policy, Field(description="With `changed_meanwhile`.")] = Absent
    policies: Annotated[
        list[str], Field(description="With `in_use`: the names of the policies.")
    ] = Absent


_route = partial(route, scope=SUPERVISOR)
_EXAMPLE = {
    "name": "Office",
    "timezone": "Asia/Ho_Chi_Minh",
    "week": {"mon": [["09:00", "12:00"], ["22:00", "06:00"]], "tue": [["09:00", "17:30"]]},
    "exceptions": [{"date": "2026-12-25", "intervals": []}],
}


class CalendarsApi(HoursApi):
    """The routes below /calendars."""

    @_route(
        "GET",
        "/calendars",
        "getCalendars",
        summary="List the opening hours",
        answers=done(Calendars),
    )
    def listing(self) -> Response:
        with self._database.read() as connection:
            saved, users = calendars.listing(connection), calendars.users(connection)
        return json_response({"calendars": [_json(row, users.get(row.id, ())) for row in saved]})

    @_route(
        "POST",
        "/calendars",
        "postCalendar",
        summary="Save opening hours",
        body=(NewCalendarRequest,),
        example=_EXAMPLE,
        answers={201: Documented("Saved.", (OneCalendar,))},
        problems=(409,),
        problem=HoursProblem,
    )
    def create(self, body: NewCalendarRequest) -> Response:
        admin_id, now = current().admin_id, self._clock()

        def write(connection: Connection) -> dict[str, object]:
            if calendars.count(connection) >= CALENDARS_MAX:
                most = f"the limit of {CALENDARS_MAX} calendars is reached"
                raise field_error("/name", "too_many_calendars", f"cannot be saved: {most}")
            calendar = calendars.create(connection, body.draft(), admin_id, now)
            target, details = _target(calendar), _said(calendar)
            add(connection, now, acting(), audit.CALENDAR_CREATED, target, details)
            return _json(calendar, ())

        return json_response({"calendar": self._write_named(_taken(body), write)}, 201)

    @_route(
        "PUT",
        "/calendars/{calendar_id}",
        "putCalendar",
        summary="Change opening hours",
        description="Due times of threads under policies that use them change soon afterwards.",
        body=(CalendarRequest,),
        example=_EXAMPLE,
        answers=done(OneCalendar),
        problems=(404, 409),
        problem=HoursProblem,
    )
    def change(self, calendar_id: int, body: CalendarRequest) -> Response:
        admin_id, now = current().admin_id, self._clock()

        def write(connection: Connection) -> dict[str, object]:
            # In this order, as in changes of policies.
            versions.wait_for_writers(connection)
            before = _locked(connection, calendar_id)
            names = calendars.users(connection).get(calendar_id, [])
            if body.changed_at not in (None, before.changed_at):
                raise ChangedMeanwhile("the opening hours", calendar=_json(before, names))
            changed = calendars.change(connection, before, body.draft(), admin_id, now)
            _audit_change(connection, now, before, changed)
            if names:
                versions.grow_policies(connection)
                policies.keep(connection, now)
            return _json(changed, names)

        changed = self._write_named(_taken(body), write)
        self._wake()
        return json_response({"calendar": changed})

    @_route(
        "DELETE",
        "/calendars/{calendar_id}",
        "deleteCalendar",
        summary="Delete opening hours that no policy uses",
        answers=NO_CONTENT,
        problems=(404, 409),
        problem=HoursProblem,
    )
    def remove(self, calendar_id: int) -> Response:
        now = self._clock()

        def write(connection: Connection) -> None:
            calendar = _locked(connection, calendar_id)
            names = calendars.users(connection).get(calendar_id)
            if names:
                detail = "A policy uses these opening hours."
                raise Problem(409, "in_use", detail, extra={"policies": names})
            calendars.remove(connection, calendar_id)
            details = _said(calendar)
            add(connection, now, acting(), audit.CALENDAR_DELETED, _target(calendar), details)

        self._database.write(write)
        return Response(status=204)


def _taken(body: NewCalendarRequest) -> str:
    return f"There are opening hours “{body.name}” already."


def _locked(connection: Connection, id: int) -> SavedCalendar:
    """Returns a calendar, locked: no other transaction can change it or make a policy use it.
    Raises NotFound."""
    calendar = calendars.lock(connection, id)
    if calendar is None:
        raise NotFound("There are no such opening hours.")
    return calendar


def _audit_change(
    connection: Connection, now: int, before: SavedCalendar, after: SavedCalendar
) -> None:
    names = {"name": before.name}, {"name": after.name}
    differences = changes(names[0] | _said(before), names[1] | _said(after))
    if differences:
        add(connection, now, acting(), audit.CALENDAR_CHANGED, _target(after), differences)


def _target(calendar: SavedCalendar) -> Target:
    return Target(calendar.id, calendar.name)


def _said(calendar: SavedCalendar) -> dict[str, object]:
    """Returns the data of a calendar for the audit log, besides its name."""
    return {name: getattr(calendar, name) for name in ("timezone", "week", "exceptions")}


def _json(calendar: SavedCalendar, policies: Sequence[str]) -> dict[str, object]:
    return calendar._asdict() | {"policies": list(policies)}
