"""Queries with ids and instants in place of `me`, addresses and days: the input of readers."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from scoring.conditions.axes import Requirements, requirements_of
from scoring.conditions.conjuncts import (
    CONJUNCTS_MAX,
    Conjunct,
    NormalForm,
    conjuncts,
    normal_form,
)
from scoring.conditions.cost import Moment, moments
from scoring.conditions.leaves import Language, Leaf, OneOf, Tagged, Within
from scoring.conditions.nodes import AllNode, AnyNode, NotNode, ResolvedNode


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
        """Whether its truth never changes by time alone."""
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
        for each in node.nodes:
            yield from _leaves(each)
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
