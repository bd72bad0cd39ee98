"""Scores order threads as docs/requirements/ordering.md says; an impossible sort is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.composite import TIER_MAX, TIME_MAX_MS, ScoreError
from scoring.facts import Facts, ThreadEvent, fold
from scoring.sorting.resolved import RuleError, SortError, resolve_sort
from scoring.sorting.rules import Rule, Sort
from scoring.sorts import BUILT_IN, SORTS, scores
from tests.scoring import oracle
from tests.scoring.events import thread_facts

NAMES = list(SORTS)
#: The sorts that other programs rely on; more may be declared.
PUBLISHED = ["arrival", "longest_wait", "unanswered_first", "member_status", "priority", "next_due"]


def score(name: str, facts: Facts) -> int:
    return BUILT_IN[name].score(facts.subject(), 0)


def resolved(*rules: Rule):
    return resolve_sort(Sort("test", rules))


def test_the_published_sorts_are_there_in_their_order():
    assert [name for name in NAMES if name in PUBLISHED] == PUBLISHED


@given(st.lists(thread_facts(), min_size=2, max_size=8))
def test_packed_order_is_the_order_of_the_plain_tuples(threads):
    ids = range(len(threads))
    for name in NAMES:
        packed = [score(name, thread) for thread in threads]
        plain = [oracle.standing(name, thread) for thread in threads]
        by_score = sorted(ids, key=lambda id, of=packed: (of[id], id))
        assert by_score == sorted(ids, key=lambda id, of=plain: (of[id], id)), name
        assert len(set(packed)) == len(set(plain)), name


@pytest.mark.parametrize("name", NAMES)
@given(thread_facts())
def test_a_score_is_the_one_that_is_stored_and_is_explained(name, facts):
    """The scores of docs/requirements/ordering.md, because threads are stored with them."""
    tier, time = oracle.standing(name, facts)
    explanation = BUILT_IN[name].explain(facts.subject(), 0)
    newest_first = explanation.fact == "recent_at"
    stored = tier * 2**42 + (2**42 - 1 + time if newest_first else time)
    assert score(name, facts) == stored
    assert BUILT_IN[name].unpack(stored) == (tier, abs(time))
    explained = (explanation.tier, explanation.value, explanation.score)
    assert explained == (tier, abs(time), stored)
    if explanation.fact != "due_at":
        assert getattr(facts, explanation.fact) == abs(time)


@given(thread_facts())
def test_scores_come_in_the_order_of_the_sorts(facts):
    assert scores(facts) == tuple(score(name, facts) for name in NAMES)


@given(thread_facts(), thread_facts())
def test_without_targets_the_next_due_is_who_has_waited_longest(one, other):
    one, other = one._replace(due_at=None), other._replace(due_at=None)
    first, second = (score("next_due", facts) for facts in (one, other))
    waits = [score("longest_wait", facts) for facts in (one, other)]
    assert (first < second, first == second) == (waits[0] < waits[1], waits[0] == waits[1])


def test_a_thread_without_any_fact_has_its_place():
    assert len(scores(Facts())) == len(NAMES)


def test_a_follow_up_does_not_send_the_customer_back():
    waiting = [ThreadEvent("client", 100)]
    once, twice = fold(waiting), fold([*waiting, ThreadEvent("client", 200)])
    assert score("longest_wait", once) == score("longest_wait", twice)


def test_the_words_of_rules_are_those_that_explanations_have_always_used():
    names = {name: list(dict.fromkeys(rule.name for rule in SORTS[name].rules)) for name in NAMES}
    assert names == {
        "arrival": ["all"],
        "longest_wait": ["waiting", "not waiting"],
        "unanswered_first": ["never answered", "the rest"],
        "member_status": ["member status"],
        "priority": ["priority, waiting", "priority, not waiting"],
        "next_due": ["due", "waiting", "not waiting"],
    }


@pytest.mark.parametrize("tier", [TIER_MAX + 1, TIER_MAX - 2])
def test_a_rule_whose_tier_does_not_fit_is_refused_when_defined(tier):
    with pytest.raises(SortError, match="room for tiers 0 to 2047"):
        resolved(Rule("", "recent_at", "newest", "priority", tier=tier))


def test_the_last_tier_that_fits_is_taken():
    edge = resolved(Rule("", "recent_at", "oldest", tier=TIER_MAX))
    assert edge.score(Facts().subject(), 0) == TIER_MAX * 2**42
    assert (edge.tiers, edge.bits) == (1, 53)


def test_tiers_follow_each_other():
    sort = resolved(
        Rule("is:waiting", "waiting_since", "oldest", "member"),
        Rule("is:closed", "closed_at", "newest"),
        Rule("", "recent_at", "newest", "priority"),
    )
    assert [rule.tiers for rule in sort.rules] == [range(0, 7), range(7, 8), range(8, 12)]
    assert (sort.tiers, sort.bits) == (12, 46)


@pytest.mark.parametrize(
    "rules",
    [(), (Rule("", "recent_at", "newest", tier=3), Rule("", "recent_at", "newest", tier=3))],
    ids=["no rules", "overlapping tiers"],
)
def test_a_sort_that_cannot_be_is_refused_when_defined(rules):
    with pytest.raises(SortError):
        resolved(*rules)


@pytest.mark.parametrize(("when", "at"), [("is:opne", 5), ("assigned:me", 9), ("zzz", 0)])
def test_a_wrong_query_of_a_rule_is_told_with_its_place(when, at):
    with pytest.raises(RuleError) as refused:
        resolved(Rule("is:waiting", "recent_at", "oldest"), Rule(when, "recent_at", "newest"))
    assert (refused.value.rule, refused.value.error.at) == (1, at)


@pytest.mark.parametrize("order", ["oldest", "newest"])
@pytest.mark.parametrize("at", [-1, TIME_MAX_MS + 1])
def test_a_time_that_does_not_fit_into_a_score_is_refused(order, at):
    sort = resolved(Rule("", "created_at", order))
    with pytest.raises(ScoreError):
        sort.score(Facts(first_event_at=at).subject(), 0)
