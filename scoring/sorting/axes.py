"""What conditions tell apart of one value of a thread: cells, and the cells of each question.

On an axis, one value of a thread, all values that no question tells apart are one cell: the times
between two thresholds, the sources that no rule names, the tags that rules only name together.
Cells are bits, and what is computed here takes time in proportion to the length of the conditions.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scoring.conditions.nodes import (
    AllNode,
    AnyNode,
    Language,
    Leaf,
    NotNode,
    OneOf,
    Present,
    ResolvedNode,
    Tagged,
    Within,
)
from scoring.conditions.subject import ATTRIBUTES, SETS

#: An attribute of Subject, and how it is looked at: its value, or what is measured of a time.
AxisName = tuple[str, str]

#: How a set is looked at, to know whether there is anything in it.
ANY = "any"

_TRUE_OR_FALSE = (False, True)


class Axis:
    """The cells of one value. `width` is their number."""

    def __init__(self, name: AxisName, leaves: Iterable[Leaf]):
        attribute, aspect = name
        asked = list(dict.fromkeys(leaves))
        self.width, self._masks = _cells(attribute, aspect, asked)
        self._missing = 0
        if ATTRIBUTES[attribute].may_be_missing:
            self._missing = 1 << self.width
            self.width += 1
        self.all = (1 << self.width) - 1
        for leaf in asked:
            if isinstance(leaf, Present):
                self._masks[leaf] = self.where(True)
            elif self._missing and not isinstance(leaf, Tagged) and leaf.takes(None):
                self._masks[leaf] |= self._missing

    def mask(self, leaf: Leaf, is_right: bool) -> int:
        """The cells in which a question has this answer."""
        return self._masks[leaf] if is_right else self.all ^ self._masks[leaf]

    def where(self, is_there: bool) -> int:
        """The cells of a missing value, or all others."""
        return self.all ^ self._missing if is_there else self._missing


def truth(is_true: bool) -> int:
    """The cell of what is true or false, and of a set that has something in it or not."""
    return 1 << _TRUE_OR_FALSE.index(is_true)


def axis_of(leaf: Leaf) -> AxisName:
    """The axis that a question is about; one about a set asks for a single element."""
    if isinstance(leaf, Tagged):
        [tag] = leaf.tags
        return leaf.attribute, ANY if tag is None else f"#{tag}"
    return leaf.attribute, leaf.measure if isinstance(leaf, Within) else "value"


def of_single_tags(node: ResolvedNode, merged: Mapping[str, Mapping[str, str]]) -> ResolvedNode:
    """The same condition, in which each question about a set asks for one element alone: for the
    one that stands for several where no condition tells these apart."""
    if isinstance(node, NotNode):
        return NotNode(of_single_tags(node.node, merged))
    if isinstance(node, AllNode | AnyNode):
        return type(node)(tuple(of_single_tags(each, merged) for each in node.nodes))
    if not isinstance(node, Tagged):
        return node
    stands_for = merged[node.attribute]
    tags = {None if tag is None else stands_for[tag] for tag in node.tags}
    single = [Tagged(node.attribute, frozenset({tag})) for tag in sorted(tags, key=repr)]
    return single[0] if len(single) == 1 else AnyNode(tuple(single))


def merged_tags(leaves: Iterable[Leaf]) -> dict[str, dict[str, str]]:
    """For each set, its named elements to the one that stands for all that no question tells
    apart: to have any of these is all that is asked of them."""
    asked: dict[str, list[Leaf]] = {attribute: [] for attribute in SETS}
    for leaf in dict.fromkeys(leaves):
        if isinstance(leaf, Tagged):
            asked[leaf.attribute].append(leaf)
    return {
        attribute: {tag: tags[0] for tags in _told_apart(found).values() for tag in tags}
        for attribute, found in asked.items()
    }


def _cells(attribute: str, aspect: str, leaves: Sequence[Leaf]) -> tuple[int, dict[Leaf, int]]:
    """The number of cells without that of the missing value, and those of each question."""
    if values := ATTRIBUTES[attribute].values:
        return _cells_of_domain(values, leaves)
    if attribute in SETS:
        return 2, dict.fromkeys(leaves, truth(aspect != ANY))
    if aspect != "value":
        return _cells_of_times([leaf for leaf in leaves if isinstance(leaf, Within)])
    told_apart = _told_apart(leaves)
    masks = dict.fromkeys(leaves, 0)
    for cell, numbers in enumerate(told_apart):
        for number in numbers:
            masks[leaves[number]] |= 1 << cell
    # One more stands for all values that no question names.
    return len(told_apart) + 1, masks


def _cells_of_domain(values: Sequence[Any], leaves: Iterable[Leaf]) -> tuple[int, dict[Leaf, int]]:
    masks = {
        leaf: sum(1 << cell for cell, value in enumerate(values) if leaf.takes(value))
        for leaf in leaves
    }
    return len(values), masks


def _cells_of_times(leaves: Sequence[Within]) -> tuple[int, dict[Leaf, int]]:
    """Cell 0 ends at the first bound; one begins at each."""
    bounds = sorted({bound for leaf in leaves for bound in leaf.bounds})
    cells = {bound: cell for cell, bound in enumerate(bounds, start=1)}
    masks: dict[Leaf, int] = {}
    for leaf in leaves:
        masks[leaf] = 0
        for low, high in leaf.spans:
            first = 0 if low is None else cells[low]
            end = len(bounds) + 1 if high is None else cells[high]
            masks[leaf] |= (1 << max(first, end)) - (1 << first)
    return len(bounds) + 1, masks


def _told_apart(leaves: Sequence[Leaf]) -> dict[tuple[int, ...], list[Any]]:
    """The values that questions name, by the numbers of the questions that take them."""
    numbers_of: dict[Any, list[int]] = defaultdict(list)
    for number, leaf in enumerate(leaves):
        for value in _named(leaf):
            numbers_of[value].append(number)
    found: dict[tuple[int, ...], list[Any]] = defaultdict(list)
    is_of_languages = any(isinstance(leaf, Language) for leaf in leaves)
    # In order: what is computed must not take more comparisons in one process than in another.
    for value in sorted(numbers_of, key=repr):
        forms = _less_exact(value) if is_of_languages else [value]
        numbers = {number for form in forms for number in numbers_of.get(form, ())}
        found[tuple(sorted(numbers))].append(value)
    return found


def _named(leaf: Leaf) -> list[Any]:
    if isinstance(leaf, OneOf):
        return [value for value in leaf.values if value is not None]
    if isinstance(leaf, Language | Tagged):
        return [tag for tag in leaf.tags if tag is not None]
    return []


def _less_exact(language: str) -> list[str]:
    """A language tag, and those that take it: `vi` takes `vi-VN`."""
    parts = language.split("-")
    return ["-".join(parts[:count]) for count in range(1, len(parts) + 1)]
