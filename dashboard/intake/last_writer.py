"""Values that the last writer decides, by (ranked_at, event id), ids compared by code point."""

from collections.abc import Mapping
from typing import Any

#: When a value was written, in milliseconds, and by which event.
Stamp = tuple[int, str]


def wins(stamps: Mapping[str, Any], name: str, stamp: Stamp) -> bool:
    """Whether a writer comes after the one who wrote last."""
    last = stamps.get(name)
    return last is None or stamp > (last[0], last[1])


def stamped(stamps: Mapping[str, Any], names: Mapping[str, Stamp]) -> dict[str, Any]:
    """The stamps with some more, as they are kept."""
    return {**stamps, **{name: list(stamp) for name, stamp in names.items()}}
