"""Calendars of opening hours: reads them, and counts open time."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cached_property, lru_cache
from itertools import accumulate
from zoneinfo import ZoneInfo

from scoring.composite import TIME_MAX_MS

#: (begin, end) in minutes since the beginning of a day; the end is later, by at most one
#: day, and may be on the next day.
Interval = tuple[int, int]
Intervals = tuple[Interval, ...]

DAY_MINUTES = 1_440
MINUTE_MS = 60_000
DAY_MS = DAY_MINUTES * MINUTE_MS


def pieces_of_day(own: Iterable[Interval], of_day_before: Iterable[Interval]) -> Intervals:
    """Returns the open pieces of one day, disjoint and in order, in milliseconds of that day.

    `own` are the intervals that begin on it. An interval of the day before counts for its part
    after midnight.
    """
    parts = [(begin, min(end, DAY_MINUTES)) for begin, end in own]
    parts += [(0, end - DAY_MINUTES) for _, end in of_day_before if end > DAY_MINUTES]
    pieces: list[Interval] = []
    for begin, end in sorted(parts):
        if pieces and begin <= pieces[-1][1]:
            pieces[-1] = pieces[-1][0], max(pieces[-1][1], end)
        else:
            pieces.append((begin, end))
    return tuple((begin * MINUTE_MS, end * MINUTE_MS) for begin, end in pieces)


#: Since 1970 no zone's clocks have been changed twice within 6 days, so looking the offset up once
#: a day misses no change.
_LOOKED_UP_SECONDS = 86_400
#: Offsets are computed and cached in chunks of 400 days.
_CHUNK_SECONDS = 400 * _LOOKED_UP_SECONDS
_CHUNK_MS = _CHUNK_SECONDS * 1_000


class Offsets:
    """The offsets of a zone, in milliseconds."""

    def __init__(self, zone: ZoneInfo):
        self._zone = zone
        #: Maps the number of a chunk to the beginnings of its offsets, and the offsets.
        self._chunks: dict[int, tuple[list[int], list[int]]] = {}

    def spans(self, at_ms: int) -> Iterator[tuple[int, int]]:
        """Yields (end, offset) of the span around an instant, then of the later spans: within a
        span the local time is the instant + the offset. Successive spans may have the same offset.
        """
        number = at_ms // _CHUNK_MS
        begins, offsets = self._chunk(number)
        at = bisect_right(begins, at_ms)
        while True:
            for place in range(at, len(begins)):
                yield begins[place], offsets[place - 1]
            number += 1
            yield number * _CHUNK_MS, offsets[-1]
            begins, offsets = self._chunk(number)
            at = 1

    def _chunk(self, number: int) -> tuple[list[int], list[int]]:
        chunk = self._chunks.get(number)
        if chunk is None:
            chunk = self._chunks[number] = self._looked_up(number * _CHUNK_SECONDS)
        return chunk

    def _looked_up(self, first: int) -> tuple[list[int], list[int]]:
        begins, offsets = [first * 1_000], [self._offset_ms(first)]
        for end in range(
            first + _LOOKED_UP_SECONDS, first + _CHUNK_SECONDS + 1, _LOOKED_UP_SECONDS
        ):
            offset = self._offset_ms(end)
            if offset != offsets[-1]:
                low, high = end - _LOOKED_UP_SECONDS, end
                while high - low > 1:
                    middle = (low + high) // 2
                    if self._offset_ms(middle) == offset:
                        high = middle
                    else:
                        low = middle
                begins.append(high * 1_000)
                offsets.append(offset)
        return begins, offsets

    def _offset_ms(self, seconds: int) -> int:
        offset = datetime.fromtimestamp(seconds, self._zone).utcoffset()
        assert offset is not None
        return offset // timedelta(milliseconds=1)


@lru_cache(maxsize=1_024)
def offsets_of(timezone: str) -> Offsets:
    """Returns the offsets of a zone of tzdata, by its name. Raises the errors of ZoneInfo."""
    return Offsets(ZoneInfo(timezone))


#: 1970-01-01, which is day 0, was a Thursday.
_WEEKDAY_OF_DAY_0 = 3
#: Days that are looked at one by one: an answer is nearly always due within a week.
_NEAR_DAYS = 8


class LocalTime:
    """The opening time of a calendar up to any local time: milliseconds since 1970-01-01 by the
    wall clock.

    Days with an exception (the day itself, and the next one, into which it may extend) are counted
    as differences from ordinary ones, so each answer takes few comparisons, however far away it is.
    """

    def __init__(self, week: Sequence[Intervals], exceptions: Mapping[int, Intervals]):
        self._week = [pieces_of_day(week[day], week[day - 1]) for day in range(7)]
        totals = [_total(pieces) for pieces in self._week]
        #: The opening time of a week before each weekday, and last that of the whole week.
        self._before_weekday = [0, *accumulate(totals)]
        #: Days with another opening time than their weekday.
        self._irregular: dict[int, Intervals] = {}
        for day in sorted({day + after for day in exceptions for after in (0, 1)}):
            own, before = (exceptions.get(each, week[_weekday(each)]) for each in (day, day - 1))
            self._irregular[day] = pieces_of_day(own, before)
        self._irregular_days = list(self._irregular)
        differences = (
            _total(pieces) - totals[_weekday(day)] for day, pieces in self._irregular.items()
        )
        self._differences = [0, *accumulate(differences)]

    def is_over(self, local_ms: int) -> bool:
        """Whether it never opens again."""
        last = self._irregular_days[-1] if self._irregular_days else local_ms // DAY_MS - 1
        return self._before_weekday[7] == 0 and last < local_ms // DAY_MS

    def before(self, local_ms: int) -> int:
        """Returns the opening time up to a local time, in ms; only differences have a meaning."""
        day, ms = divmod(local_ms, DAY_MS)
        total = self._before_day(day)
        for begin, end in self._pieces(day):
            if begin < ms:
                total += (end if end < ms else ms) - begin
        return total

    def soon(self, after_ms: int, left: int, end_ms: int) -> int | None:
        """Returns the local time at which `left` of opening time has elapsed after `after_ms`; None
        if it is after `end_ms` or more than a week away: then `reaches` finds it."""
        first, ms = divmod(after_ms, DAY_MS)
        for day in range(first, first + _NEAR_DAYS):
            for begin, end in self._pieces(day):
                if end <= ms:
                    continue
                begin = max(begin, ms)
                if left <= end - begin:
                    at_ms = day * DAY_MS + begin + left
                    return at_ms if at_ms <= end_ms else None
                left -= end - begin
            ms = 0
        return None

    def reaches(self, total: int, after_ms: int) -> int:
        """Returns the first local time up to which `before` counts this much opening time.

        `before(after_ms)` must be less, and the total must be reached at some time.
        """
        day = self._day_of(total, after_ms // DAY_MS)
        left = total - self._before_day(day)
        for begin, end in self._pieces(day):
            if left <= end - begin:
                return day * DAY_MS + begin + left
            left -= end - begin
        raise ValueError("there is not so much opening time")

    def _day_of(self, total: int, first: int) -> int:
        """Returns the first day, from `first` on, with at least `total` of opening time by its
        end."""
        step = 1
        while self._before_day(first + step) < total:
            step *= 2
        days = range(first, first + step)
        return days[bisect_left(days, total, key=lambda day: self._before_day(day + 1))]

    def _before_day(self, day: int) -> int:
        weeks, weekday = divmod(day + _WEEKDAY_OF_DAY_0, 7)
        total = weeks * self._before_weekday[7] + self._before_weekday[weekday]
        if self._irregular_days:
            total += self._differences[bisect_left(self._irregular_days, day)]
        return total

    def _pieces(self, day: int) -> Intervals:
        pieces = self._irregular.get(day)
        return self._week[_weekday(day)] if pieces is None else pieces


def _weekday(day: int) -> int:
    return (day + _WEEKDAY_OF_DAY_0) % 7


def _total(pieces: Intervals) -> int:
    return sum(end - begin for begin, end in pieces)


#: The names of weekdays in documents; the first is day 0.
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
    """An invalid calendar: `pointer` is the place in its document, `reason` the error."""

    def __init__(self, pointer: str, reason: str):
        super().__init__(f"{pointer} {reason}")
        self.pointer = pointer
        self.reason = reason


@dataclass(frozen=True)
class Calendar:
    """The opening hours of a desk. Hashable; equal calendars are open at the same instants.

    An instant is open if the wall clock of `timezone` is inside an interval of its day, or inside
    an interval of the day before that goes over midnight; overlapping intervals count as one.
    `week` has the intervals of the seven weekdays, Monday first; an exception has the day, counted
    from 1970-01-01, and the intervals that replace its weekday's intervals.
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
    """Reads the calendar of a document: `{"mon": [["09:00", "12:00"], ["22:00", "06:00"]], …}` and
    `[{"date": "2026-12-25", "intervals": []}]`. A weekday without an entry is closed.

    Raises CalendarError for a time zone that this machine does not know, for another name than one
    of WEEKDAYS, for an invalid time or date, and for a date that has two exceptions.
    """
    _check_timezone(timezone)
    for name in week:
        if name not in WEEKDAYS:
            raise CalendarError(f"/week/{name}", "is not a weekday")
    days = tuple(_read_intervals(week.get(name, ()), f"/week/{name}") for name in WEEKDAYS)
    by_day: dict[int, Intervals] = {}
    for at, exception in enumerate(exceptions):
        day = read_date(exception.get("date"), f"/exceptions/{at}/date")
        if day in by_day:
            raise CalendarError(f"/exceptions/{at}/date", "has an exception already")
        by_day[day] = _read_intervals(exception.get("intervals"), f"/exceptions/{at}/intervals")
    return Calendar(timezone, days, tuple(sorted(by_day.items())))


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
    """Reads a date as days since 1970-01-01. Raises CalendarError."""
    if not isinstance(text, str) or not is_date(text):
        raise CalendarError(pointer, "is not a date such as 2026-12-25")
    return date.fromisoformat(text).toordinal() - _EPOCH


