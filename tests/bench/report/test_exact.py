"""The page's part about time to exact."""

import math

from bench.measure.exact import Exact
from bench.report import exact
from tests.bench.report.test_bars import result_of


def found(p99, not_exact=0, wrong=0):
    ms = {"p50": p99 / 2, "p95": p99 * 0.9, "p99": p99, "max": p99 + 1}
    counts = {"late": 0, "not_exact": not_exact, "wrong": wrong, "cpu_us_server": 900.0}
    return {"ms": ms, "lists_ms": ms, "badges_ms": ms, **counts}


def result(points, side="lineup", threads=100_000, views=100):
    scenario = Exact(threads, views, tuple(points), side=side)
    by_name = {f"{each} at {rate:g}": one for (each, rate), one in points.items()}
    return result_of("exact", scenario, {side: by_name})


def test_the_largest_load_in_time_is_told_and_what_is_never_exact_does_not_count():
    grown = {(50, 50.0): found(90), (100, 50.0): found(150), (200, 50.0): found(260)}
    lost = result({(50, 50.0): found(80, not_exact=1)}, threads=1_000_000)
    text = "\n".join(exact.section([result(grown), lost]))
    assert "100 views × 100 dashboards × 50 events a second" in text
    assert "1,000,000 threads the largest" not in text
    row = next(line for line in text.splitlines() if "| 200 | 50 |" in line)
    assert row == (
        "| lineup | 100,000 | 100 | 200 | 50 | 130 | 234 | 260 | 261 | 0 | 0 | 260 | 260 | 900 |"
    )


def test_an_event_that_was_never_exact_has_no_time():
    never = found(math.nan, not_exact=500)
    [row] = [line for line in exact.section([result({(50, 50.0): never})]) if "| lineup" in line]
    assert row == "| lineup | 100,000 | 100 | 50 | 50 |  |  |  |  | 0 | 500 |  |  | 900 |"


def test_without_a_measurement_nothing_is_told():
    assert list(exact.section([])) == [] == list(exact.pictures([]))


def test_a_picture_has_the_points_that_differ_in_its_number_alone():
    grown = result({(50, 50.0): found(90), (100, 50.0): found(150), (50, 200.0): found(140)})
    usual = result({(50, 50.0): found(46_000)}, side="counting")
    pictures = dict(exact.pictures([grown, usual, result({(50, 50.0): found(95)}, views=300)]))
    assert pictures.keys() == {"exact-dashboards", "exact-events-a-second", "exact-saved-views"}
    assert pictures["exact-dashboards"].count("<circle") == 4
    assert "counting" not in pictures["exact-dashboards"], "one point is no line"


def test_bars_keep_events_exact_and_badges_right():
    missed = {
        bar.what.partition(" (")[0]: bar.kept
        for bar in exact.bars(result({(50, 50.0): found(201, not_exact=1, wrong=2)}))
    }
    assert missed == {
        "events that were never exact": False,
        "badges that were wrong as of their call": False,
        "p99 to exact in ms": False,
    }
    assert all(bar.kept for bar in exact.bars(result({(50, 50.0): found(200)})))
