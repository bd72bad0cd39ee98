"""The values of threads by which an index of queries is asked.

Each axis is one value of a thread. For each value that occurs it knows, as bits of one integer,
which conjunctions its literals on this axis leave standing.
"""

from bisect import bisect_right
from collections.abc import Hashable, Mapping
from typing import Any
from typing import Literal as TypingLiteral

from scoring.conditions.conjuncts import Literal
from scoring.conditions.leaves import Leaf, Measure, Present, Within

#: Values of which an axis keeps the mask; then it begins anew.
VALUES_MAX = 10_000

#: The literals of one conjunction on one axis.
Requirement = frozenset[Literal]
#: Which conjunctions have these requirements.
Requirements = Mapping[Requirement, int]


#: How a value is looked at: as it is, whether it is there, or measured.
Aspect = TypingLiteral["value", "present", "since", "until", "instant"]


def axis_of(leaf: Leaf) -> tuple[str, Aspect]:
    """The axis on which a question stands: the attribute, and how it is looked at."""
    if isinstance(leaf, Within):
        return leaf.attribute, leaf.measure
    return leaf.attribute, "present" if isinstance(leaf, Present) else "value"


def standing(requirements: Requirements, free: int, value: Any) -> int:
    """The conjunctions whose requirements a value meets; `free` are those that have none."""
    for requirement, mask in requirements.items():
        if all(leaf.takes(value) == is_right for leaf, is_right in requirement):
            free |= mask
    return free


class ValueAxis:
    """A value that is one of few, such as the priority, the assignee, or the set of tags."""

    def __init__(self, requirements: Requirements, free: int):
        self._requirements = requirements
        self._free = free
        self._masks: dict[Hashable, int] = {}

    def mask(self, value: Any) -> int:
        """The conjunctions that stand for a thread with this value."""
        found = self._masks.get(value)
        if found is None:
            if len(self._masks) >= VALUES_MAX:
                self._masks.clear()
            found = standing(self._requirements, self._free, value)
            self._masks[value] = found
        return found


class TimeAxis:
    """A time that is compared with thresholds: between two of them all instants are alike."""

    def __init__(self, measure: Measure, requirements: Requirements, free: int):
        self.measure: Measure = measure
        self._requirements = requirements
        self._free = free
        concerned: dict[int, int] = {}
        for requirement, mask in requirements.items():
            for bound in _bounds(requirement):
                concerned[bound] = concerned.get(bound, 0) | mask
        self.thresholds = sorted(concerned)
        #: For each threshold the conjunctions that know it.
        self.concerned = [concerned[threshold] for threshold in self.thresholds]
        self._masks: list[int | None] = [None] * (len(self.thresholds) + 1)
        self.missing = standing(requirements, free, None)

    def mask(self, value: int) -> int:
        """The conjunctions that stand where the measured value is this."""
        at = bisect_right(self.thresholds, value)
        found = self._masks[at]
        if found is None:
            # Any value between the two thresholds; below the first one that before it.
            typical = self.thresholds[at - 1] if at else self.thresholds[0] - 1
            found = self._masks[at] = standing(self._requirements, self._free, typical)
        return found

    def next_threshold(self, value: int, conjunctions: int) -> int | None:
        """The next threshold that a measured value comes to as time passes, and that one of these
        conjunctions knows: the next larger one, where time is left the next smaller one."""
        at = bisect_right(self.thresholds, value)
        ahead = (
            range(at - 1, -1, -1) if self.measure == "until" else range(at, len(self.thresholds))
        )
        for one in ahead:
            if self.concerned[one] & conjunctions:
                return self.thresholds[one]
        return None


def _bounds(requirement: Requirement) -> set[int]:
    return {b for leaf, _ in requirement if isinstance(leaf, Within) for b in leaf.bounds}
