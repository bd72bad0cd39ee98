"""Rows of lists by last seen, from Redis or from the archive."""

from typing import Literal, NamedTuple, Protocol

#: The rows that a list reads: those that everyone may see, that contacts may see, or all.
Audience = Literal["everyone", "contacts", "truth"]


class Row(NamedTuple):
    """A person, named in UTF-8, in the order of lists: by time, of equal times by bytes."""

    last_seen: int
    name: bytes


class Wanted(NamedTuple):
    """Rows of these times in ms, both included, below `after`; of one group, or None for all; of
    these people alone, or None for all."""

    from_ms: int
    to_ms: int
    group: str | None = None
    after: Row | None = None
    people: tuple[str, ...] | None = None


class Archive(Protocol):
    """The store of people that Redis does not know: SQL."""

    def page(self, audience: Audience, wanted: Wanted, limit: int) -> list[Row]:
        """Returns the first `limit` rows, newest first; of equal times the greatest name first."""

    def count(self, audience: Audience, wanted: Wanted) -> int:
        """Counts the rows of these times."""
