"""Which threads rules can place: sets of threads as boxes over the values that rules tell apart.

On an axis, one value of a thread, all values that no question tells apart are one cell: the times
between two thresholds, or the sources that no rule names. A box is a set of cells on each axis. So
what rules leave over is decided exactly, as far as the values of a thread do not depend on each
other; of these dependences those are known that `_states` lists. Each tag, and each admin who
is mentioned, is a value of its own.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from scoring.conditions.conjuncts import Conjunct, Literal
from scoring.conditions.leaves import Language, Leaf, OneOf, Tagged, Within
from scoring.conditions.nodes import AllNode, AnyNode, NotNode, ResolvedNode
from scoring.conditions.resolved import Resolved
from scoring.conditions.subject import MEMBER_STATUSES, PRIORITIES

#: Comparisons of two boxes that the rules of one sort may take (some tenths of a second).
COMPARISONS_MAX = 100_000

#: A set of cells on each axis, as bits.
Box = tuple[int, ...]
#: An attribute of Subject, and how it is looked at: its value, or what is measured of a time.
AxisName = tuple[str, str]

_TRUE_OR_FALSE = (False, True)
#: All values of attributes that have few.
_DOMAINS: Mapping[str, Sequence[Any]] = {
    "closed": _TRUE_OR_FALSE,
    "answered": _TRUE_OR_FALSE,
    "unanswered": _TRUE_OR_FALSE,
    "snoozed": _TRUE_OR_FALSE,
    "priority": PRIORITIES,
    "member_status": MEMBER_STATUSES,
}
#: Attributes that are sets of texts.
_SETS = ("tags", "mentioned")
_NEVER_MISSING = {*_DOMAINS, "source", "first_event_at", *_SETS}
#: Stands for all values that no rule names; no language tag begins with it.
_ANOTHER = ""
#: Attributes with an axis of their own in any case: what says whether a time is there, …
_ALWAYS = ("waiting_since", "closed_at", "first_request_at", "due_at", "assignee_id")
#: … and what depends on it.
_OF_STATES = ("closed", "answered", "unanswered")
#: How a set is looked at, to know whether there is anything in it.
_ANY = "any"
#: What says whether a thread has a time, where that is not the time itself.
_TOLD_BY = {"assigned_at": "assignee_id"}


class _Axis:
    """The cells of one value: for each a value that stands for all that are in it."""

    def __init__(self, name: AxisName, leaves: Iterable[Leaf]):
        attribute, aspect = name
        self.cells: Sequence[Any]
        if attribute in _DOMAINS:
            self.cells = _DOMAINS[attribute]
        elif attribute in _SETS:
            [tag] = {tag for leaf in leaves if isinstance(leaf, Tagged) for tag in leaf.tags}
            self.cells = [frozenset(), frozenset({tag or _ANOTHER})]
        elif aspect == "value":
            self.cells = [*dict.fromkeys(_named(leaves)), _ANOTHER]
        else:
            bounds = sorted({b for leaf in leaves if isinstance(leaf, Within) for b in leaf.bounds})
            self.cells = [bounds[0] - 1, *bounds]
        if attribute not in _NEVER_MISSING:
            self.cells = [*self.cells, None]
        self.all = (1 << len(self.cells)) - 1

    def mask(self, literal: Literal) -> int:
        """The cells in which a question has this answer."""
        leaf, is_right = literal
        return sum(1 << at for at, value in enumerate(self.cells) if leaf.takes(value) == is_right)

    def where(self, is_there: bool) -> int:
        """The cells of a missing value, or all others."""
        return sum(1 << at for at, each in enumerate(self.cells) if (each is not None) == is_there)

    def of(self, value: Any) -> int:
        return 1 << self.cells.index(value)


class Regions:
    """The threads for which the conditions of rules hold, one rule after the other."""

    def __init__(self, whens: Sequence[Resolved]):
        self._asked = {when: Resolved(_of_single_tags(when.root)) for when in whens}
        leaves: dict[AxisName, list[Leaf]] = {(name, "value"): [] for name in _ALWAYS}
        leaves |= {(name, "value"): [] for name in _OF_STATES}
        for when in self._asked.values():
            for leaf in when.leaves():
                leaves.setdefault(_axis_of(leaf), []).append(leaf)
        self._axes = {name: _Axis(name, found) for name, found in leaves.items()}
        self._places = {name: at for at, name in enumerate(self._axes)}
        self._threads = [self._box(state) for state in self._states()]
        self._left = self._threads
        self._comparisons = 0

    def take(self, when: Resolved) -> bool:
        """Whether there can be a thread for which this holds, and no condition before it; takes
        these threads away. True, too, where that is not decided: with more than 64 alternatives,
        or too many comparisons."""
        taken = self._boxes(when)
        if self._is_too_much(taken):
            return True
        is_reached = any(_common(box, each) for box in self._left for each in taken)
        for each in taken if self._asked[when].conjuncts is not None else ():
            if self._is_too_much([each]):
                break
            self._left = [rest for box in self._left for rest in _without(box, each)]
        return is_reached

    @property
    def is_all_taken(self) -> bool:
        """Whether no thread can be left."""
        return not self._left

    def can_lack(self, when: Resolved, time: str) -> bool:
        """Whether there can be a thread for which this holds and that lacks a time."""
        name = (_TOLD_BY.get(time, time), "value")
        if name not in self._axes:
            return False
        lacks = self._box({name: self._axes[name].where(False)})
        found = (_common(box, lacks) for box in self._threads)
        lacking = [box for box in found if box is not None]
        return any(_common(box, each) for box in lacking for each in self._boxes(when))

    def _boxes(self, when: Resolved) -> list[Box]:
        """The threads for which a condition holds; more than those where it has more than 64
        alternatives."""
        asked = self._asked[when]
        forms = asked.conjuncts
        if forms is None:
            parts = asked.root.nodes if isinstance(asked.root, AllNode) else ()
            forms = [frozenset(found for part in parts for found in _literal(part))]
        return [self._of_conjunct(form) for form in forms]

    def _of_conjunct(self, form: Conjunct) -> Box:
        masks: dict[AxisName, int] = {}
        for literal in form:
            name = _axis_of(literal[0])
            masks[name] = masks.get(name, self._axes[name].all) & self._axes[name].mask(literal)
        return self._box(masks)

    def _box(self, masks: Mapping[AxisName, int]) -> Box:
        return tuple(masks.get(name, axis.all) for name, axis in self._axes.items())

    def _is_too_much(self, boxes: Sequence[Box]) -> bool:
        """Whether there is no room to compare what is left with these boxes; counts it."""
        self._comparisons += len(self._left) * len(boxes)
        return self._comparisons > COMPARISONS_MAX

    def _states(self) -> Iterator[dict[AxisName, int]]:
        """What a thread can be at once: who waits has asked, in an open thread; `unanswered` is who
        has asked and was never answered; there is a time of closing where a thread is closed; who
        has no tag has none of those that are named, and so with every set."""
        for sets in product(*map(self._states_of_set, _SETS)):
            of_sets = {name: mask for each in sets for name, mask in each.items()}
            yield from (state | of_sets for state in self._states_of_times())

    def _states_of_set(self, attribute: str) -> Iterator[dict[AxisName, int]]:
        is_any = (attribute, _ANY)
        if is_any not in self._axes:
            yield {}
            return
        yield {is_any: self._axes[is_any].of(frozenset({_ANOTHER}))}
        names = [name for name in self._axes if name[0] == attribute]
        yield {name: self._axes[name].of(frozenset()) for name in names}

    def _states_of_times(self) -> Iterator[dict[AxisName, int]]:
        for closed, answered, asked, waits, is_due in product(_TRUE_OR_FALSE, repeat=5):
            if waits and (closed or not asked):
                continue
            values = {
                "closed": closed,
                "answered": answered,
                "unanswered": asked and not answered,
            }
            times = {
                "waiting_since": waits,
                "closed_at": closed,
                "first_request_at": asked,
                "due_at": is_due,
            }
            yield {
                (name, aspect): axis.of(values[name]) if name in values else axis.where(times[name])
                for (name, aspect), axis in self._axes.items()
                if name in values or name in times
            }


def _of_single_tags(node: ResolvedNode) -> ResolvedNode:
    """The same condition, in which each question about tags asks for one of them."""
    if isinstance(node, NotNode):
        return NotNode(_of_single_tags(node.node))
    if isinstance(node, AllNode | AnyNode):
        return type(node)(tuple(map(_of_single_tags, node.nodes)))
    if isinstance(node, Tagged) and len(node.tags) > 1:
        tags = sorted(node.tags, key=repr)
        return AnyNode(tuple(Tagged(node.attribute, frozenset({tag})) for tag in tags))
    return node


def _axis_of(leaf: Leaf) -> AxisName:
    if isinstance(leaf, Tagged):
        [tag] = leaf.tags
        return leaf.attribute, _ANY if tag is None else f"#{tag}"
    return leaf.attribute, leaf.measure if isinstance(leaf, Within) else "value"


def _named(leaves: Iterable[Leaf]) -> Iterator[Any]:
    """The values that questions name."""
    for leaf in leaves:
        if isinstance(leaf, OneOf | Language):
            values = leaf.values if isinstance(leaf, OneOf) else leaf.tags
            yield from sorted((each for each in values if each is not None), key=repr)


def _literal(node: ResolvedNode) -> list[Literal]:
    """A question, or that it must not hold; nothing where it is more than that."""
    inner, is_right = (node.node, False) if isinstance(node, NotNode) else (node, True)
    return [] if isinstance(inner, NotNode | AllNode | AnyNode) else [(inner, is_right)]


def _common(one: Box, other: Box) -> Box | None:
    """What two boxes have in common; None where that is nothing."""
    found = tuple(a & b for a, b in zip(one, other, strict=True))
    return found if all(found) else None


def _without(box: Box, taken: Box) -> Iterator[Box]:
    """The parts of a box that are not in another one."""
    common = _common(box, taken)
    if common is None:
        yield box
        return
    for at, (cells, cut) in enumerate(zip(box, taken, strict=True)):
        if cells & ~cut:
            yield (*common[:at], cells & ~cut, *box[at + 1 :])
