"""Last writer wins, by (ranked_at, event id); ids are compared by code point."""

from collections.abc import Mapping
from typing import Any

#: By how many milliseconds the clocks of workers may differ.
CLOCKS_MS = 1_000
#: The time of a write in milliseconds, and the id of the event that wrote.
Stamp = tuple[int, str]


def wins(stamps: Mapping[str, Any], name: str, stamp: Stamp) -> bool:
    """Whether a write is later than the last one of this value."""
    last = stamps.get(name)
    return last is None or stamp > (last[0], last[1])


def stamped(stamps: Mapping[str, Any], names: Mapping[str, Stamp]) -> dict[str, Any]:
    """The stamps with these added, in the form in which they are stored."""
    return {**stamps, **{name: list(stamp) for name, stamp in names.items()}}


def held_back(stamps: Mapping[str, Any], now: int) -> int:
    """The time (ms) of what is stored now: never before a message of the thread that is stored.

    The clocks of workers differ by some milliseconds. What a sender posts after an answer to the
    event before must not stand before that one where another worker takes it. A clock that is
    further behind was set back: its time counts.
    """
    last = max((stamps[name][0] for name in ("last", "note") if name in stamps), default=0)
    return last if now < last <= now + CLOCKS_MS else now
