"""The compiled rules of a sort give what the oracle computes, and say when time changes it."""

from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.composite import TIER_MAX, TIME_MAX_MS
from scoring.sorting.resolved import resolve_sort
from scoring.sorting.rules import Rule, Sort
from tests.scoring.conditions import worlds
from tests.scoring.conditions.oracle import ADMINS
from tests.scoring.sorting import oracle
from tests.support import examples

seeds = st.integers(0, 10_000)
sorted_worlds = worlds.worlds().flatmap(
    lambda world: st.tuples(st.just(world), oracle.rule_lists(world))
)


def resolved(rules, world):
    return resolve_sort(Sort("test", rules), ADMINS.get, world.zone)


@settings(max_examples=examples(50))
@given(sorted_worlds, st.lists(seeds, min_size=1, max_size=5))
def test_a_score_is_that_of_the_oracle_and_is_explained(given_rules, seeds):
    world, rules = given_rules
    sort = resolved(rules, world)
    for seed in seeds:
        thread = worlds.threads(seed, world.zone)
        subject = worlds.subject(thread)
        score = sort.score(subject, world.now)
        assert score == oracle.score(rules, thread, world)
        explained = sort.explain(subject, world.now)
        assert explained.score == score
        assert sort.unpack(score) == (explained.tier, explained.value)
        assert 0 <= score < 2**sort.bits <= 2**53


@settings(max_examples=examples(50))
@given(sorted_worlds, seeds)
def test_time_changes_a_score_when_the_sort_says_so_and_not_before(given_rules, seed):
    world, rules = given_rules
    sort = resolved(rules, world)
    thread = worlds.threads(seed, world.zone)
    subject = worlds.subject(thread)
    change = sort.next_change(subject, world.now)
    now_score = sort.score(subject, world.now)
    end = world.now + 10**9 if change is None else change - 1
    for at in {world.now + 1, (world.now + end) // 2, end}:
        if world.now < at <= end:
            assert oracle.score(rules, thread, world._replace(now=at)) == now_score
    if change is not None and not sort.is_timeless:
        assert change > world.now
        assert sort.score(subject, change) == oracle.score(
            rules, thread, world._replace(now=change)
        )


def test_a_rule_of_time_moves_a_thread_at_its_instant():
    sort = resolve_sort(
        Sort(
            "vip",
            (
                Rule("waits:>10m", "waiting_since", "oldest"),
                Rule("", "recent_at", "newest"),
            ),
        )
    )
    waits = worlds.subject(worlds.threads(1, worlds.ZoneInfo("UTC")))._replace(
        closed=False, waiting_since=worlds.NOW
    )
    at = sort.next_change(waits, worlds.NOW)
    assert at == worlds.NOW + 600_001
    assert sort.score(waits, at - 1) >> 42 == 1
    assert sort.score(waits, at) == worlds.NOW
    assert sort.next_change(waits, at) is None


def test_a_sort_that_asks_no_time_never_changes_by_itself():
    due = Rule("(is:late or due:>0s)", "due_at", "oldest")
    sort = resolve_sort(Sort("due", (due, Rule("", "recent_at", "newest"))))
    assert sort.is_timeless
    assert not resolve_sort(Sort("late", (due._replace(when="is:late"),))).is_timeless


def test_equal_sorts_have_one_key_and_others_have_another():
    rules = (
        Rule("is:waiting member:0,1", "waiting_since", "oldest"),
        Rule("", "recent_at", "newest"),
    )
    same = (rules[0]._replace(when="member:1,0 is:waiting", name="other"), rules[1])
    keys = {resolve_sort(Sort("test", each)).key for each in (rules, same)}
    assert len(keys) == 1
    for changed in (
        rules[0]._replace(when="is:waiting member:0"),
        rules[0]._replace(by="first_request_at"),
        rules[0]._replace(order="newest"),
        rules[0]._replace(split="member"),
    ):
        assert resolve_sort(Sort("test", (changed, rules[1]))).key not in keys


def test_scores_use_all_of_their_bits():
    sort = resolve_sort(Sort("edge", (Rule("", "created_at", "newest", tier=TIER_MAX),)))
    assert sort.score(worlds.Subject(first_event_at=0), 0) == 2**53 - 1
    assert sort.score(worlds.Subject(first_event_at=TIME_MAX_MS), 0) == TIER_MAX << 42
