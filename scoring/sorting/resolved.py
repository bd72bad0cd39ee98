"""A resolved sort, which gives scores: rules with ids and instants, and their tiers."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, tzinfo
from functools import cached_property, lru_cache

from scoring.composite import TIER_MAX, TIME_BITS, pack, tier_of, unpack
from scoring.conditions.language.parser import parse
from scoring.conditions.language.query import QueryError
from scoring.conditions.nodes import AllNode, AnyNode, Leaf, NotNode, Present, ResolvedNode, Within
from scoring.conditions.resolve import AdminIdOf, joined, resolve
from scoring.conditions.resolved import TRIES, Resolved, flips
from scoring.conditions.subject import Subject
from scoring.sorting.compiled import ResolvedRule, Score, compiled
from scoring.sorting.rules import SPLITS, TIMES, Rule, Sort

_GROUPS = (NotNode, AllNode, AnyNode)


class SortError(ValueError):
    """An impossible sort: without a rule, or with tiers that overlap or do not fit."""


class RuleError(ValueError):
    """A wrong query in a rule: the number of the rule, from 0, and the error of the query."""

    def __init__(self, rule: int, error: QueryError):
        super().__init__(f"rule {rule}: {error}")
        self.rule = rule
        self.error = error


@dataclass(frozen=True)
class ScoreExplanation:
    """The origin of a score: the rule, its tier, the time that it orders by, its value in ms."""

    rule: str
    tier: int
    fact: str
    value: int
    score: int


class ResolvedSort:
    """The rules of a sort that order threads. Raises SortError if tiers overlap or do not fit."""

    def __init__(self, rules: Sequence[ResolvedRule]):
        tiers = [tier for rule in rules for tier in rule.tiers]
        if not rules or len(tiers) != len(set(tiers)):
            raise SortError("a sort needs rules whose tiers do not overlap")
        if max(tiers) > TIER_MAX:
            raise SortError(f"a score has room for tiers 0 to {TIER_MAX}, not for {max(tiers)}")
        self.rules = tuple(rules)
        self._directions = {tier: rule.order for rule in rules for tier in rule.tiers}
        #: The score of a thread at an instant: an integer below 2^53, the lower the higher up.
        #: Raises ScoreError for a time out of range.
        self.score: Score = compiled(self.rules)

    @property
    def tiers(self) -> int:
        """The number of its tiers."""
        return len(self._directions)

    @property
    def bits(self) -> int:
        """The bits that its highest score takes; there are 53."""
        return TIME_BITS + max(self._directions).bit_length()

    @cached_property
    def key(self) -> str:
        """A text that is equal for sorts that give each thread the same score for ever."""
        return json.dumps(
            [[rule.when.key, rule.by, rule.order, rule.split, rule.tier] for rule in self.rules]
        )

    @cached_property
    def is_timeless(self) -> bool:
        """Whether no score changes by time alone."""
        return all(rule.when.is_timeless for rule in self.rules)

    @cached_property
    def attributes(self) -> frozenset[str]:
        """The attributes of Subject that it reads."""
        names = {leaf.attribute for leaf in self.leaves()}
        for rule in self.rules:
            names.update(TIMES[rule.by])
            if rule.split is not None:
                names.add(SPLITS[rule.split][0])
        return frozenset(names)

    def leaves(self) -> Iterator[Leaf]:
        """Yields every leaf of the conditions of its rules."""
        for rule in self.rules:
            yield from rule.when.leaves()

    def rule_of(self, subject: Subject, now_ms: int) -> ResolvedRule:
        """Returns the rule that places a thread."""
        for rule in self.rules[:-1]:
            if rule.when.root.holds(subject, now_ms):
                return rule
        return self.rules[-1]

    def explain(self, subject: Subject, now_ms: int) -> ScoreExplanation:
        """Returns the score with its origin."""
        rule = self.rule_of(subject, now_ms)
        tier, value = rule.tier_of(subject), rule.time_of(subject)
        return ScoreExplanation(rule.name, tier, rule.by, value, pack(tier, value, rule.order))

    def unpack(self, score: int) -> tuple[int, int]:
        """Returns (tier, time_ms) of a score. Raises SortError for a tier that the sort lacks."""
        tier = tier_of(score)
        if tier not in self._directions:
            raise SortError(f"there is no tier {tier}")
        return unpack(score, self._directions[tier])

    def next_change(self, subject: Subject, now_ms: int) -> int | None:
        """Returns the next instant after `now_ms` at which time alone changes the score, or None.

        With more than 32 thresholds ahead the instant may be earlier: then ask again at it.
        """
        if self.is_timeless:
            return None
        instants = flips(self.leaves(), subject, now_ms)
        score = self.score(subject, now_ms)
        for at in instants[:TRIES]:
            if self.score(subject, at) != score:
                return at
        return instants[TRIES] if len(instants) > TRIES else None


def resolve_sort(
    sort: Sort, admin_id_of: AdminIdOf = lambda email: None, timezone: tzinfo = UTC
) -> ResolvedSort:
    """Resolves the sort, so that it gives scores; see `resolve`. Raises RuleError and SortError."""
    rules: list[ResolvedRule] = []
    next_tier = 0
    for at, rule in enumerate(sort.rules):
        try:
            when = resolved_when(rule, admin_id_of, timezone)
        except QueryError as error:
            raise RuleError(at, error) from error
        tier = next_tier if rule.tier is None else rule.tier
        name = rule.name or rule.when.strip()
        rules.append(ResolvedRule(when, rule.by, rule.order, rule.split, tier, name))
        next_tier = rules[-1].tiers.stop
    return _resolved_sort(tuple(rules))


#: Compiling takes some milliseconds, and the same sorts are resolved again and again.
_resolved_sort = lru_cache(maxsize=512)(ResolvedSort)
_parsed = lru_cache(maxsize=4_096)(parse)


def resolved_when(rule: Rule, admin_id_of: AdminIdOf, timezone: tzinfo) -> Resolved:
    """Resolves the condition of a rule; `me` is wrong in it. Raises QueryError."""
    return Resolved(_settled(resolve(_parsed(rule.when), None, admin_id_of, timezone).root))


def _settled(node: ResolvedNode) -> ResolvedNode:
    """Returns the same condition, without the clock where that makes no difference: a thread that
    is late or due is one that has a due time at all."""
    if isinstance(node, NotNode):
        return NotNode(_settled(node.node))
    if isinstance(node, AllNode):
        return AllNode(tuple(map(_settled, node.nodes)))
    if isinstance(node, AnyNode):
        groups = [child for child in node.nodes if isinstance(child, _GROUPS)]
        leaves = joined(child for child in node.nodes if not isinstance(child, _GROUPS))
        nodes = tuple(map(_settled, [*leaves, *groups]))
        return nodes[0] if len(nodes) == 1 else AnyNode(nodes)
    return Present(node.attribute) if isinstance(node, Within) and _is_whole(node) else node


def _is_whole(leaf: Within) -> bool:
    """Whether the spans together cover all times."""
    ends = [high for low, high in leaf.spans if low is None]
    if None in ends:
        return True
    reached = max((end for end in ends if end is not None), default=None)
    while reached is not None:
        ends = [high for low, high in leaf.spans if low is not None and low <= reached]
        if None in ends:
            return True
        further = max((end for end in ends if end is not None), default=reached)
        reached = further if further > reached else None
    return False
