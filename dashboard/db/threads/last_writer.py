"""Last writer wins, by (ranked_at, event id); ids are compared by code point."""

from collections.abc import Mapping
from typing import Any

#: The clocks of workers may differ by this many milliseconds.
CLOCKS_MS = 1_000
#: The time of a write in milliseconds, and the id of its event.
Stamp = tuple[int, str]


def wins(stamps: Mapping[str, Any], name: str, stamp: Stamp) -> bool:
    """Whether a write is later than the last one of this value."""
    last = stamps.get(name)
    return last is None or stamp > (last[0], last[1])


def stamped(stamps: Mapping[str, Any], names: Mapping[str, Stamp]) -> dict[str, Any]:
    """Returns the stamps with these added, in the form in which they are stored."""
    return {**stamps, **{name: list(stamp) for name, stamp in names.items()}}


def held_back(stamps: Mapping[str, Any], now: int) -> int:
    """Returns the time (ms) for an event stored now: never before a stored message of the thread.

    The clocks of workers differ by some milliseconds. A sender's reply to an event must not stand
    before that event if another worker takes it. A clock that is further behind was set back: its
    time counts.
    """
    last = max((stamps[name][0] for name in ("last", "note") if name in stamps), default=0)
    return last if now < last <= now + CLOCKS_MS else now
