"""The bars of single scenarios, and of two that differ in their database."""

from dataclasses import asdict

import pytest

from bench.measure.accept import Accept
from bench.measure.churn import Churn
from bench.measure.faults import FAULTS, Faults
from bench.measure.lists import Lists
from bench.measure.live import Live
from bench.report.bar import amount
from bench.report.bars import bars


def result_of(bench, scenario, *rounds, broken=None):
    return {
        "name": str(scenario),
        "bench": bench,
        "scenario": asdict(scenario),
        "rounds": list(rounds),
        "broken": broken or {},
    }


def under_load(dashboards, cpu_us, frames, **changed):
    scenario = Live(10_000, dashboards, 100, "random", **changed)
    numbers = {"cpu_us_server": cpu_us, "frames_a_second": frames}
    return result_of("live", scenario, {"lineup": numbers})


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


@pytest.mark.parametrize(("more_us", "kept"), [(1_584, True), (1_585, False)])
def test_a_frame_costs_what_a_hundred_dashboards_take_more_than_one(more_us, kept):
    """99 more dashboards get 20 frames a second each, at 100 events a second."""
    others = [under_load(1, 9_000, 20, workers=2), under_load(500, 9_000, 10)]
    [bar] = bars([*others, under_load(1, 2_000, 20), under_load(100, 2_000 + more_us, 20)])
    assert bar.what.startswith("µs of the server for an acknowledged frame (10,000 threads, 100 ")
    assert bar.kept is kept


@pytest.mark.parametrize(("p95", "kept"), [(75.0, True), (75.1, False)])
def test_five_hundred_dashboards_are_held_against_the_floor(p95, kept):
    a_round = {"lineup": {"ms": {"p95": p95}}, "floor": {"ms": {"p95": 50.0}}}
    [bar] = bars([result_of("live", Live(10_000, 500, 100), a_round)])
    assert bar.kept is kept
    assert bars([result_of("live", Live(10_000, 100, 100), a_round)]) == []


@pytest.mark.parametrize(("resident", "kept"), [(200_000_000, True), (200_000_001, False)])
def test_a_worker_has_two_hundred_megabytes(resident, kept):
    result = result_of("live", Live(100_000, 100, 200), {})
    [bar] = bars([result | {"memory": {"lineup": {"server": resident, "redis": 9e9}}}])
    assert bar.kept is kept


@pytest.mark.parametrize(("mib", "kept"), [(190.7, True), (190.8, False)])
def test_a_worker_has_them_after_an_hour_too(mib, kept):
    [bar] = bars([result_of("churn", Churn(10_000), {"server_mib": mib})])
    assert bar.kept is kept


@pytest.mark.parametrize(
    ("fault", "within"),
    [("a primary of a cluster is killed", 5), ("Redis is killed and starts empty", 10)],
)
def test_all_lists_are_live_soon_after_each_fault(fault, within):
    """F1, F69: in every round."""
    assert fault in FAULTS
    rounds = [{"live_seconds": 0.1}, {"live_seconds": 0.1}, {"live_seconds": within}]
    [bar] = bars([result_of("faults", Faults(fault), *rounds)])
    assert bar.kept
    rounds[0] = {"live_seconds": within + 0.1}
    [bar] = bars([result_of("faults", Faults(fault), *rounds)])
    assert not bar.kept


@pytest.mark.parametrize(
    ("p95", "size", "kept"), [(500.0, 833, [True, True]), (501.0, 834, [False, False])]
)
def test_behind_a_usual_line_a_row_is_right_in_time_and_an_hour_has_few_bytes(p95, size, kept):
    scenario = Live(10_000, 50, 100, "random", line="1.6 Mbit/s, 150 ms")
    a_round = {"lineup": {"ms": {"p95": p95}, "bytes": size}, "recipe": {"bytes": 2_000}}
    found = list(bars([result_of("live", scenario, a_round)]))
    assert [bar.kept for bar in found] == kept
    assert [bar.what.partition(" (")[0] for bar in found] == [
        "seconds until a row is right, p95",
        "MB a dashboard an hour",
    ]


@pytest.mark.parametrize(
    "value, digits, text",
    [
        (59_943.0, 3, "59,900"),
        (1e6, 4, "1,000,000"),
        (118.85, 2, "120"),
        (118.85, 4, "118.8"),
        (99.96, 3, "100"),
        (-1_944.6, 4, "-1,945"),
        (0.0337, 3, "0.0337"),
    ],
)
def test_a_large_number_has_no_exponent(value, digits, text):
    assert amount(value, digits) == text
