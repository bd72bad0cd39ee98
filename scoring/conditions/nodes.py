"""A condition as a tree: leaves, each testing one attribute of a thread, and nodes joining them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from scoring.conditions.subject import Subject

#: The quantity that a span bounds: `since`, the time that has passed; `until`, the time that is
#: left; `instant`, the moment itself.
Measure = Literal["since", "until", "instant"]
#: [from, to) in milliseconds; None: without a bound.
Span = tuple[int | None, int | None]

#: Position of an attribute in a Subject: reading by it is twice as fast as by name.
POSITIONS = {name: at for at, name in enumerate(Subject._fields)}


def value_of(subject: Subject, attribute: str) -> Any:
    values: tuple[Any, ...] = subject
    return values[POSITIONS[attribute]]


@dataclass(frozen=True, slots=True)
class OneOf:
    """The value is one of these; None stands for a missing value."""

    attribute: str
    values: frozenset[Any]

    @property
    def wanted(self) -> frozenset[Any]:
        return self.values

    def keys(self, value: Any) -> Iterable[Any]:
        return (value,)

    def takes(self, value: Any) -> bool:
        return value in self.values

    def holds(self, subject: Subject, now_ms: int) -> bool:
        return value_of(subject, self.attribute) in self.values


@dataclass(frozen=True, slots=True)
class Present:
    """The attribute has a value."""

    attribute: str

    @property
    def wanted(self) -> frozenset[Any]:
        return frozenset({True})

    def keys(self, value: Any) -> Iterable[Any]:
        return (None if value is None else True,)

    def takes(self, value: Any) -> bool:
        return value is not None

    def holds(self, subject: Subject, now_ms: int) -> bool:
        return value_of(subject, self.attribute) is not None


@dataclass(frozen=True, slots=True)
class Language:
    """The language tag is one of these or a more exact one: `vi` accepts `vi` and `vi-VN`.

    `tags` are in lower case; None stands for a customer without a language.
    """

    attribute: str
    tags: frozenset[str | None]

    @property
    def wanted(self) -> frozenset[Any]:
        return self.tags

    def keys(self, value: str | None) -> Iterable[Any]:
        if value is None:
            return (None,)
        parts = value.lower().split("-")
        return ["-".join(parts[:count]) for count in range(1, len(parts) + 1)]

    def takes(self, value: str | None) -> bool:
        return any(key in self.tags for key in self.keys(value))

    def holds(self, subject: Subject, now_ms: int) -> bool:
        return self.takes(value_of(subject, self.attribute))


@dataclass(frozen=True, slots=True)
class Tagged:
    """The attribute is a set of texts, such as tags, and contains one of these; None stands for
    the empty set."""

    attribute: str
    tags: frozenset[str | None]

    @property
    def wanted(self) -> frozenset[Any]:
        return self.tags

    def keys(self, value: frozenset[str]) -> Iterable[Any]:
        return value or (None,)

    def takes(self, value: frozenset[str]) -> bool:
        return not self.tags.isdisjoint(value) or (not value and None in self.tags)

    def holds(self, subject: Subject, now_ms: int) -> bool:
        return self.takes(value_of(subject, self.attribute))


@dataclass(frozen=True, slots=True)
class Within:
    """The time exists, and its measured value lies in one of the spans."""

    attribute: str
    measure: Measure
    spans: frozenset[Span]

    def takes(self, value: int | None) -> bool:
        """Whether a span contains `value`, a result of `measured`; None (no time) is in no span."""
        return value is not None and any(
            (low is None or value >= low) and (high is None or value < high)
            for low, high in self.spans
        )

    def holds(self, subject: Subject, now_ms: int) -> bool:
        time_ms = value_of(subject, self.attribute)
        return time_ms is not None and self.takes(measured(self.measure, time_ms, now_ms))

    @property
    def bounds(self) -> set[int]:
        """The measured values, in milliseconds, at which the answer changes."""
        return {bound for span in self.spans for bound in span if bound is not None}


Leaf = OneOf | Present | Language | Tagged | Within


def measured(measure: Measure, time_ms: int, now_ms: int) -> int:
    """Returns the quantity that a span bounds, in milliseconds."""
    if measure == "since":
        return now_ms - time_ms
    return time_ms - now_ms if measure == "until" else time_ms


def reached_at(measure: Measure, time_ms: int, bound: int) -> int | None:
    """Returns the instant from which on the measured value has crossed a bound; None: never."""
    if measure == "since":
        return time_ms + bound
    return time_ms - bound + 1 if measure == "until" else None


@dataclass(frozen=True, slots=True)
class NotNode:
    node: "ResolvedNode"

    def holds(self, subject: Subject, now_ms: int) -> bool:
        return not self.node.holds(subject, now_ms)


@dataclass(frozen=True, slots=True)
class AllNode:
    """Each of the nodes holds; without nodes, it always holds."""

    nodes: tuple["ResolvedNode", ...]

    def holds(self, subject: Subject, now_ms: int) -> bool:
        return all(node.holds(subject, now_ms) for node in self.nodes)


@dataclass(frozen=True, slots=True)
class AnyNode:
    """One of the nodes holds."""

    nodes: tuple["ResolvedNode", ...]

    def holds(self, subject: Subject, now_ms: int) -> bool:
        return any(node.holds(subject, now_ms) for node in self.nodes)


ResolvedNode = Leaf | NotNode | AllNode | AnyNode
