"""The meaning of conditions: the plain reader and the index against an oracle, also over time."""

from collections.abc import Mapping
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.conditions.fields import FIELDS
from scoring.conditions.index import ConditionIndex
from scoring.conditions.language.parser import parse
from scoring.conditions.nodes import Language, OneOf, Present, Tagged, Within
from scoring.conditions.resolve import resolve
from scoring.conditions.resolved import Resolved, holds, next_change, together
from scoring.conditions.subject import Subject
from tests.scoring.conditions import oracle
from tests.scoring.conditions.costly import MANY_GROUPS, wide_query
from tests.scoring.conditions.oracle import ADMINS, World
from tests.scoring.conditions.worlds import (
    DAYS,
    NOW,
    TIMES,
    subject,
    texts,
    threads,
    values_of,
    worlds,
)
from tests.support import examples

#: 16 threads each, so that some of them are at the thresholds of a query.
SEEDS = st.integers(0, 40).map(lambda first: range(16 * first, 16 * first + 16))
FEW = st.integers(0, 160).map(lambda first: range(4 * first, 4 * first + 4))


def resolved(text: str, world: World) -> Resolved:
    return resolve(parse(text), world.me, ADMINS.get, world.zone)


def first_change(text: str, thread: Mapping[str, Any], world: World) -> int | None:
    """The first of all possible instants at which the oracle gives another answer."""
    times = [thread[name] for name in oracle.TIMES.values()]
    moments = {time + limit for time in times if time is not None for limit in TIMES}
    if thread["due_at"] is not None:
        moments |= {thread["due_at"] - limit for limit in TIMES}
    around = sorted({at + by for at in moments for by in (-1, 0, 1)})
    now_holds = oracle.holds(text, thread, world)
    for at in around:
        if at > world.now and oracle.holds(text, thread, world._replace(now=at)) != now_holds:
            return at
    return None


@settings(max_examples=examples(150))
@given(worlds().flatmap(lambda world: st.tuples(st.just(world), texts(world))), SEEDS)
def test_a_query_holds_where_the_requirement_says_so(case, seeds):
    world, text = case
    query = resolved(text, world)
    canonical = parse(text).canonical
    assert resolved(canonical, world) == query
    for seed in seeds:
        thread = threads(seed, world.zone)
        expected = oracle.holds(text, thread, world)
        assert holds(query, subject(thread), world.now) == expected, thread
        assert oracle.holds(canonical, thread, world) == expected, thread


@pytest.mark.parametrize("place", sorted(DAYS))
def test_every_value_of_every_field_alone(place):
    """Over more threads than random queries get: at each threshold and midnight."""
    world = World(NOW, 1, place)
    several = [threads(seed, world.zone) for seed in range(120)]
    fields = [field for field in FIELDS.values() if place == "UTC" or field.kind == "day"]
    for field in fields:
        for value in values_of(field, place):
            text = f"{field.name}:{value}"
            query = resolved(text, world)
            index = ConditionIndex({"is": query, "is not": resolved(f"-{text}", world)})
            for thread in several if field.kind == "day" else several[:60]:
                expected = oracle.holds(text, thread, world)
                assert holds(query, subject(thread), NOW) == expected, (text, thread)
                names = index.names(index.matches(subject(thread), NOW))
                assert names == ["is" if expected else "is not"]


@settings(max_examples=examples(100))
@given(worlds().flatmap(lambda world: st.tuples(st.just(world), texts(world))), SEEDS)
def test_the_next_change_is_the_first_instant_at_which_the_answer_differs(case, seeds):
    world, text = case
    query = resolved(text, world)
    for seed in seeds:
        thread = threads(seed, world.zone)
        expected = first_change(text, thread, world)
        assert next_change(query, subject(thread), world.now) == expected, thread
        assert expected is None or not query.is_timeless


@st.composite
def several(draw: st.DrawFn) -> tuple[World, list[str]]:
    world = draw(worlds())
    return world, draw(st.lists(texts(world), min_size=1, max_size=12))


@settings(max_examples=examples(100))
@given(several(), FEW)
def test_the_index_knows_of_all_queries_at_once_what_each_says(case, seeds):
    world, written = case
    queries = {f"{at} {text}": resolved(text, world) for at, text in enumerate(written)}
    index = ConditionIndex(queries)
    for seed in seeds:
        thread = threads(seed, world.zone)
        # Several instants with one index, which remembers earlier results.
        for now in (world.now - 3_600_000, world.now - 1, world.now, world.now + 1):
            then = world._replace(now=now)
            expected = [
                name for name in queries if oracle.holds(name.partition(" ")[2], thread, then)
            ]
            mask = index.matches(subject(thread), now)
            assert sorted(index.names(mask)) == sorted(expected), thread
        changes = [first_change(text, thread, world) for text in written]
        first = min((at for at in changes if at is not None), default=None)
        assert index.next_change(subject(thread), world.now) == first, thread


