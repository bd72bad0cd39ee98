"""Bodies of the calls for calendars and policies."""

from collections.abc import Callable
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, StrictInt
from pydantic import Strict as Strictness

from dashboard.db.hours.calendars import CalendarDraft
from dashboard.db.hours.policies import POLICIES_MAX, PolicyDraft
from dashboard.errors import quoted
from dashboard.validation.fields import INTEGER_MAX, Strict, check_line, fault
from dashboard.validation.timezones import Timezone
from scoring.conditions.language.parser import LENGTH_MAX
from scoring.hours.calendar import (
    DATE_PATTERN,
    END_PATTERN,
    TIME_PATTERN,
    is_date,
    is_end,
    is_time,
)

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


_Name = Annotated[
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
#: A list of JSON, which is no tuple: therefore not strict, unlike what is in it.
_Interval = Annotated[tuple[_Begin, _End], Strictness(False)]
_Intervals = Annotated[
    list[_Interval],
    Field(
        max_length=INTERVALS_MAX,
        description="One that ends at or before its beginning goes over midnight.",
    ),
]
_Date = Annotated[
    str,
    _checked(is_date, "a date such as 2026-12-25"),
    Field(json_schema_extra={"pattern": DATE_PATTERN}),
]
_ChangedAt = Annotated[
    Annotated[StrictInt, Field(ge=0, le=INTEGER_MAX)] | None,
    Field(description="As it was read: nothing is changed where it is another by now."),
]
_Id = Annotated[StrictInt, Field(ge=1, le=INTEGER_MAX)]
_Minutes = Annotated[StrictInt, Field(ge=1, le=MINUTES_MAX)] | None


class WeekRequest(Strict):
    """When a desk is open; a day that is not named is closed."""

    mon: _Intervals = Field(default_factory=list)
    tue: _Intervals = Field(default_factory=list)
    wed: _Intervals = Field(default_factory=list)
    thu: _Intervals = Field(default_factory=list)
    fri: _Intervals = Field(default_factory=list)
    sat: _Intervals = Field(default_factory=list)
    sun: _Intervals = Field(default_factory=list)


class ExceptionRequest(Strict):
    """A date whose intervals take the place of those of its weekday; none: closed."""

    date: _Date
    intervals: _Intervals


def _each_date_once(exceptions: list[ExceptionRequest]) -> list[ExceptionRequest]:
    seen: set[str] = set()
    for exception in exceptions:
        if exception.date in seen:
            raise fault("duplicate_date", f"have the date {exception.date} twice")
        seen.add(exception.date)
    return exceptions


class NewCalendarRequest(Strict):
    """A calendar to be saved."""

    name: _Name
    timezone: Timezone
    week: WeekRequest
    exceptions: Annotated[
        list[ExceptionRequest],
        Field(max_length=EXCEPTIONS_MAX),
        AfterValidator(_each_date_once),
    ] = Field(default_factory=list)

    def draft(self) -> CalendarDraft:
        written = self.model_dump(mode="json", exclude_unset=True)
        exceptions = sorted(written.get("exceptions", []), key=lambda each: each["date"])
        return CalendarDraft(self.name, self.timezone, written["week"], exceptions)


class CalendarRequest(NewCalendarRequest):
    """What a calendar becomes."""

    changed_at: _ChangedAt = None


class TriedCalendarRequest(NewCalendarRequest):
    """A calendar that is being written; it needs no name."""

    name: Any = ""


class _TargetsRequest(Strict):
    name: _Name
    query: Annotated[str, Field(description=f"Conditions, up to {LENGTH_MAX:,} characters.")]
    first_reply: Annotated[
        _Minutes,
        Field(description="Of opening time, where nobody has answered yet; null: no promise."),
    ]
    next_reply: Annotated[
        _Minutes,
        Field(description="Of opening time, where somebody has answered; null: no promise."),
    ]


class NewPolicyRequest(_TargetsRequest):
    """A policy to be saved, behind all others."""

    calendar: _Id

    def draft(self) -> PolicyDraft:
        return PolicyDraft(self.name, self.query, self.calendar, self.first_reply, self.next_reply)


class PolicyRequest(NewPolicyRequest):
    """What a policy becomes; it keeps its place."""

    changed_at: _ChangedAt = None


def _id_or_calendar(value: Any) -> Any:
    """Checked here, so that a mistake is told by its place in a calendar."""
    if isinstance(value, dict):
        return TriedCalendarRequest.model_validate(value)
    if type(value) is not int:
        raise fault("wrong_type", "must be the id of a calendar, or a calendar")
    return value


class TriedPolicyRequest(_TargetsRequest):
    """A policy that is being written, or one as it is read: its id says nothing."""

    calendar: Annotated[_Id | TriedCalendarRequest, BeforeValidator(_id_or_calendar)]
    id: Any = None
    changed_at: Any = None


class PolicyPreviewRequest(Strict):
    """All policies in their order, as they would be."""

    policies: Annotated[list[TriedPolicyRequest], Field(max_length=POLICIES_MAX)]


class PolicyOrderRequest(Strict):
    """The ids of all policies in their new order."""

    ids: Annotated[list[_Id], Field(max_length=POLICIES_MAX)]
