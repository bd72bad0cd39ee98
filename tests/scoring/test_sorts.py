"""Scores order threads as the contract's table does; a sort that cannot be is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.composite import TIER_MAX, ScoreError
from scoring.facts import Facts, ThreadEvent, fold
from scoring.sorts import SORTS, Rule, Sort, SortError, newest, oldest, scores
from tests.scoring import oracle
from tests.scoring.events import thread_facts

NAMES = ["arrival", "longest_wait", "unanswered_first", "member_status", "priority"]


def test_there_are_five_sorts_in_their_order():
    assert list(SORTS) == NAMES


@pytest.mark.parametrize("name", NAMES)
@given(st.lists(thread_facts(), min_size=2, max_size=8))
def test_packed_order_is_the_order_of_the_plain_tuples(name, threads):
    ids = range(len(threads))
    packed = sorted(ids, key=lambda id: (SORTS[name].score(threads[id]), id))
    plain = sorted(ids, key=lambda id: (oracle.standing(name, threads[id]), id))
    assert packed == plain


@pytest.mark.parametrize("name", NAMES)
@given(thread_facts(), thread_facts())
def test_scores_are_equal_where_the_tuples_are(name, one, other):
    equal = oracle.standing(name, one) == oracle.standing(name, other)
    assert (SORTS[name].score(one) == SORTS[name].score(other)) == equal


@pytest.mark.parametrize("name", NAMES)
@given(thread_facts())
def test_a_score_unpacks_to_the_place_and_is_explained(name, facts):
    sort = SORTS[name]
    tier, time = oracle.standing(name, facts)
    standing = sort.explain(facts)
    assert sort.unpack(sort.score(facts)) == (tier, abs(time))
    assert (standing.tier, standing.value, standing.score) == (tier, abs(time), sort.score(facts))
    assert getattr(facts, standing.fact) == abs(time)


@given(thread_facts())
def test_scores_come_in_the_order_of_the_sorts(facts):
    assert scores(facts) == tuple(SORTS[name].score(facts) for name in NAMES)


def test_a_thread_without_any_fact_has_its_place():
    assert len(scores(Facts())) == 5


def test_a_follow_up_does_not_send_the_customer_back():
    waiting = [ThreadEvent("client", 100)]
    once, twice = fold(waiting), fold([*waiting, ThreadEvent("client", 200)])
    assert SORTS["longest_wait"].score(once) == SORTS["longest_wait"].score(twice)


@pytest.mark.parametrize("tier", [-1, TIER_MAX + 1])
def test_a_rule_whose_tier_does_not_fit_is_refused_when_defined(tier):
    with pytest.raises(ScoreError):
        Rule("too far", (0, tier), newest("recent_at"), tier=lambda facts: 0)


def test_the_last_tier_that_fits_is_taken():
    sort = Sort("edge", Rule("edge", (TIER_MAX,), oldest("recent_at")))
    assert sort.score(Facts()) == TIER_MAX * 2**42


@pytest.mark.parametrize(
    "declare",
    [
        lambda: Sort("empty"),
        lambda: Sort(
            "overlapping",
            Rule("one", (0,), newest("recent_at")),
            Rule("other", (0,), oldest("recent_at")),
        ),
        lambda: Rule("no tier", (), newest("recent_at")),
        lambda: Rule("no choice", (0, 1), newest("recent_at")),
        lambda: Rule("no time", (0,), newest("priority")),
    ],
    ids=["no rules", "overlapping tiers", "no tier", "no way to choose", "no time"],
)
def test_a_sort_that_cannot_be_is_refused_when_defined(declare):
    with pytest.raises(SortError):
        declare()


def test_a_thread_that_no_rule_places_is_refused():
    picky = Sort("picky", Rule("never", (0,), newest("recent_at"), when=lambda facts: False))
    with pytest.raises(SortError):
        picky.score(Facts())


def test_a_tier_that_was_not_declared_is_refused():
    sly = Sort("sly", Rule("sly", (0, 1), newest("recent_at"), tier=lambda facts: 2))
    with pytest.raises(SortError):
        sly.score(Facts())
