"""Queries as alternatives of conjunctions (disjunctive normal form), and their cost."""

from collections.abc import Collection, Iterator
from typing import NamedTuple

from scoring.conditions.nodes import AllNode, AnyNode, Leaf, NotNode, ResolvedNode

#: A query with more alternatives has no normal form.
CONJUNCTS_MAX = 64
#: Maximum number of combinations that one step may try.
_PRODUCT_MAX = 256
#: Bits 0, 2, 4, … of more conditions than a text of 1,000 characters can hold.
_EVEN_BITS = int("01" * 1_000, 2)

#: A condition, and whether it must hold or must not.
Literal = tuple[Leaf, bool]
#: Literals that must be right together; an empty conjunct is always right.
Conjunct = frozenset[Literal]


class NormalForm(NamedTuple):
    """A query holds if one of these conjunctions does; `is_negated`: if none of them does."""

    conjuncts: Collection[Conjunct]
    is_negated: bool

    @property
    def conditions(self) -> int:
        """The conditions of all conjunctions, and at least one for each."""
        return sum(max(1, len(conjunct)) for conjunct in self.conjuncts)


def normal_form(root: ResolvedNode) -> NormalForm | None:
    """Returns the form with fewer conditions: the alternatives of the query, or of its negation;
    the latter are few if a query combines many groups of alternatives.

    None if both would take more than 64 alternatives.
    """
    forms = [
        NormalForm(alternatives, is_negated)
        for is_negated in (False, True)
        if (alternatives := conjuncts(NotNode(root) if is_negated else root)) is not None
    ]
    return min(forms, key=lambda form: form.conditions, default=None)


def conjuncts(root: ResolvedNode) -> list[Conjunct] | None:
    """Returns conjunctions; the query holds if one of them does. Empty: it never holds.

    Returns None if it would take more than 64 conjunctions.
    """
    leaves: dict[Leaf, int] = {}
    try:
        masks = _alternatives(root, True, leaves)
    except _TooMany:
        return None
    needed = [one for one in masks if not any(other != one == one | other for other in masks)]
    return [frozenset(_literals(one, leaves)) for one in sorted(needed)]


class _TooMany(Exception):
    """There would be too many alternatives."""


def _alternatives(node: ResolvedNode, is_right: bool, leaves: dict[Leaf, int]) -> set[int]:
    """Returns each alternative as an integer: for the n-th condition, bit 2n says that it must
    hold, and bit 2n + 1 that it must not."""
    if isinstance(node, NotNode):
        return _alternatives(node.node, not is_right, leaves)
    if not isinstance(node, AllNode | AnyNode):
        return {1 << 2 * leaves.setdefault(node, len(leaves)) + (not is_right)}
    parts = [_alternatives(child, is_right, leaves) for child in node.nodes]
    # “Not all” means that one of them does not hold, and the other way round.
    if isinstance(node, AnyNode) == is_right:
        return _limited(set().union(*parts))
    masks = {0}
    for part in parts:
        if len(masks) * len(part) > _PRODUCT_MAX:
            raise _TooMany
        both = {one | other for one in masks for other in part}
        masks = _limited({one for one in both if not _contradicts_itself(one)})
    return masks


def _limited(masks: set[int]) -> set[int]:
    if len(masks) > CONJUNCTS_MAX:
        raise _TooMany
    return masks


def _contradicts_itself(alternative: int) -> bool:
    return alternative & alternative >> 1 & _EVEN_BITS != 0


def _literals(alternative: int, leaves: dict[Leaf, int]) -> Iterator[Literal]:
    for leaf, number in leaves.items():
        for bit, is_right in ((2 * number, True), (2 * number + 1, False)):
            if alternative >> bit & 1:
                yield leaf, is_right
