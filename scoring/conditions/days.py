"""Days of a time zone as instants."""

from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import lru_cache


@lru_cache(maxsize=4_096)
def day_begins_ms(day: str, zone: tzinfo) -> int:
    """The first instant at which the clocks of the zone show this day or a later one, in ms.

    So each instant belongs to exactly one day: an hour that clocks repeat over midnight belongs to
    the later day, and a day that a zone leaves out has no instant.
    """
    # Of two midnights the first; where clocks skip midnight, the instant at which they do.
    midnight = datetime.combine(date.fromisoformat(day), time(fold=0), zone)
    return round(midnight.astimezone(UTC).timestamp() * 1_000)


def day_after(day: str) -> str:
    return (date.fromisoformat(day) + timedelta(days=1)).isoformat()
