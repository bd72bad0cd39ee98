"""Rows of lists by last seen, wherever they are read from."""

from typing import Literal, NamedTuple, Protocol

#: Whose rows a list reads: those that everyone may see, that contacts may see, or all.
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
    """Where people are found whom Redis does not know: SQL."""

    def page(self, audience: Audience, wanted: Wanted, limit: int) -> list[Row]:
        """The first `limit` rows, newest first, of equal times the greatest name first."""

    def count(self, audience: Audience, wanted: Wanted) -> int:
        """How many rows there are of these times."""
