"""A condition without names: whether it holds for a thread, until when, and what it costs."""

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol

from scoring.conditions.axes import Requirements, requirements_of
from scoring.conditions.conjuncts import CONJUNCTS_MAX, Conjunct, NormalForm, conjuncts, normal_form
from scoring.conditions.fields import UNITS
from scoring.conditions.nodes import (
    AllNode,
    AnyNode,
    Language,
    Leaf,
    NotNode,
    OneOf,
    ResolvedNode,
    Tagged,
    Within,
    reached_at,
    value_of,
)
from scoring.conditions.subject import Subject

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
    """A measured time, in ms, at which a condition may begin or cease to hold by itself."""

    attribute: str
    measure: str
    bound_ms: int

    @property
    def weight(self) -> int:
        """The cost of handling threads once more when they pass the moment."""
        # `>10m` is reached a millisecond after ten minutes.
        if not _USUAL_MS.isdisjoint((self.bound_ms, self.bound_ms - 1)):
            return 0
        return SHORT_WEIGHT if self.bound_ms < SHORT_MS else 1

    @property
    def is_quiet(self) -> bool:
        """Whether the moment comes soon after each message of a customer."""
        return self.attribute == "last_client_at" and self.bound_ms < SHORT_MS


class Costly(Protocol):
    """A query that knows what it costs."""

    @property
    def conditions(self) -> int: ...

    @property
    def moments(self) -> frozenset[Moment]: ...


class Cost(NamedTuple):
    """The cost of queries together: their conditions, their moments, and the number of queries that
    ask for a time below SHORT_MS with `quiet:`: each message of a customer moves its thread on
    their lists, and soon time moves it back."""

    conditions: int = 0
    moments: frozenset[Moment] = frozenset()
    quiet: int = 0

    @property
    def weight(self) -> int:
        """The weight of the moments, each counted once."""
        return sum(moment.weight for moment in self.moments)

    def and_(self, queries: Collection["Costly"]) -> "Cost":
        """Returns the cost with these queries added."""
        count = sum(query.conditions for query in queries)
        moments = self.moments.union(*(query.moments for query in queries))
        quiet = sum(any(moment.is_quiet for moment in query.moments) for query in queries)
        return Cost(self.conditions + count, moments, self.quiet + quiet)


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


@dataclass(frozen=True)
class Resolved:
    """A query that means the same for every admin and in every time zone. Hashable."""

    root: ResolvedNode

    @cached_property
    def key(self) -> str:
        """A text that is equal for queries with the same meaning: the identity of their list.

        `assigned:me` of Mai and `assigned:mai@…` have one key; equal days in two zones have two.
        """
        return _key(self.root)

    @cached_property
    def is_timeless(self) -> bool:
        """Whether time alone never changes its truth."""
        return not any(
            isinstance(leaf, Within) and leaf.measure != "instant" for leaf in self.leaves()
        )

    @cached_property
    def conjuncts(self) -> list[Conjunct] | None:
        """Alternatives of conjunctions; None if it would take more than 64."""
        return conjuncts(self.root)

    @cached_property
    def form(self) -> NormalForm | None:
        """The form for an index; None if it would take more than 64 alternatives either way."""
        return normal_form(self.root)

    @cached_property
    def requirements(self) -> Sequence[Requirements]:
        """The requirements of each conjunction of its normal form, by axis."""
        return [requirements_of(conjunct) for conjunct in self.form.conjuncts] if self.form else ()

    @cached_property
    def conditions(self) -> int:
        """The conditions of its normal form; without one, its leaves times the most alternatives of
        a form."""
        if self.form is not None:
            return self.form.conditions
        return CONJUNCTS_MAX * sum(1 for _ in self.leaves())

    @cached_property
    def moments(self) -> frozenset[Moment]:
        """The moments at which time alone may change its truth."""
        return moments(self.leaves())

    def leaves(self) -> Iterator[Leaf]:
        """Yields every leaf."""
        return _leaves(self.root)

    def narrowed(self, leaf: Leaf) -> "Resolved":
        """Returns the query for threads for which this leaf holds, too."""
        nodes = self.root.nodes if isinstance(self.root, AllNode) else (self.root,)
        return Resolved(AllNode((*nodes, leaf)))

    def at_desks(self, desks: frozenset[str] | None) -> "Resolved":
        """Returns the query for threads at these desks alone; None: at any."""
        if desks is None:
            return self
        return Resolved(AllNode((OneOf("desk", desks), self.root)))


def _leaves(node: ResolvedNode) -> Iterator[Leaf]:
    if isinstance(node, NotNode):
        yield from _leaves(node.node)
    elif isinstance(node, AllNode | AnyNode):
        for child in node.nodes:
            yield from _leaves(child)
    else:
        yield node


def _key(node: ResolvedNode) -> str:
    if isinstance(node, NotNode):
        return f"-{_key(node.node)}"
    if isinstance(node, AllNode | AnyNode):
        between = " " if isinstance(node, AllNode) else "|"
        keys = sorted(set(map(_key, node.nodes)))
        return keys[0] if len(keys) == 1 else f"({between.join(keys)})"
    if isinstance(node, OneOf):
        return f"{node.attribute}={_listed(node.values)}"
    if isinstance(node, Language):
        return f"{node.attribute}~{_listed(node.tags)}"
    if isinstance(node, Tagged):
        return f"{node.attribute}#{_listed(node.tags)}"
    if isinstance(node, Within):
        return f"{node.attribute}.{node.measure}{_listed(node.spans)}"
    return f"{node.attribute}!"


def _listed(values: frozenset[Any]) -> str:
    return json.dumps(sorted(values, key=repr))


#: Instants that are tried for a change; beyond that, the next one is returned untried.
TRIES = 32


def holds(resolved: Resolved, subject: Subject, now_ms: int) -> bool:
    """Whether a thread is on the list of the query."""
    return resolved.root.holds(subject, now_ms)


def next_change(
    resolved: Resolved, subject: Subject, now_ms: int, tries: int = TRIES
) -> int | None:
    """Returns the next instant after `now_ms` at which time alone changes the truth, or None.

    Exact, except for queries with more than `tries` thresholds ahead: then the instant may be
    before the change, and the caller must ask again at that instant.
    """
    instants = flips(resolved.leaves(), subject, now_ms)
    now_holds = holds(resolved, subject, now_ms)
    for at in instants[:tries]:
        if holds(resolved, subject, at) != now_holds:
            return at
    return instants[tries] if len(instants) > tries else None


def flips(leaves: Iterable[Leaf], subject: Subject, now_ms: int) -> list[int]:
    """Returns the instants after `now_ms`, in order, at which one of the leaves may change."""
    return sorted(
        {
            at
            for leaf in leaves
            if isinstance(leaf, Within)
            for at in _flips(leaf, subject)
            if at > now_ms
        }
    )


def _flips(leaf: Within, subject: Subject) -> set[int]:
    """Returns the instants at which a leaf may change its answer."""
    time_ms = value_of(subject, leaf.attribute)
    if time_ms is None:
        return set()
    instants = (reached_at(leaf.measure, time_ms, bound) for bound in leaf.bounds)
    return {at for at in instants if at is not None}
