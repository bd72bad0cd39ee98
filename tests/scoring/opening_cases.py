"""Random calendars and instants near hard cases: clock changes, midnights, closed weeks."""

import random
from datetime import UTC, date, datetime, timedelta
from functools import cache
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo, available_timezones

from tests.scoring.opening_walker import NAMES

DAY_SECONDS = 86_400
#: The years of events; each zone has an offset of whole minutes in them.
FIRST_YEAR, LAST_YEAR = 2000, 2058
TIMES = ("00:00", "00:30", "01:00", "02:00", "02:30", "03:00", "08:59", "09:00", "17:30", "23:00")


class Case(NamedTuple):
    document: dict[str, Any]
    since_ms: int
    minutes: int


@cache
def zones() -> list[str]:
    return sorted(available_timezones())


def case(seed: int, longest: int) -> Case:
    """A random case; seeds take the zones in turn; `longest` limits the minutes."""
    chance = random.Random(seed)
    zone = zones()[seed % len(zones())]
    since = instant(chance, ZoneInfo(zone))
    day = datetime.fromtimestamp(since // 1_000, ZoneInfo(zone)).date()
    document = {
        "timezone": zone,
        "week": {name: intervals(chance) for name in NAMES if chance.random() < 0.75},
        "exceptions": exceptions(chance, day),
    }
    return Case(document, since, 1 + int(longest * chance.random() ** 3))


def instant(chance: random.Random, zone: ZoneInfo) -> int:
    """An instant within two days of a clock change, where the year has one."""
    first = datetime(chance.randint(FIRST_YEAR, LAST_YEAR), 1, 1, tzinfo=UTC)
    days = [int(first.timestamp()) + at * DAY_SECONDS for at in range(366)]
    offsets = [datetime.fromtimestamp(at, zone).utcoffset() for at in days]
    changes = [
        at for at, one, other in zip(days, offsets, offsets[1:], strict=False) if one != other
    ]
    around = chance.choice(changes) if changes and chance.random() < 0.7 else chance.choice(days)
    seconds = around + chance.randint(-DAY_SECONDS, 2 * DAY_SECONDS)
    if chance.random() < 0.5:
        # Just before, at and after a full or half hour.
        return seconds // 1_800 * 1_800_000 + chance.choice([-1, 0, 1])
    return seconds * 1_000 + chance.randint(0, 999)


def intervals(chance: random.Random) -> list[list[str]]:
    found = []
    for _ in range(chance.choice([0, 1, 1, 1, 2, 2, 3])):
        begin, end = chance.choice(TIMES), chance.choice((*TIMES, "24:00", "06:00"))
        if chance.random() < 0.3:
            begin = f"{chance.randint(0, 23):02}:{chance.randint(0, 59):02}"
        found.append([begin, end])
    return found


def exceptions(chance: random.Random, day: date) -> list[dict[str, Any]]:
    """Exceptions near a day: single days, and closed weeks."""
    closed = chance.choice([0, 0, 0, 0, 1, 7, 14, 30])
    first = chance.randint(-2, 4)
    found: dict[int, list[list[str]]] = {first + at: [] for at in range(closed)}
    for _ in range(chance.choice([0, 0, 1, 2])):
        found[chance.randint(-2, 8)] = intervals(chance)
    return [
        {"date": (day + timedelta(days=at)).isoformat(), "intervals": each}
        for at, each in found.items()
    ]
