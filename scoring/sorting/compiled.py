"""Compiles the rules of a sort to one plain Python function.

It runs for each event and each sort; walking through conditions and tuples would cost ten times as
much. Names and texts of rules never become source code: values are in the function's namespace.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from scoring.composite import TIME_BITS, TIME_MAX_MS, Direction, pack
from scoring.conditions.nodes import (
    POSITIONS,
    AllNode,
    AnyNode,
    NotNode,
    OneOf,
    Present,
    ResolvedNode,
)
from scoring.conditions.resolved import Resolved
from scoring.conditions.subject import Subject
from scoring.sorting.rules import SPLITS, TIMES, By, Split

#: Returns the score of a thread at an instant in milliseconds.
Score = Callable[[Subject, int], int]


class ResolvedRule(NamedTuple):
    """A rule with ids and instants in its conditions, and its first tier."""

    when: Resolved
    by: By
    order: Direction
    split: Split | None
    tier: int
    name: str

    @property
    def tiers(self) -> range:
        """The tiers that it fills: one, or one for each value of its split."""
        return range(self.tier, self.tier + (len(SPLITS[self.split][1]) if self.split else 1))

    def tier_of(self, subject: Subject) -> int:
        """Returns the tier of a thread that this rule places."""
        if self.split is None:
            return self.tier
        attribute, values = SPLITS[self.split]
        return self.tier + values.index(getattr(subject, attribute))

    def time_of(self, subject: Subject) -> int:
        """Returns the time that the rule orders a thread by; 0 if there is none."""
        times = (getattr(subject, name) for name in TIMES[self.by])
        return next((at for at in times if at is not None), 0)


def compiled(rules: Sequence[ResolvedRule]) -> Score:
    """Returns the function that gives a thread its score. The last rule takes all other threads.

    The function raises ScoreError for a time out of range.
    """
    source = _Source()
    for rule in rules[:-1]:
        source.add_rule(rule, source.condition(rule.when.root))
    source.add_rule(rules[-1], "True")
    return source.function()


class _Source:
    """The lines of the function, and the values that they name. `s` is a Subject as a tuple."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._values: dict[str, Any] = {"pack": pack}

    def add_rule(self, rule: ResolvedRule, condition: str) -> None:
        first, *others = (f"s[{POSITIONS[name]}]" for name in TIMES[rule.by])
        base = TIME_MAX_MS if rule.order == "newest" else 0
        sign = "-" if rule.order == "newest" else "+"
        self._lines += [f"if {condition}:", f" t = {first}"]
        for other in (*others, "0"):
            self._lines.append(f" if t is None: t = {other}")
        if rule.split is None:
            start = str((rule.tier << TIME_BITS) + base)
        else:
            attribute, values = SPLITS[rule.split]
            starts = {
                value: (tier << TIME_BITS) + base
                for value, tier in zip(values, rule.tiers, strict=True)
            }
            start = f"{self._named(starts)}[s[{POSITIONS[attribute]}]]"
        self._lines += [
            f" if 0 <= t <= {TIME_MAX_MS}: return {start} {sign} t",
            f" return pack({rule.tier}, t, {rule.order!r})",
        ]

    def condition(self, node: ResolvedNode) -> str:
        """Returns an expression that is true if the condition holds."""
        if isinstance(node, NotNode):
            return f"(not {self.condition(node.node)})"
        if isinstance(node, AllNode | AnyNode):
            parts = [self.condition(child) for child in node.nodes]
            if not parts:
                return str(isinstance(node, AllNode))
            return f"({(' and ' if isinstance(node, AllNode) else ' or ').join(parts)})"
        if isinstance(node, Present):
            return f"s[{POSITIONS[node.attribute]}] is not None"
        if isinstance(node, OneOf):
            value = f"s[{POSITIONS[node.attribute]}]"
            if len(node.values) > 1:
                return f"{value} in {self._named(node.values)}"
            [only] = node.values
            if isinstance(only, bool):
                return value if only else f"not {value}"
            return f"{value} {'is' if only is None else '=='} {self._named(only)}"
        return f"{self._named(node)}.holds(s, now)"

    def function(self) -> Score:
        body = "\n ".join(self._lines)
        exec(f"def score(s, now):\n {body}", self._values)
        score: Score = self._values["score"]
        return score

    def _named(self, value: Any) -> str:
        if value is None or isinstance(value, int):
            return repr(value)
        name = f"v{len(self._values)}"
        self._values[name] = value
        return name
