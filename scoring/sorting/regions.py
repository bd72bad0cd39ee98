"""Which threads rules can place: sets of threads as boxes over the values that rules tell apart.

What rules leave over is decided exactly, as far as the values of a thread do not depend on each
other; of these dependences those are known that `_states` lists. Each tag, and each admin who is
mentioned, is a value of its own, unless no rule tells it apart from another one.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from scoring.conditions.conjuncts import Conjunct, Literal
from scoring.conditions.nodes import AllNode, AnyNode, Leaf, NotNode, ResolvedNode
from scoring.conditions.resolved import Resolved
from scoring.conditions.subject import SETS
from scoring.sorting.axes import (
    ANY,
    Axis,
    AxisName,
    axis_of,
    merged_tags,
    of_single_tags,
    truth,
)
from scoring.sorting.boxes import Box, Boxes

#: Operations on boxes that the rules of one sort may take (some tens of milliseconds).
OPERATIONS_MAX = 100_000

_TRUE_OR_FALSE = (False, True)
#: Attributes with an axis of their own in any case: what says whether a time is there, …
_ALWAYS = ("waiting_since", "closed_at", "first_request_at", "due_at", "assignee_id")
#: … and what depends on it.
_OF_STATES = ("closed", "answered", "unanswered")
#: What says whether a thread has a time, where that is not the time itself.
_TOLD_BY = {"assigned_at": "assignee_id"}


class TooManyRegions(Exception):
    """It would take more than OPERATIONS_MAX to decide what rules leave over."""


class Regions:
    """The threads for which the conditions of rules hold, one rule after the other.

    Each method raises TooManyRegions once all of them together have taken too many operations.
    """

    def __init__(self, whens: Sequence[Resolved]):
        self.operations = 0
        merged = merged_tags(leaf for when in whens for leaf in when.leaves())
        asked = {when: Resolved(of_single_tags(when.root, merged)) for when in whens}
        leaves: dict[AxisName, list[Leaf]]
        leaves = {(name, "value"): [] for name in (*_ALWAYS, *_OF_STATES)}
        for when in asked.values():
            for leaf in when.leaves():
                leaves.setdefault(axis_of(leaf), []).append(leaf)
        self._axes = {name: Axis(name, found) for name, found in leaves.items()}
        self._places = {name: at for at, name in enumerate(self._axes)}
        self._boxes = Boxes([axis.width for axis in self._axes.values()])
        self._threads = [self._box(state) for state in self._states()]
        self._left = self._threads
        self._asked = asked
        self._of_whens: dict[Resolved, list[Box]] = {}

    def take(self, when: Resolved) -> bool:
        """Whether there can be a thread for which this holds, and no condition before it; takes
        these threads away. Where the condition has more than 64 alternatives, that is not decided:
        true in doubt, and nothing is taken away."""
        if self._asked[when].conjuncts is None:
            return self._are_there(self._left, self._boxes_of(when))
        is_reached = False
        for taken in self._boxes_of(when):
            left: list[Box] = []
            self._count(len(self._left))
            for box in self._left:
                if not self._boxes.has_threads(box & taken):
                    left.append(box)
                    continue
                is_reached = True
                parts = self._boxes.without(box, taken)
                self._count(len(parts))
                left += parts
            self._left = left
        return is_reached

    @property
    def is_all_taken(self) -> bool:
        """Whether no thread can be left."""
        return not self._left

    def can_hold(self, when: Resolved) -> bool:
        """Whether there can be a thread for which this holds, whatever comes before it."""
        return self._are_there(self._threads, self._boxes_of(when))

    def can_lack(self, when: Resolved, time: str) -> bool:
        """Whether there can be a thread for which this holds and that lacks a time."""
        name = (_TOLD_BY.get(time, time), "value")
        if name not in self._axes:
            return False
        axis, missing = self._places[name], self._axes[name].where(False)
        lacking = [self._boxes.within(box, axis, missing) for box in self._threads]
        lacking = [box for box in lacking if self._boxes.has_threads(box)]
        return self._are_there(lacking, self._boxes_of(when))

    def _are_there(self, boxes: Sequence[Box], others: Sequence[Box]) -> bool:
        """Whether there are threads in both."""
        for other in others:
            self._count(len(boxes))
            if any(self._boxes.has_threads(box & other) for box in boxes):
                return True
        return False

    def _count(self, operations: int) -> None:
        self.operations += operations * self._boxes.cost
        if self.operations > OPERATIONS_MAX:
            raise TooManyRegions

    def _boxes_of(self, when: Resolved) -> list[Box]:
        """The threads for which a condition holds; more than those where it has more than 64
        alternatives."""
        if when not in self._of_whens:
            asked = self._asked[when]
            forms = asked.conjuncts
            if forms is None:
                parts = asked.root.nodes if isinstance(asked.root, AllNode) else ()
                forms = [frozenset(found for part in parts for found in _literal(part))]
            self._of_whens[when] = [self._of_conjunct(form) for form in forms]
        return self._of_whens[when]

    def _of_conjunct(self, form: Conjunct) -> Box:
        self._count(len(form))
        box = self._boxes.all
        for leaf, is_right in form:
            name = axis_of(leaf)
            cells = self._axes[name].mask(leaf, is_right)
            box = self._boxes.within(box, self._places[name], cells)
        return box

    def _box(self, masks: Mapping[AxisName, int]) -> Box:
        box = self._boxes.all
        for name, cells in masks.items():
            box = self._boxes.within(box, self._places[name], cells)
        return box

    def _states(self) -> Iterator[dict[AxisName, int]]:
        """What a thread can be at once: who waits has asked, in an open thread; a thread is due
        only where somebody waits; `unanswered` is who has asked and was never answered; there is a
        time of closing where a thread is closed, which is then not snoozed; who has no tag has none
        of those that are named, and so with every set."""
        for sets in product(*map(self._states_of_set, SETS)):
            of_sets = {name: mask for each in sets for name, mask in each.items()}
            yield from (state | of_sets for state in self._states_of_times())

    def _states_of_set(self, attribute: str) -> Iterator[dict[AxisName, int]]:
        is_any = (attribute, ANY)
        if is_any not in self._axes:
            yield {}
            return
        yield {is_any: truth(True)}
        yield {name: truth(False) for name in self._axes if name[0] == attribute}

    def _states_of_times(self) -> Iterator[dict[AxisName, int]]:
        for closed, answered, asked, waits, is_due in product(_TRUE_OR_FALSE, repeat=5):
            if (waits and (closed or not asked)) or (is_due and not waits):
                continue
            values = {
                "closed": truth(closed),
                "answered": truth(answered),
                "unanswered": truth(asked and not answered),
                "snoozed": truth(False) if closed else truth(False) | truth(True),
            }
            times = {
                "waiting_since": waits,
                "closed_at": closed,
                "first_request_at": asked,
                "due_at": is_due,
            }
            yield {
                (name, aspect): values[name] if name in values else axis.where(times[name])
                for (name, aspect), axis in self._axes.items()
                if name in values or name in times
            }


def _literal(node: ResolvedNode) -> list[Literal]:
    """A question, or that it must not hold; nothing where it is more than that."""
    inner, is_right = (node.node, False) if isinstance(node, NotNode) else (node, True)
    return [] if isinstance(inner, NotNode | AllNode | AnyNode) else [(inner, is_right)]
