"""docs/requirements/time.md, written independently: opening time counted minute by minute.

It parses a calendar's document itself and asks the wall clock of each minute; it knows nothing of
the product's tables.
"""

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

NAMES = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
MINUTE = 60_000

Document = Mapping[str, Any]


class Walker:
    """Walks through the opening time of one calendar, whose zone has offsets of whole minutes."""

    def __init__(self, document: Document):
        self._document = document
        self._zone = ZoneInfo(document["timezone"])
        self._days: dict[date, frozenset[int]] = {}

    def is_open(self, at_ms: int) -> bool:
        local = datetime.fromtimestamp(at_ms // MINUTE * 60, self._zone)
        return local.hour * 60 + local.minute in self._open_minutes(local.date())

    def after(self, since_ms: int, minutes: int, most: int) -> int | None:
        """Returns when so many minutes have elapsed; None if not within `most` minutes."""
        left, at = minutes * MINUTE, since_ms
        for _ in range(most):
            end = (at // MINUTE + 1) * MINUTE
            if self.is_open(at):
                if left <= end - at:
                    return at + left
                left -= end - at
            at = end
        return None

    def _open_minutes(self, day: date) -> frozenset[int]:
        if day not in self._days:
            found: set[int] = set()
            for begin, end in self._intervals(day):
                found.update(minute for minute in range(begin, end) if minute < 1_440)
            for begin, end in self._intervals(day - timedelta(days=1)):
                found.update(minute - 1_440 for minute in range(begin, end) if minute >= 1_440)
            self._days[day] = frozenset(found)
        return self._days[day]

    def _intervals(self, day: date) -> list[tuple[int, int]]:
        """(begin, end) of the intervals of a day, in minutes since it began."""
        written = self._document["week"].get(NAMES[day.weekday()], [])
        for exception in self._document["exceptions"]:
            if exception["date"] == day.isoformat():
                written = exception["intervals"]
        return [in_minutes(*interval) for interval in written]


def in_minutes(begin: str, end: str) -> tuple[int, int]:
    first, last = (int(time[:2]) * 60 + int(time[3:]) for time in (begin, end))
    return first, last if last > first else last + 1_440