def test_the_index_asks_each_value_and_not_each_condition(monkeypatch):
    """A thousand queries of many groups cost as much as a few: no leaf is evaluated."""
    world = World(NOW, 1, "UTC")
    written = [MANY_GROUPS.replace("tag:a", f"tag:b{number}-") for number in range(40)]
    written += [f"-({text}) tag:vip -tag:x{number}" for number, text in enumerate(written)]
    queries = {text: resolved(text, world) for text in written}
    assert {query.form and query.form.is_negated for query in queries.values()} == {True, False}
    index = ConditionIndex(queries)
    for kind in (OneOf, Present, Language, Tagged, Within):
        monkeypatch.setattr(kind, "takes", None)
    for seed in range(40):
        thread = threads(seed, world.zone)
        names = index.names(index.matches(subject(thread), NOW))
        index.next_change(subject(thread), NOW)
        expected = [text for text in queries if oracle.holds(text, thread, world)]
        assert sorted(names) == sorted(expected)


def test_a_query_of_too_many_alternatives_is_asked_by_itself():
    world = World(NOW, 1, "UTC")
    wide = wide_query(1)
    queries = {text: resolved(text, world) for text in (wide, f"-({wide})", "is:open", "")}
    assert queries[wide].form is None
    index = ConditionIndex(queries)
    for seed in range(60):
        thread = threads(seed, world.zone)
        names = index.names(index.matches(subject(thread), NOW))
        expected = [text for text in queries if oracle.holds(text, thread, world)]
        assert sorted(names) == sorted(expected)
        alone = min(
            (at for query in queries.values() if (at := next_change(query, subject(thread), NOW))),
            default=None,
        )
        assert index.next_change(subject(thread), NOW) == alone


@pytest.mark.parametrize("count", [1, 8, 33, 60])
def test_many_queries_asked_by_themselves_try_no_more_instants_than_one(monkeypatch, count):
    """Each event evaluates all of them."""
    world, asked = World(NOW, 1, "UTC"), []
    queries = {text: resolved(text, world) for text in map(wide_query, range(1, count + 1))}
    index = ConditionIndex(queries)

    def counted(*given):
        asked.append(given)
        return holds(*given)

    for seed in range(20):
        thread = subject(threads(seed, world.zone))
        changes = [next_change(query, thread, NOW) for query in queries.values()]
        first = min((at for at in changes if at is not None), default=None)
        with monkeypatch.context() as patch:
            patch.setattr("scoring.conditions.resolved.holds", counted)
            at = index.next_change(thread, NOW)
        assert len(asked) <= count + 32
        asked.clear()
        assert (at is None) == (first is None) or count > 1
        assert first is None or (at is not None and NOW < at <= first), "never too late"


@settings(max_examples=examples(100))
@given(several(), FEW, st.sets(st.sampled_from(Subject._fields)).map(sorted))
def test_a_part_of_what_is_known_leaves_out_no_thread(case, seeds, attributes):
    world, written = case
    index = ConditionIndex({text: resolved(text, world) for text in written})
    may_match = index.prefilter(attributes)
    for seed in seeds:
        thread = subject(threads(seed, world.zone))
        if index.matches(thread, world.now):
            assert may_match([getattr(thread, name) for name in attributes]), thread


def test_a_part_of_what_is_known_may_be_enough():
    world = World(NOW, 1, "UTC")
    wanted = "is:snoozed", "assigned:me tag:vip", "-assigned:none is:open member:3"
    may_match = ConditionIndex({text: resolved(text, world) for text in wanted}).prefilter(
        ("snoozed", "assignee_id", "closed")
    )
    assert [
        may_match(known)
        for known in (
            (False, None, False),
            (True, None, False),
            (False, 1, True),
            (False, 2, False),
            (False, 2, True),
        )
    ] == [False, True, True, True, False]


def test_the_index_of_no_queries_holds_none():
    index = ConditionIndex({})
    assert index.names(index.matches(subject(threads(1, ZoneInfo("UTC"))), NOW)) == []
    assert index.next_change(subject(threads(1, ZoneInfo("UTC"))), NOW) is None


def test_what_queries_cost_together():
    """Conditions count in the form of the query that has fewer, and each time of a change once."""
    world = World(NOW, 1, "UTC")

    def cost(*written):
        return together(resolved(text, world) for text in written)

    assert cost().conditions == cost().weight == 0
    assert cost("is:open tag:a,b,c", "(tag:a or is:open)").conditions == 4
    assert cost(MANY_GROUPS).conditions == 68
    assert cost(wide_query(1)).conditions > 1_000
    assert cost("waits:>10m quiet:<=2h age:>=1d due:<30m created:>2026-01-03 is:late").weight == 0
    assert cost("waits:>7m", "waits:>7m tag:a", "-waits:>7m").weight == 8
    assert cost("waits:>7m waits:<7m quiet:>7m", "waits:>11h", "due:<17m").weight == 26
    assert cost("quiet:>=10m", "waits:>5m", "age:<1m", "due:<5m", "is:late").quiet == 0
    assert cost("waits:>5m quiet:<30s", "-quiet:>9m", "quiet:<1h").quiet == 2
