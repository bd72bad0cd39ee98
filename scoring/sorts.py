"""The built-in sorts: rules as data, in the form of saved sorts."""

from collections.abc import Mapping

from scoring.conditions.subject import PRIORITIES, Subject
from scoring.facts import Facts
from scoring.sorting.resolved import ResolvedSort, resolve_sort
from scoring.sorting.rules import Rule, Sort

#: The tier of a customer who is not a member; members have 0 to 5.
_NOT_A_MEMBER = 10

#: In the order in which the page shows them. A rule with a given tier keeps scores as they were
#: stored; see docs/requirements/ordering.md.
_RULES: dict[str, tuple[Rule, ...]] = {
    "arrival": (Rule("", "recent_at", "newest", name="all"),),
    "longest_wait": (
        Rule("is:waiting", "waiting_since", "oldest", name="waiting"),
        Rule("", "recent_at", "newest", name="not waiting"),
    ),
    "unanswered_first": (
        Rule("is:unanswered", "first_request_at", "oldest", name="never answered"),
        Rule("", "recent_at", "newest", name="the rest"),
    ),
    "member_status": (
        Rule("-member:none", "recent_at", "newest", "member", name="member status"),
        Rule("", "recent_at", "newest", name="member status", tier=_NOT_A_MEMBER),
    ),
    "priority": tuple(
        rule
        for priority in PRIORITIES
        for rule in (
            Rule(
                f"priority:{priority} is:waiting",
                "waiting_since",
                "oldest",
                name="priority, waiting",
            ),
            Rule(f"priority:{priority}", "recent_at", "newest", name="priority, not waiting"),
        )
    ),
    "next_due": (
        Rule("(is:late or due:>0s)", "due_at", "oldest", name="due"),
        Rule("is:waiting", "waiting_since", "oldest", name="waiting"),
        Rule("", "recent_at", "newest", name="not waiting"),
    ),
}
#: Built-in sorts without stored scores, as saved sorts are.
_UNSTORED: dict[str, tuple[Rule, ...]] = {
    "soonest": (
        Rule("is:snoozed", "snoozed_until", "oldest", name="snoozed"),
        Rule("", "recent_at", "newest", name="not snoozed"),
    ),
}
#: The built-in sorts by name with scores that are stored in columns of threads.
SORTS: Mapping[str, Sort] = {name: Sort(name, rules) for name, rules in _RULES.items()}
#: A sort for reads that do not depend on one, such as the threads on a list.
ANY_SORT = next(iter(SORTS))
#: All built-in sorts, SORTS first.
BUILT_IN_SORTS: Mapping[str, Sort] = {
    **SORTS,
    **{name: Sort(name, rules) for name, rules in _UNSTORED.items()},
}
#: All built-in sorts, resolved: they give scores.
BUILT_IN: Mapping[str, ResolvedSort] = {
    name: resolve_sort(sort) for name, sort in BUILT_IN_SORTS.items()
}
# No clock may change a stored score.
assert all(BUILT_IN[name].is_timeless for name in SORTS)
_SCORES = tuple(BUILT_IN[name].score for name in SORTS)


def scores(facts: Facts) -> tuple[int, ...]:
    """Returns the thread's score in each of SORTS, in their order. Raises ScoreError."""
    return scores_of(facts.subject())


def scores_of(subject: Subject) -> tuple[int, ...]:
    """Does the same for the subject of the thread. Raises ScoreError."""
    return tuple([score(subject, 0) for score in _SCORES])
