"""The bars of single scenarios, and of two that differ in their database."""

from dataclasses import asdict

import pytest

from bench.measure.accept import Accept
from bench.measure.lists import Lists
from bench.measure.live import Live
from bench.report.bars import bars


def result_of(bench, scenario, *rounds, broken=None):
    return {
        "name": str(scenario),
        "bench": bench,
        "scenario": asdict(scenario),
        "rounds": list(rounds),
        "broken": broken or {},
    }


def live(database, p95, broken=None, **changed):
    scenario = Live(10_000, 100, 100, "random", database=database, sides=("lineup",), **changed)
    return result_of("live", scenario, {"lineup": {"ms": {"p95": p95}}}, broken=broken)


@pytest.mark.parametrize(
    ("database", "single", "kept"),
    [
        ("sqlite", 401, True),
        ("sqlite", 399, False),
        ("postgres", 351, True),
        ("postgres", 349, False),
    ],
)
def test_single_events_are_held_against_empty_posts_by_database(database, single, kept):
    a_round = {
        "single": {"a_second": single, "connections": 32},
        "empty post": {"a_second": 1_000, "connections": 64},
    }
    [bar] = bars([result_of("accept", Accept(10_000, database=database), a_round)])
    assert bar.kept is kept


@pytest.mark.parametrize(("seconds", "kept"), [(30.0, True), (30.1, False)])
def test_a_million_threads_are_placed_anew_within_thirty_seconds(seconds, kept):
    [bar] = bars([result_of("lists", Lists(1_000_000, 500), {"rebuild_seconds": seconds})])
    assert bar.kept is kept


@pytest.mark.parametrize(("p95", "kept"), [(65.0, True), (65.1, False)])
def test_postgresql_is_held_against_sqlite_under_the_same_load(p95, kept):
    others = [live("sqlite", 1.0, workers=2), live("sqlite", 1.0, async_mode="gevent")]
    [bar] = bars([*others, live("sqlite", 50.0), live("postgres", p95)])
    assert bar.what.startswith("p95 on the socket, PostgreSQL by SQLite (10,000 threads")
    assert bar.kept is kept


def test_postgresql_without_a_result_of_sqlite_has_no_bar():
    broken = {"all": "OutOfTime: not within 5 s"}
    other = live("sqlite", 50.0, workers=2)
    assert bars([live("postgres", 90.0), other, live("sqlite", 50.0, broken=broken)]) == []
