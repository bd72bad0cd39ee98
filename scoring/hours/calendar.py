"""Calendars: when a desk is open, by the wall clock of a time zone."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from zoneinfo import ZoneInfo

from scoring.hours.local_time import LocalTime
from scoring.hours.minutes import DAY_MINUTES, Interval, Intervals
from scoring.hours.offsets import Offsets, offsets_of

#: As they are written; the first is day 0.
WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
#: Times at which an interval begins, and at which it ends (24:00 is the end of the day); dates.
TIME_PATTERN = "^([01][0-9]|2[0-3]):[0-5][0-9]$"
END_PATTERN = "^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$"
DATE_PATTERN = "^(20[0-9]{2}|2100)-[0-9]{2}-[0-9]{2}$"

_TIME, _END, _DATE = (
    re.compile(pattern.strip("^$")) for pattern in (TIME_PATTERN, END_PATTERN, DATE_PATTERN)
)
#: The ordinal of 1970-01-01, which is day 0 here.
_EPOCH = date(1970, 1, 1).toordinal()


class CalendarError(ValueError):
    """A calendar that cannot be: `pointer` is the place in its document, `reason` what is wrong."""

    def __init__(self, pointer: str, reason: str):
        super().__init__(f"{pointer} {reason}")
        self.pointer = pointer
        self.reason = reason


@dataclass(frozen=True)
class Calendar:
    """When a desk is open. Hashable; equal calendars are open at the same instants.

    An instant is open where the wall clock of `timezone` stands inside of an interval of its day,
    or of one of the day before that goes over midnight; intervals that overlap are one. `week` has
    the intervals of the seven weekdays, Monday first; an exception has the day, counted from
    1970-01-01, and the intervals that take the place of those of its weekday.
    """

    timezone: str
    week: tuple[Intervals, ...]
    exceptions: tuple[tuple[int, Intervals], ...] = ()

    @cached_property
    def local_time(self) -> LocalTime:
        """Its opening time by the wall clock."""
        return LocalTime(self.week, dict(self.exceptions))

    @cached_property
    def offsets(self) -> Offsets:
        """The offsets of its time zone."""
        return offsets_of(self.timezone)


def read_calendar(
    timezone: str,
    week: Mapping[str, Sequence[Sequence[str]]],
    exceptions: Sequence[Mapping[str, object]] = (),
) -> Calendar:
    """The calendar of a document: `{"mon": [["09:00", "12:00"], ["22:00", "06:00"]], …}` and
    `[{"date": "2026-12-25", "intervals": []}]`. A weekday that is not named is closed.

    Raises CalendarError for a time zone that this machine does not know, for another name than one
    of WEEKDAYS, for what is no time or date, and for a date that has two exceptions.
    """
    _check_timezone(timezone)
    for name in week:
        if name not in WEEKDAYS:
            raise CalendarError(f"/week/{name}", "is no weekday")
    days = tuple(_read_intervals(week.get(name, ()), f"/week/{name}") for name in WEEKDAYS)
    found: dict[int, Intervals] = {}
    for at, exception in enumerate(exceptions):
        day = read_date(exception.get("date"), f"/exceptions/{at}/date")
        if day in found:
            raise CalendarError(f"/exceptions/{at}/date", "has an exception already")
        found[day] = _read_intervals(exception.get("intervals"), f"/exceptions/{at}/intervals")
    return Calendar(timezone, days, tuple(sorted(found.items())))


def is_time(text: str) -> bool:
    """Whether an interval may begin at this time, such as 09:00."""
    return _TIME.fullmatch(text) is not None


def is_end(text: str) -> bool:
    """Whether an interval may end at this time."""
    return _END.fullmatch(text) is not None


def is_date(text: str) -> bool:
    """Whether a text is a date of the years 2000 to 2100, such as 2026-12-25."""
    if _DATE.fullmatch(text) is None:
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def read_date(text: object, pointer: str = "") -> int:
    """A date as days since 1970-01-01. Raises CalendarError."""
    if not isinstance(text, str) or not is_date(text):
        raise CalendarError(pointer, "is no date such as 2026-12-25")
    return date.fromisoformat(text).toordinal() - _EPOCH


def read_interval(begin: object, end: object, pointer: str = "") -> Interval:
    """An interval in minutes of the day on which it begins; one that ends at or before its
    beginning goes over midnight. Raises CalendarError."""
    if not isinstance(begin, str) or not is_time(begin):
        raise CalendarError(f"{pointer}/0", "is no time such as 09:00")
    if not isinstance(end, str) or not is_end(end):
        raise CalendarError(f"{pointer}/1", "is no time such as 17:30, nor 24:00")
    first, last = _minutes(begin), _minutes(end)
    return first, last if last > first else last + DAY_MINUTES


def _read_intervals(found: object, pointer: str) -> Intervals:
    if not isinstance(found, list | tuple):
        raise CalendarError(pointer, "is no list of intervals")
    intervals = []
    for at, interval in enumerate(found):
        if not isinstance(interval, list | tuple) or len(interval) != 2:
            raise CalendarError(f"{pointer}/{at}", "is no pair of times")
        intervals.append(read_interval(interval[0], interval[1], f"{pointer}/{at}"))
    return tuple(sorted(set(intervals)))


def _minutes(text: str) -> int:
    return 60 * int(text[:2]) + int(text[3:])


def _check_timezone(name: object) -> None:
    try:
        if isinstance(name, str) and ZoneInfo(name).key == name:
            return
    except (OSError, ValueError, LookupError):
        # A folder such as America, a file that is no zone, an unknown name.
        pass
    raise CalendarError("/timezone", "is no time zone of this machine")
