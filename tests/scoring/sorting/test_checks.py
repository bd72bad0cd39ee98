"""Rules that cannot be are refused, at their place; what may be needed is not."""

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
    """(pointer, code) of what is wrong in rules of a condition and a time."""
    made = tuple(Rule(when, by, "oldest") for when, by in rules)
    sort = resolve_sort(Sort("test", made), ADMINS.get)
    return [(found.pointer, found.code) for found in refusals(sort)]


@pytest.mark.parametrize("name", SORTS)
def test_the_built_in_sorts_may_be_saved(name):
    assert list(refusals(resolve_sort(SORTS[name]))) == []


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        (["is:open", "is:closed"], "member:0"),
        (["is:waiting"], "is:waiting priority:high"),
        (["is:waiting"], "waits:>10m lang:vi"),
        (["waits:>10m"], "waits:>20m"),
        (["waits:>10m", "waits:<=10m"], "is:waiting"),
        (["priority:urgent,high", "priority:normal"], "-priority:low is:open"),
        (["member:0", "member:1", "-member:1"], "lang:en"),
        (["lang:vi"], "lang:vi-VN"),
        (["tag:vip"], "tag:vip -tag:spam"),
        (["tag:vip", "-tag:vip"], "is:open"),
        (["tag:none", "-tag:none"], "tag:vip"),
        (["tag:vip,spam"], "tag:spam"),
        (["tag:a,b", "tag:c"], "tag:b,c"),
        (["-tag:a,b", "tag:a"], "tag:c tag:a,b -tag:b"),
        (["source:shop,mall"], "source:mall is:open"),
        (["lang:vi,en"], "lang:en-GB,vi-VN"),
        (["-tag:none"], "tag:vip"),
        (["-tag:vip"], "tag:none"),
        ([], "tag:none tag:vip"),
        ([], "tag:vip -tag:vip,spam"),
        (["source:shop", "-source:shop"], "source:other"),
        (["created:>=2026-11-01"], "created:2026-11-05"),
        (["assigned:anyone"], "assigned:mai@desk.example"),
        (["-mentions:none"], "mentions:mai@desk.example"),
        (["(is:open member:0 or is:closed)"], "member:0"),
        ([], "is:waiting is:closed"),
        ([], "is:late is:closed"),
        ([], "due:<1h -is:waiting"),
        ([], "due:>0s is:answered -is:waiting"),
        ([], "is:snoozed is:closed"),
        (["is:waiting"], "is:late"),
        (["is:waiting"], "(is:late or due:>0s)"),
        (["is:open"], "is:snoozed"),
        (["is:snoozed", "-is:snoozed is:open"], "is:open"),
        ([], "is:answered is:unanswered"),
        ([], "closed:2026-11-05 is:open"),
        ([], "waits:>1h waits:<1m"),
        ([], "is:waiting -is:answered -is:unanswered"),
    ],
)
def test_a_rule_that_no_thread_reaches_is_refused(earlier, later):
    rules = [*((when, "recent_at") for when in earlier), (later, "recent_at"), REST]
    found = [at for at, code in refused(*rules) if code == UNREACHABLE]
    assert found[:1] == [f"/rules/{len(earlier)}/when"]


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        (["waits:>20m"], "waits:>10m"),
        (["is:waiting priority:high"], "is:waiting"),
        (["lang:vi-VN", "lang:en"], "lang:vi"),
        (["tag:vip"], "tag:spam"),
        (["tag:vip", "tag:spam"], "-tag:none"),
        (["tag:vip tag:spam"], "tag:vip,spam"),
        (["tag:none"], "-tag:vip"),
        (["tag:none,vip"], "tag:spam"),
        (["tag:a,b"], "tag:b,c"),
        (["source:shop,mall"], "source:mall,market"),
        (["lang:en-GB,vi"], "lang:en,vi-VN"),
        (["tag:a", "tag:b", "tag:c", "tag:d", "tag:e", "tag:f"], "tag:g,h,i"),
        (["assigned:mai@desk.example"], "assigned:anyone"),
        (["mentions:mai@desk.example"], "mentions:lan@desk.example"),
        (["waits:<10m", "waits:>10m"], "is:waiting"),
        (["created:2026-11-05"], "created:>=2026-11-01"),
        (["is:snoozed"], "is:late"),
        (["is:late"], "is:waiting"),
        (["is:late"], "is:snoozed"),
        (["due:>0s"], "is:late"),
        (["is:snoozed"], "is:open"),
        (["is:snoozed"], "-is:snoozed is:closed"),
        (["age:>7d"], "created:2026-11-05"),
    ],
)
def test_a_rule_that_some_thread_reaches_is_taken(earlier, later):
    assert refused(*((when, "recent_at") for when in earlier), (later, "recent_at"), REST) == []


@pytest.mark.parametrize(
    ("rules", "detail"),
    [
        (["waits:>20m waits:<10m"], "holds for no thread: its conditions exclude each other"),
        (
            ["is:open", "is:late is:closed"],
            "holds for no thread: its conditions exclude each other",
        ),
        (
            ["is:open", "is:late"],
            "is never reached: earlier rules place every thread that it is for",
        ),
    ],
)
def test_why_a_rule_is_never_reached_is_told(rules, detail):
    made = tuple(Rule(when, "recent_at", "oldest") for when in (*rules, ""))
    [found] = refusals(resolve_sort(Sort("test", made)))
    assert found == (f"/rules/{len(rules) - 1}/when", UNREACHABLE, detail)


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


def test_the_last_rules_take_all_threads():
    assert refused(("is:waiting", "recent_at")) == [("/rules", INCOMPLETE)]
    assert refused(("is:open", "recent_at"), ("is:closed", "recent_at")) == []
    assert refused(REST, REST) == [("/rules/1/when", UNREACHABLE)]


def test_a_rule_of_too_many_alternatives_takes_nothing_from_later_ones():
    """What twenty of them leave over is not decided, so the last one counts as needed."""
    terms = [
        f"(member:{n % 6} or waits:>{n}m or lang:l{'abcdefghijklmnop'[n % 16]})" for n in range(16)
    ]
    rules = [(" ".join(terms[at % 8 :][:6]), "recent_at") for at in range(19)]
    assert (f"/rules/{19}/when", UNREACHABLE) not in refused(*rules, REST)


def possible(thread: dict[str, Any]) -> dict[str, Any]:
    """The thread with facts that events can give."""
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
