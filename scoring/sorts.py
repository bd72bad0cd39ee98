"""The five sorts, each declared as the rules that place a thread."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from scoring.composite import Direction, check_tier, pack, tier_of, unpack
from scoring.facts import Facts

#: The most urgent first; the tier of a priority is its place here.
PRIORITIES = ("urgent", "high", "normal", "low")
#: What `member_status` may be: 0 to 5 for members, -1 for who is none.
MEMBER_STATUSES = (-1, 0, 1, 2, 3, 4, 5)
NOT_A_MEMBER_TIER = 10
#: The facts that a sort may order by.
_TIMES = frozenset({"recent_at", "waiting_since", "first_call_at"})


class SortError(ValueError):
    """A sort that cannot be: its tiers do not fit, overlap, or leave a thread without a place."""


class Order(NamedTuple):
    """The order inside a tier: by which fact, a time in milliseconds, and which way."""

    direction: Direction
    by: str


def oldest(by: str) -> Order:
    return Order("oldest", by)


def newest(by: str) -> Order:
    return Order("newest", by)


@dataclass(frozen=True)
class Rule:
    """One kind of place in a sort: which tiers, and the order inside a tier.

    `when` says which threads it places (the first rule that does wins), `tier` computes one of
    `tiers` where there are several.
    """

    name: str
    tiers: tuple[int, ...]
    order: Order
    when: Callable[[Facts], bool] = lambda facts: True
    tier: Callable[[Facts], int] | None = None

    def __post_init__(self) -> None:
        if not self.tiers:
            raise SortError(f"rule “{self.name}” has no tier")
        for tier in self.tiers:
            check_tier(tier)
        if self.tier is None and len(self.tiers) > 1:
            raise SortError(f"rule “{self.name}” has several tiers and no way to choose one")
        if self.order.by not in _TIMES:
            raise SortError(f"rule “{self.name}” is by {self.order.by}, no time of a thread")

    def place(self, facts: Facts) -> tuple[int, int]:
        """(tier, time_ms) of a thread that this rule places."""
        tier = self.tiers[0] if self.tier is None else self.tier(facts)
        if tier not in self.tiers:
            raise SortError(f"rule “{self.name}” gave tier {tier}, which it does not declare")
        return tier, getattr(facts, self.order.by)


@dataclass(frozen=True)
class Standing:
    """Why a thread stands where it stands: the rule, its tier, the fact and its value in ms."""

    rule: str
    tier: int
    fact: str
    value: int
    score: int


class Sort:
    """An order of threads. Raises SortError or ScoreError when declared wrongly."""

    def __init__(self, name: str, *rules: Rule):
        tiers = [tier for rule in rules for tier in rule.tiers]
        if not rules or len(tiers) != len(set(tiers)):
            raise SortError(f"sort “{name}” needs rules whose tiers do not overlap")
        self.name = name
        self.rules = rules
        self._directions = {tier: rule.order.direction for rule in rules for tier in rule.tiers}

    def score(self, facts: Facts) -> int:
        """The thread's place as one integer below 2^53; the lower, the higher up."""
        rule = self._rule(facts)
        return pack(*rule.place(facts), rule.order.direction)

    def explain(self, facts: Facts) -> Standing:
        """The score and what it was computed from."""
        rule = self._rule(facts)
        tier, value = rule.place(facts)
        return Standing(
            rule.name, tier, rule.order.by, value, pack(tier, value, rule.order.direction)
        )

    def unpack(self, score: int) -> tuple[int, int]:
        """(tier, time_ms) of one of this sort's scores."""
        tier = tier_of(score)
        if tier not in self._directions:
            raise SortError(f"sort “{self.name}” has no tier {tier}")
        return unpack(score, self._directions[tier])

    def _rule(self, facts: Facts) -> Rule:
        for rule in self.rules:
            if rule.when(facts):
                return rule
        raise SortError(f"sort “{self.name}” has no rule for {facts}")


def is_waiting(facts: Facts) -> bool:
    return facts.waiting_since is not None


def is_never_answered(facts: Facts) -> bool:
    return not facts.answered and facts.first_call_at is not None


def member_tier(facts: Facts) -> int:
    return NOT_A_MEMBER_TIER if facts.member_status == -1 else facts.member_status


def priority_tier(facts: Facts) -> int:
    return 2 * PRIORITIES.index(facts.priority) + (not is_waiting(facts))


#: The sorts in the order in which the lists show them.
SORTS: dict[str, Sort] = {
    sort.name: sort
    for sort in (
        Sort(
            "arrival",
            Rule("all", (0,), newest("recent_at")),
        ),
        Sort(
            "longest_wait",
            Rule("waiting", (0,), oldest("waiting_since"), when=is_waiting),
            Rule("not waiting", (1,), newest("recent_at")),
        ),
        Sort(
            "unanswered_first",
            Rule("never answered", (0,), oldest("first_call_at"), when=is_never_answered),
            Rule("the rest", (1,), newest("recent_at")),
        ),
        Sort(
            "member_status",
            Rule(
                "member status",
                (0, 1, 2, 3, 4, 5, NOT_A_MEMBER_TIER),
                newest("recent_at"),
                tier=member_tier,
            ),
        ),
        Sort(
            "priority",
            Rule(
                "priority, waiting",
                (0, 2, 4, 6),
                oldest("waiting_since"),
                when=is_waiting,
                tier=priority_tier,
            ),
            Rule(
                "priority, not waiting",
                (1, 3, 5, 7),
                newest("recent_at"),
                tier=priority_tier,
            ),
        ),
    )
}


def scores(facts: Facts, sorts: Iterable[Sort] | None = None) -> tuple[int, ...]:
    """The thread's score in each sort, in the order of SORTS."""
    return tuple(sort.score(facts) for sort in (SORTS.values() if sorts is None else sorts))
