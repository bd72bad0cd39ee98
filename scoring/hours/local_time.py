"""How much opening time a calendar has by the wall clock, as if no clock were ever changed."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import accumulate

from scoring.hours.minutes import DAY_MS, Intervals, pieces_of_day

#: 1970-01-01, which is day 0, was a Thursday.
_WEEKDAY_OF_DAY_0 = 3
#: Days that are looked at one by one: an answer is nearly always due within a week.
_NEAR_DAYS = 8


class LocalTime:
    """The opening time of a calendar up to any local time: milliseconds since 1970-01-01 by the
    wall clock.

    Days that an exception concerns (its own, and the next one, into which the day may go) are
    counted as differences from ordinary ones, so each answer takes some comparisons however far
    away it is.
    """

    def __init__(self, week: Sequence[Intervals], exceptions: Mapping[int, Intervals]):
        self._week = [pieces_of_day(week[day], week[day - 1]) for day in range(7)]
        totals = [_total(pieces) for pieces in self._week]
        #: The opening time of the weekdays before each one, and of a whole week at last.
        self._before_weekday = [0, *accumulate(totals)]
        #: Days whose opening time is not that of their weekday.
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
        """The opening time up to a local time, in ms; of two times only the difference counts."""
        day, ms = divmod(local_ms, DAY_MS)
        total = self._before_day(day)
        for begin, end in self._pieces(day):
            if begin < ms:
                total += (end if end < ms else ms) - begin
        return total

    def soon(self, after_ms: int, left: int, end_ms: int) -> int | None:
        """The local time at which so much opening time has elapsed after one; None where that is
        after `end_ms` or more than a week away, so that it must be looked for further away."""
        first, ms = divmod(after_ms, DAY_MS)
        for day in range(first, first + _NEAR_DAYS):
            for begin, end in self._pieces(day):
                if end <= ms:
                    continue
                begin = max(begin, ms)
                if left <= end - begin:
                    found = day * DAY_MS + begin + left
                    return found if found <= end_ms else None
                left -= end - begin
            ms = 0
        return None

    def reaches(self, total: int, after_ms: int) -> int:
        """The first local time up to which there is so much opening time, as `before` counts it.

        There is less at `after_ms`, and it is reached at some time.
        """
        day = self._day_of(total, after_ms // DAY_MS)
        left = total - self._before_day(day)
        for begin, end in self._pieces(day):
            if left <= end - begin:
                return day * DAY_MS + begin + left
            left -= end - begin
        raise ValueError("there is not so much opening time")

    def _day_of(self, total: int, first: int) -> int:
        """The first day, from one on, at whose end there is so much opening time."""
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
        found = self._irregular.get(day)
        return self._week[_weekday(day)] if found is None else found


def _weekday(day: int) -> int:
    return (day + _WEEKDAY_OF_DAY_0) % 7


def _total(pieces: Intervals) -> int:
    return sum(end - begin for begin, end in pieces)
