"""An index of all queries: finds the lists that hold a thread, among a thousand lists."""

from collections.abc import Callable, Collection, Mapping, Sequence
from heapq import merge
from itertools import compress, groupby
from typing import Any

from scoring.conditions.axes import Axis, Requirement, Requirements, TimeAxis, ValueAxis
from scoring.conditions.nodes import POSITIONS
from scoring.conditions.resolved import TRIES, Resolved, holds, next_change
from scoring.conditions.subject import Subject

#: A subject as a tuple: its values are read by their positions.
Values = tuple[Any, ...]

#: Binary digits to the bytes 0 and 1: a thread is on hundreds of lists, and a loop would be slow.
_BITS = bytes.maketrans(b"01", b"\0\1")


class ConditionIndex:
    """Queries by name, tested together: some microseconds for a thousand of them.

    Each query is a set of conjunctions, and each conjunction one bit. A thread's value on an axis
    allows some of them, and a conjunction allowed on all axes holds. The first conjunctions of all
    queries lie side by side, then the second ones of those that have two, and so on: the queries
    that hold are the union of these layers, and the negated ones that are not in it. A query that
    would take more than 64 conjunctions either way is tested by itself.

    Masks are integers with one bit for each query. Only this index can read them.
    """

    def __init__(self, queries: Mapping[str, Resolved]):
        negated = {name: query.form.is_negated for name, query in queries.items() if query.form}
        #: The order of the bits: queries with most conjunctions first, so that layers are dense.
        self._names = sorted(negated, key=lambda name: -len(queries[name].requirements))
        bits, self._layers = _layered([queries[name].requirements for name in self._names])
        self._all = (1 << len(bits)) - 1
        self._negated = self.mask({name for name, is_negated in negated.items() if is_negated})
        #: (bit, query) of queries that are tested by themselves.
        self._alone: list[tuple[int, Resolved]] = []
        for name in (name for name in queries if name not in negated):
            self._alone.append((1 << len(self._names), queries[name]))
            self._names.append(name)
        #: (position in a subject, axis) of values that time does not change, and of values that it
        #: changes.
        self._values: list[tuple[int, ValueAxis]] = []
        self._presence: list[tuple[int, ValueAxis]] = []
        self._instants: list[tuple[int, TimeAxis]] = []
        self._since: list[tuple[int, TimeAxis]] = []
        self._until: list[tuple[int, TimeAxis]] = []
        self._add_axes(bits)

    def matches(self, subject: Subject, now_ms: int) -> int:
        """Returns the queries that hold for a thread, as a mask."""
        standing = self._standing(self._still(subject), subject, now_ms)
        mask = self._queries(standing)
        for bit, resolved in self._alone:
            if holds(resolved, subject, now_ms):
                mask |= bit
        return mask

    def prefilter(self, attributes: Sequence[str]) -> Callable[[Sequence[Any]], bool]:
        """Returns a function that says whether any query may hold for a thread with these values of
        these attributes, in this order."""
        places = {POSITIONS[name]: at for at, name in enumerate(attributes)}
        values = [(places[at], axis) for at, axis in self._values if at in places]
        presence = [(places[at], axis) for at, axis in self._presence if at in places]

        def may_match(row: Sequence[Any]) -> bool:
            standing = self._all
            for at, axis in values:
                standing &= axis.mask(row[at])
            for at, axis in presence:
                standing &= axis.mask(None if row[at] is None else True)
            return standing != 0 or bool(self._alone or self._negated)

        return may_match

    def names(self, mask: int) -> list[str]:
        """Returns the names of the queries in a mask."""
        if not mask:
            return []
        bits = f"{mask:b}".encode().translate(_BITS)
        return list(compress(self._names, reversed(bits)))

    def mask(self, names: Collection[str]) -> int:
        """Returns the mask of the queries of these names."""
        return sum(1 << bit for bit, name in enumerate(self._names) if name in names)

    def next_change(self, subject: Subject, now_ms: int) -> int | None:
        """Returns the next instant after `now_ms` when the mask changes by time alone; None: never.

        Exact, except if more than 32 thresholds are passed without a change, or fewer if several
        queries are tested by themselves: then the returned instant may be before the change, and
        the caller must ask again at that instant.
        """
        if not (self._since or self._until or self._alone):
            return None
        own = self._next_of_axes(subject, now_ms)
        # Together they try no more thresholds than one query would: each event pays for all.
        tries = TRIES // max(1, len(self._alone))
        others = (next_change(resolved, subject, now_ms, tries) for _, resolved in self._alone)
        return min((at for at in (own, *others) if at is not None), default=None)

    def _still(self, subject: Values) -> int:
        """Returns the conjunctions allowed on all axes that time does not change."""
        standing = self._all
        for position, axis in self._values:
            standing &= axis.mask(subject[position])
        for position, axis in self._presence:
            standing &= axis.mask(None if subject[position] is None else True)
        for position, times in self._instants:
            at = subject[position]
            standing &= times.missing if at is None else times.mask(at)
        return standing

    def _standing(self, standing: int, subject: Values, now_ms: int) -> int:
        """Returns the bits of the given conjunctions that the time axes allow now."""
        for position, axis in self._since:
            at = subject[position]
            standing &= axis.missing if at is None else axis.mask(now_ms - at)
        for position, axis in self._until:
            at = subject[position]
            standing &= axis.missing if at is None else axis.mask(at - now_ms)
        return standing

    def _queries(self, standing: int) -> int:
        """Returns the queries that hold: one of their conjunctions does; if negated, none does."""
        held = 0
        for shift, ones in self._layers:
            held |= (standing >> shift) & ones
        return held ^ self._negated

    def _next_of_axes(self, subject: Subject, now_ms: int) -> int | None:
        still = self._still(subject)
        now_hold = self._queries(self._standing(still, subject, now_ms))
        values: Values = subject
        ahead = merge(
            *(
                axis.ahead(values[position], now_ms, still)
                for position, axis in (*self._since, *self._until)
                if values[position] is not None
            )
        )
        for count, (at, _) in enumerate(groupby(ahead), 1):
            if count == TRIES or self._queries(self._standing(still, subject, at)) != now_hold:
                return at
        return None

    def _add_axes(self, bits: Sequence[Requirements]) -> None:
        times: dict[str, list[tuple[int, TimeAxis]]] = {
            "since": self._since,
            "until": self._until,
            "instant": self._instants,
        }
        values = {"value": self._values, "present": self._presence}
        for (attribute, kind), required in _by_axis(bits).items():
            union = 0
            for mask in required.values():
                union |= mask
            free, position = self._all ^ union, POSITIONS[attribute]
            if kind == "value" or kind == "present":
                values[kind].append((position, ValueAxis(required, free)))
            else:
                times[kind].append((position, TimeAxis(kind, required, free)))


def _layered(
    forms: Sequence[Sequence[Requirements]],
) -> tuple[list[Requirements], list[tuple[int, int]]]:
    """Returns the conjunction of each bit, and the first bit of each layer with its mask.

    `forms` have their longest first, so that a layer belongs to the first queries in order.
    """
    bits: list[Requirements] = []
    layers = []
    for layer in range(len(forms[0]) if forms else 0):
        of_layer = [form[layer] for form in forms if len(form) > layer]
        layers.append((len(bits), (1 << len(of_layer)) - 1))
        bits += of_layer
    return bits, layers


def _by_axis(bits: Sequence[Requirements]) -> dict[Axis, dict[Requirement, int]]:
    """Maps each axis to the requirements of conjunctions on it, and these to the conjunctions."""
    by_axis: dict[Axis, dict[Requirement, int]] = {}
    for bit, requirements in enumerate(bits):
        for axis, requirement in requirements.items():
            required = by_axis.setdefault(axis, {})
            required[requirement] = required.get(requirement, 0) | 1 << bit
    return by_axis
