"""Last writer wins, by (ranked_at, event id); ids are compared by code point."""

from collections.abc import Mapping
from typing import Any

#: The time of a write in milliseconds, and the id of the event that wrote.
Stamp = tuple[int, str]


def wins(stamps: Mapping[str, Any], name: str, stamp: Stamp) -> bool:
    """Whether a write is later than the last one of this value."""
    last = stamps.get(name)
    return last is None or stamp > (last[0], last[1])


def stamped(stamps: Mapping[str, Any], names: Mapping[str, Stamp]) -> dict[str, Any]:
    """The stamps with these added, in the form in which they are stored."""
    return {**stamps, **{name: list(stamp) for name, stamp in names.items()}}
