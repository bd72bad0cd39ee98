"""Impossible rules are refused, at their place; rules that may be needed are not."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.sorting.checks import refusals
from scoring.sorting.resolved import resolve_sort
from scoring.sorting.rules import Rule, Sort
from scoring.sorts import SORTS
from tests.scoring.conditions import oracle as conditions
from tests.scoring.conditions import worlds
from tests.scoring.conditions.oracle import ADMINS, World
from tests.scoring.sorting import oracle
from tests.support import examples

REST = ("", "recent_at")
UNREACHABLE = "unreachable_rule"
LACKING = "time_missing"
INCOMPLETE = "rest_missing"


def refused(*rules: tuple[str, str]) -> list[tuple[str, str]]:
    """Returns (pointer, code) of the mistakes in rules with this condition and time."""
    made = tuple(Rule(when, by, "oldest") for when, by in rules)
    sort = resolve_sort(Sort("test", made), ADMINS.get)
    return [(found.pointer, found.code) for found in refusals(sort)]


@pytest.mark.parametrize("name", SORTS)
def test_the_built_in_sorts_may_be_saved(name):
    assert list(refusals(resolve_sort(SORTS[name]))) == []


@pytest.mark.parametrize(
    ("one", "same"),
    [
        ("is:waiting", "is:waiting"),
        ("is:waiting priority:high", "priority:high is:waiting"),
        ("tag:a,b", "tag:b,a"),
        ("(lang:vi or is:open)", "(is:open or lang:vi)"),
        ("assigned:mai@desk.example", "assigned:MAI@desk.example"),
        ("waits:>60m", "waits:>1h"),
    ],
)
def test_a_rule_with_the_condition_of_an_earlier_one_is_refused(one, same):
    rules = [(one, "recent_at"), ("member:0", "recent_at"), (same, "recent_at"), REST]
    assert refused(*rules) == [("/rules/2/when", UNREACHABLE)]


def test_a_rule_behind_one_without_a_condition_is_refused():
    assert refused(REST, ("is:open", "recent_at"), REST) == [
        ("/rules/1/when", UNREACHABLE),
        ("/rules/2/when", UNREACHABLE),
    ]


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("is:waiting priority:high", "is:waiting"),
        ("waits:>20m", "waits:>10m"),
        ("waits:>10m", "waits:>20m"),
        ("is:open", "is:late"),
        ("tag:vip", "tag:vip,spam"),
        ("is:open", "-is:open"),
        ("is:open", "waits:>20m waits:<10m"),
    ],
)
def test_other_rules_are_taken_and_may_place_nothing(earlier, later):
    assert refused((earlier, "recent_at"), (later, "recent_at"), REST) == []


@pytest.mark.parametrize(
    ("rules", "detail"),
    [
        (
            ["is:open", "is:open", ""],
            "is never reached: an earlier rule with the same condition places its threads",
        ),
        (
            ["", "is:late"],
            "is never reached: an earlier rule without a condition places its threads",
        ),
    ],
)
def test_why_a_rule_is_never_reached_is_told(rules, detail):
    made = tuple(Rule(when, "recent_at", "oldest") for when in rules)
    [refusal] = refusals(resolve_sort(Sort("test", made)))
    assert refusal == ("/rules/1/when", UNREACHABLE, detail)


@pytest.mark.parametrize(
    ("when", "by", "is_there"),
    [
        ("", "created_at", True),
        ("is:closed", "closed_at", True),
        ("closed:>=2026-11-01", "closed_at", True),
        ("is:open", "closed_at", False),
        ("-is:open", "closed_at", True),
        ("is:waiting", "waiting_since", True),
        ("waits:>10m", "waiting_since", True),
        ("-waits:<10m", "waiting_since", False),
        ("is:open", "waiting_since", False),
        ("(is:waiting or is:closed)", "waiting_since", False),
        ("is:waiting", "first_request_at", True),
        ("is:late", "waiting_since", True),
        ("is:late", "first_request_at", True),
        ("due:<1h", "waiting_since", True),
        ("(is:late or due:>0s)", "first_request_at", True),
        ("-is:late", "waiting_since", False),
        ("is:late", "closed_at", False),
        ("is:snoozed", "waiting_since", False),
        ("is:unanswered", "first_request_at", True),
        ("is:answered", "first_request_at", False),
        ("assigned:anyone", "assigned_at", True),
        ("-assigned:none", "assigned_at", True),
        ("assigned:mai@desk.example", "assigned_at", True),
        ("assigned:none", "assigned_at", False),
        ("(is:late or due:>0s)", "due_at", True),
        ("due:<1h", "due_at", True),
        ("is:waiting", "due_at", False),
    ],
)
def test_a_rule_orders_by_a_time_that_all_its_threads_have(when, by, is_there):
    found = refused((when, by), REST) if when else refused((when, by))
    assert found == ([] if is_there else [("/rules/0/by", LACKING)])


@pytest.mark.parametrize(
    ("rules", "is_whole"),
    [
        (["is:waiting"], False),
        (["is:waiting", "-is:waiting"], False),
        (["is:open", "is:closed tag:a"], False),
        (["priority:urgent,high", "priority:normal"], False),
        (["source:shop", "source:mall"], False),
        (["is:waiting", ""], True),
        (["is:open", "is:closed"], True),
        (["priority:urgent,high", "is:waiting", "priority:normal", "priority:low"], True),
    ],
)
def test_a_last_rule_takes_all_other_threads(rules, is_whole):
    """It has no condition, or each value of an attribute has a rule with that condition alone."""
    found = refused(*((when, "recent_at") for when in rules))
    assert found == ([] if is_whole else [("/rules", INCOMPLETE)])


def test_many_large_rules_are_checked():
    terms = " ".join(f"(tag:a{{0}}{n} or -source:b{{0}}{n})" for n in range(6))
    rules = [(terms.format(number), "recent_at") for number in range(19)]
    assert refused(*rules, rules[3], REST) == [("/rules/19/when", UNREACHABLE)]


def possible(thread: dict[str, Any]) -> dict[str, Any]:
    """Returns the thread with facts that events can give."""
    known = dict(thread)
    known["first_event_at"] = known["first_event_at"] or worlds.NOW - 5
    if known["closed"]:
        known["closed_at"] = known["closed_at"] or worlds.NOW - 3
    if known["waiting_since"] is None:
        known["due_at"] = None
    else:
        known["first_request_at"] = known["first_request_at"] or known["waiting_since"]
    if known["assignee_id"] is not None:
        known["assigned_at"] = known["assigned_at"] or worlds.NOW - 2
    return known


@settings(max_examples=examples(60))
@given(worlds.worlds().flatmap(lambda world: st.tuples(st.just(world), oracle.rule_lists(world))))
def test_no_rule_is_refused_that_places_a_thread(given_rules):
    world, rules = given_rules
    sort = resolve_sort(Sort("test", rules), ADMINS.get, world.zone)
    found = {(refusal.pointer, refusal.code) for refusal in refusals(sort)}
    for seed in range(40):
        thread = possible(dict(worlds.threads(seed, world.zone)))
        holding = [
            at for at, rule in enumerate(rules) if conditions.holds(rule.when, thread, world)
        ]
        if not holding:
            assert ("/rules", INCOMPLETE) in found
            continue
        assert (f"/rules/{holding[0]}/when", UNREACHABLE) not in found
        for at in holding:
            if is_missing(rules[at].by, thread, world):
                assert (f"/rules/{at}/by", LACKING) in found


def is_missing(by: str, thread: dict[str, Any], world: World) -> bool:
    if by in ("recent_at", "created_at"):
        return False
    if by == "assigned_at":
        return thread["assignee_id"] is None
    return thread[by] is None or (by == "closed_at" and not thread["closed"])
