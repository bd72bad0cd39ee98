"""What the calls for calendars and policies answer."""

from typing import Annotated, Literal

from pydantic import Field

from dashboard.web.admin.views.responses import QueryError
from dashboard.web.http import schemas
from dashboard.web.http.schemas import Absent, Answer, Milliseconds

#: Begin and end, such as ["22:00", "06:00"].
_Interval = Annotated[list[str], Field(min_length=2, max_length=2)]
_Weekday = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
_Minutes = Annotated[int | None, Field(description="Of opening time; null: nothing is promised.")]
_Count = Annotated[int, Field(ge=0)]


class CalendarException(Answer):
    """A date whose intervals take the place of those of its weekday."""

    date: str
    intervals: list[_Interval]


class Calendar(Answer):
    """When a desk is open, by the wall clock of its time zone."""

    id: int
    name: str
    timezone: str
    week: dict[_Weekday, list[_Interval]]
    exceptions: Annotated[list[CalendarException], Field(description="By date.")]
    policies: Annotated[list[str], Field(description="The names of those that use it.")]
    changed_at: Milliseconds


class Calendars(Answer):
    """All calendars, by name."""

    calendars: list[Calendar]


class OneCalendar(Answer):
    """The calendar as it is now."""

    calendar: Calendar


class Policy(Answer):
    """By when threads are to be answered; the first policy whose query holds counts."""

    id: int
    name: str
    query: str
    calendar: Annotated[int, Field(description="The id of its calendar.")]
    first_reply: _Minutes
    next_reply: _Minutes
    changed_at: Milliseconds


class Recompute(Answer):
    """How far a change has come: of the threads that wait, those that follow it."""

    done: _Count
    of: _Count


class Policies(Answer):
    """All policies in their order."""

    policies: list[Policy]
    recompute: Annotated[
        Recompute | None, Field(description="Null once each thread follows the last change.")
    ]


class OnePolicy(Answer):
    """The policy as it is now."""

    policy: Policy


class PolicyPreview(Answer):
    """What policies would make late."""

    waiting: Annotated[_Count, Field(description="Threads in which somebody waits.")]
    late_now: _Count
    late_after: _Count
    newly_late: Annotated[_Count, Field(description="Those that are not late now.")]


class HoursProblem(schemas.Problem):
    """A problem with the place of a mistake in a query, or with what it is about as it is now."""

    errors: list[QueryError]  # type: ignore[assignment]
    pointer: Annotated[str, Field(description="With `invalid_query`.")] = Absent
    at: Annotated[int, Field(description="With `invalid_query`.")] = Absent
    expected: Annotated[list[str], Field(description="With `invalid_query`.")] = Absent
    calendar: Annotated[Calendar, Field(description="With `changed_meanwhile`.")] = Absent
    policy: Annotated[Policy, Field(description="With `changed_meanwhile`.")] = Absent
    policies: Annotated[
        list[str], Field(description="With `in_use`: the names of those that use it.")
    ] = Absent
