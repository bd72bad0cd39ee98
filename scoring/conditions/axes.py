"""Axes: the values of a thread that an index of queries looks up.

Each axis is for one value of a thread. It returns, as bits of one integer, the conjunctions that
their literals on this axis allow. The cost of one lookup grows with the values that the thread has
there (one, or its tags) and not with the number of conditions.
"""

from bisect import bisect_right
from collections.abc import Hashable, Iterator, Mapping
from functools import reduce
from operator import or_
from typing import Any
from typing import Literal as TypingLiteral

from scoring.conditions.conjuncts import Conjunct, Literal
from scoring.conditions.nodes import Leaf, Measure, Present, Within, measured, reached_at

#: Maximum number of values with a cached mask on an axis; then the cache is emptied.
VALUES_MAX = 1_000

#: The aspect of a value: as it is, whether it is there, or measured.
Aspect = TypingLiteral["value", "present", "since", "until", "instant"]
#: An attribute, and its aspect.
Axis = tuple[str, Aspect]
#: The literals of one conjunction on one axis.
Requirement = frozenset[Literal]
#: The literals of one conjunction on all axes.
Requirements = Mapping[Axis, Requirement]
#: Maps requirements on one axis to the conjunctions that have them.
Required = Mapping[Requirement, int]


def requirements_of(conjunct: Conjunct) -> Requirements:
    """Groups the literals of a conjunction by their axis."""
    by_axis: dict[Axis, set[Literal]] = {}
    for literal in conjunct:
        by_axis.setdefault(_axis_of(literal[0]), set()).add(literal)
    return {axis: frozenset(literals) for axis, literals in by_axis.items()}


def _axis_of(leaf: Leaf) -> Axis:
    if isinstance(leaf, Within):
        return leaf.attribute, leaf.measure
    return leaf.attribute, "present" if isinstance(leaf, Present) else "value"


class ValueAxis:
    """An axis for values that are compared as they are, such as the priority or the set of tags.

    A condition that must hold wants one of its keys among the keys of the value; a condition that
    must not hold is blocked by such a key. In each conjunction the first condition that must hold
    has the first slot, the second one (`tag:a tag:b`) the second.
    """

    def __init__(self, requirements: Required, free: int):
        self._all = free | reduce(or_, requirements.values(), 0)
        #: For each slot the conjunctions that want nothing there, and those that want each key.
        self._slots: list[tuple[int, dict[Hashable, int]]] = []
        self._blocked: dict[Hashable, int] = {}
        self._masks: dict[Hashable, int] = {}
        #: Any leaf: all leaves of one axis are of one kind.
        self._leaf: Any = next(leaf for requirement in requirements for leaf, _ in requirement)
        for requirement, mask in requirements.items():
            self._add(requirement, mask)

    def mask(self, value: Any) -> int:
        """Returns the conjunctions that are possible for a thread with this value."""
        mask = self._masks.get(value)
        if mask is None:
            if len(self._masks) >= VALUES_MAX:
                self._masks.clear()
            mask = self._masks[value] = self._mask(value)
        return mask

    def _mask(self, value: Any) -> int:
        keys = self._leaf.keys(value)
        blocked = 0
        for key in keys:
            blocked |= self._blocked.get(key, 0)
        standing = self._all & ~blocked
        for free, masks in self._slots:
            for key in keys:
                free |= masks.get(key, 0)
            standing &= free
        return standing

    def _add(self, requirement: Requirement, mask: int) -> None:
        slot = 0
        for leaf, is_right in requirement:
            assert not isinstance(leaf, Within)
            by_key = self._blocked
            if is_right:
                if slot == len(self._slots):
                    self._slots.append((self._all, {}))
                free, by_key = self._slots[slot]
                self._slots[slot] = free & ~mask, by_key
                slot += 1
            for key in leaf.wanted:
                by_key[key] = by_key.get(key, 0) | mask


class TimeAxis:
    """An axis for a time that is compared with thresholds: between two, all instants are alike."""

    def __init__(self, measure: Measure, requirements: Required, free: int):
        self.measure: Measure = measure
        #: The conjunctions that are possible without a time.
        self.missing = free
        first, toggled = free, dict[int, int]()
        for requirement, mask in requirements.items():
            bounds = sorted(_bounds(requirement))
            stands = _stands(requirement, bounds[0] - 1)
            first |= mask * stands
            self.missing |= mask * _stands(requirement, None)
            for bound in bounds:
                if _stands(requirement, bound) != stands:
                    stands = not stands
                    toggled[bound] = toggled.get(bound, 0) ^ mask
        self._thresholds = sorted(toggled)
        #: For each threshold the conjunctions that become possible or impossible there.
        self._toggled = [toggled[threshold] for threshold in self._thresholds]
        self._masks = [first]
        for mask in self._toggled:
            self._masks.append(self._masks[-1] ^ mask)

    def mask(self, value: int) -> int:
        """Returns the conjunctions that are possible for this measured value."""
        return self._masks[bisect_right(self._thresholds, value)]

    def ahead(self, time_ms: int, now_ms: int, conjunctions: int) -> Iterator[int]:
        """Yields the instants after `now_ms`, in order, at which one of these conjunctions may
        begin or cease to hold by this axis."""
        at = bisect_right(self._thresholds, measured(self.measure, time_ms, now_ms))
        order = range(at - 1, -1, -1) if self.measure == "until" else range(at, len(self._toggled))
        for index in order:
            if self._toggled[index] & conjunctions:
                instant = reached_at(self.measure, time_ms, self._thresholds[index])
                if instant is not None:
                    yield instant


def _bounds(requirement: Requirement) -> set[int]:
    return {b for leaf, _ in requirement if isinstance(leaf, Within) for b in leaf.bounds}


def _stands(requirement: Requirement, value: int | None) -> bool:
    return all(
        leaf.takes(value) == is_right for leaf, is_right in requirement if isinstance(leaf, Within)
    )
