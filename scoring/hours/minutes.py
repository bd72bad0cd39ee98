"""Intervals of days, and their unions."""

from collections.abc import Iterable

#: (begin, end) in minutes since the beginning of a day; the end is after the begin, by at most one
#: day, and may be on the next day.
Interval = tuple[int, int]
Intervals = tuple[Interval, ...]

DAY_MINUTES = 1_440
MINUTE_MS = 60_000
DAY_MS = DAY_MINUTES * MINUTE_MS


def pieces_of_day(own: Iterable[Interval], of_day_before: Iterable[Interval]) -> Intervals:
    """Returns the open pieces of one day, disjoint and in order, in milliseconds of that day.

    `own` are the intervals that begin on it; those of the day before count for their part after
    midnight.
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