def read_interval(begin: object, end: object, pointer: str = "") -> Interval:
    """Reads an interval in minutes of the day on which it begins; one that ends at or before its
    beginning goes over midnight. Raises CalendarError."""
    if not isinstance(begin, str) or not is_time(begin):
        raise CalendarError(f"{pointer}/0", "is not a time such as 09:00")
    if not isinstance(end, str) or not is_end(end):
        raise CalendarError(f"{pointer}/1", "is not a time such as 17:30 or 24:00")
    first, last = _minutes(begin), _minutes(end)
    return first, last if last > first else last + DAY_MINUTES


def _read_intervals(value: object, pointer: str) -> Intervals:
    if not isinstance(value, list | tuple):
        raise CalendarError(pointer, "is not a list of intervals")
    intervals = []
    for at, interval in enumerate(value):
        if not isinstance(interval, list | tuple) or len(interval) != 2:
            raise CalendarError(f"{pointer}/{at}", "is not a pair of times")
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
    raise CalendarError("/timezone", "is not a time zone of this machine")


#: A time that is more than 50 years away counts as never: nothing is promised or searched beyond.
HORIZON_MS = 50 * 365 * 86_400_000


def opening_time_after(calendar: Calendar, since_ms: int, minutes: int) -> int | None:
    """Returns the first instant at which `minutes` of opening time have elapsed since an instant.

    Elapsed time is counted, exactly to the millisecond: the hour that clocks repeat counts twice,
    one that they skip not at all. If the last minute ends with an interval the result is that end,
    not the next opening. None if the calendar does not open so long within 50 years, or before the
    last time that a score has room for.
    """
    local_time = calendar.local_time
    left, at = minutes * MINUTE_MS, since_ms
    latest = min(since_ms + HORIZON_MS, TIME_MAX_MS)
    for end, offset in calendar.offsets.spans(since_ms):
        local = at + offset
        soon = local_time.soon(local, left, end + offset)
        if soon is not None:
            return soon - offset if soon - offset <= latest else None
        if local_time.is_over(local):
            return None
        before = local_time.before(local)
        elapsed = local_time.before(end + offset) - before
        if left <= elapsed:
            reached = local_time.reaches(before + left, local) - offset
            return reached if reached <= latest else None
        left -= elapsed
        at = end
        if at > latest:
            return None
    raise AssertionError("spans never end")


def opening_time_between(calendar: Calendar, since_ms: int, until_ms: int) -> int:
    """Returns the opening time between two instants in milliseconds, counted in the same way; 0 if
    the second is not later."""
    local_time, total, at = calendar.local_time, 0, since_ms
    for end, offset in calendar.offsets.spans(since_ms):
        until = min(end, until_ms)
        total += local_time.before(until + offset) - local_time.before(at + offset)
        if end >= until_ms:
            return max(total, 0)
        at = end
    raise AssertionError("spans never end")


def latest_since(calendar: Calendar, now_ms: int, minutes: int) -> int | None:
    """Returns the latest instant since which `minutes` of opening time have elapsed by now.

    Later instants are not due yet. None if there is none within 50 years.
    """
    early, late = now_ms - HORIZON_MS, now_ms - minutes * MINUTE_MS

    def is_due(since_ms: int) -> bool:
        due_at = opening_time_after(calendar, since_ms, minutes)
        return due_at is not None and due_at <= now_ms

    if not is_due(early):
        return None
    while early < late:
        middle = (early + late + 1) // 2
        if is_due(middle):
            early = middle
        else:
            late = middle - 1
    return early
