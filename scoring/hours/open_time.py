"""Opening time that elapses: the pure function behind every promise."""

from scoring.composite import TIME_MAX_MS
from scoring.hours.calendar import Calendar
from scoring.hours.minutes import MINUTE_MS

#: A time that is not reached within 50 years counts as never: no promise, and an end of the search.
HORIZON_MS = 50 * 365 * 86_400_000


def opening_time_after(calendar: Calendar, since_ms: int, minutes: int) -> int | None:
    """Returns the first instant at which `minutes` of opening time have elapsed since an instant.

    Elapsed time is counted, exactly to the millisecond: the hour that clocks repeat counts twice,
    one that they skip not at all. If the last minute ends with an interval it is that end, not the
    next opening. None if the calendar does not open so long within 50 years, or until a time for
    which a score has room.
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
