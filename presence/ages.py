"""How long ago somebody was seen, as a colour and as words; pure."""

from typing import NamedTuple

#: Green below the first, yellow below the second, in milliseconds.
GREEN_MS, YELLOW_MS = 60_000, 300_000
MINUTE_MS, HOUR_MS, DAY_MS = 60_000, 3_600_000, 86_400_000


class Age(NamedTuple):
    """What to say: `unit` is active, now, minutes, hours, days or unknown."""

    unit: str
    number: int = 0


def colour(last_seen_ms: int | None, now_ms: int) -> str:
    """The colour of a bare look-up by age."""
    if last_seen_ms is None or now_ms - last_seen_ms >= YELLOW_MS:
        return "grey"
    return "green" if now_ms - last_seen_ms < GREEN_MS else "yellow"


def dot(status: str, last_seen_ms: int | None, now_ms: int) -> str:
    """The colour of a person's dot; only that of an offline person ages."""
    if status == "offline":
        return "grey" if colour(last_seen_ms, now_ms) == "grey" else "yellow"
    return {"online": "green", "away": "yellow"}.get(status, status)


def age(status: str, last_seen_ms: int | None, now_ms: int) -> Age:
    """How to say when somebody was last seen; a time to come counts as now."""
    if status != "offline":
        return Age("active")
    if last_seen_ms is None:
        return Age("unknown")
    passed = now_ms - last_seen_ms
    if passed < MINUTE_MS:
        return Age("now")
    for unit, length, above in (
        ("minutes", MINUTE_MS, HOUR_MS),
        ("hours", HOUR_MS, DAY_MS),
    ):
        if passed < above:
            return Age(unit, passed // length)
    return Age("days", passed // DAY_MS)


def words(said: Age) -> str:
    """In English."""
    fixed = {"active": "Active now", "now": "just now", "unknown": "unknown"}
    if said.unit in fixed:
        return fixed[said.unit]
    unit = said.unit if said.number != 1 else said.unit[:-1]
    return f"{said.number} {unit} ago"
