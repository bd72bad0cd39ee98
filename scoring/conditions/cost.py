"""The cost of a list of a query: each event tests its conditions, and time passes its moments."""

from collections.abc import Collection, Iterable
from typing import NamedTuple, Protocol

from scoring.conditions.fields import UNITS
from scoring.conditions.leaves import Leaf, Within

#: Times that may be used without limit, by unit: a thread passes few of them.
_USUAL = {
    "s": (30, 60, 90),
    "m": (2, 3, 5, 10, 15, 20, 30, 45, 60, 90),
    "h": (2, 3, 4, 5, 6, 8, 10, 12, 18, 24, 36, 48, 72),
    "d": (4, 5, 6, 7, 10, 14, 21, 28, 30, 60, 90, 180, 365),
}
_USUAL_MS = {0} | {count * UNITS[unit] for unit, counts in _USUAL.items() for count in counts}
#: A thread passes moments below this after nearly every message, and later ones after few.
SHORT_MS = 600_000
SHORT_WEIGHT = 8


class Moment(NamedTuple):
    """A measured time, in ms, at which a condition may begin or end to hold by itself."""

    attribute: str
    measure: str
    bound_ms: int

    @property
    def weight(self) -> int:
        """The cost of looking at threads once more when they pass the moment."""
        # `>10m` is reached a millisecond after ten minutes.
        if not _USUAL_MS.isdisjoint((self.bound_ms, self.bound_ms - 1)):
            return 0
        return SHORT_WEIGHT if self.bound_ms < SHORT_MS else 1


class Costly(Protocol):
    """A query that knows what it costs."""

    @property
    def conditions(self) -> int: ...

    @property
    def moments(self) -> frozenset[Moment]: ...


class Cost(NamedTuple):
    """The cost of queries together: their conditions, and their moments."""

    conditions: int = 0
    moments: frozenset[Moment] = frozenset()

    @property
    def weight(self) -> int:
        """The weight of the moments, each counted once."""
        return sum(moment.weight for moment in self.moments)

    def and_(self, queries: Collection["Costly"]) -> "Cost":
        """Returns the cost with these queries added."""
        count = sum(query.conditions for query in queries)
        moments = self.moments.union(*(query.moments for query in queries))
        return Cost(self.conditions + count, moments)


def moments(leaves: Iterable[Leaf]) -> frozenset[Moment]:
    """Returns the moments of these conditions."""
    return frozenset(
        Moment(leaf.attribute, leaf.measure, bound)
        for leaf in leaves
        if isinstance(leaf, Within) and leaf.measure != "instant"
        for bound in leaf.bounds
    )


def together(queries: Iterable[Costly]) -> Cost:
    """Returns the cost of several queries together; moments that they share count once."""
    return Cost().and_([*queries])
