"""Summaries of memory samples, and the time limit of such a scenario."""

import signal

import pytest

from bench import results
from bench.measure import churn
from bench.measure.churn import Churn
from bench.report.bars import bars
from bench.results import Bounds, run_all


def sample(heap: float, **used: float) -> dict[str, float]:
    return {"heap_mib": heap, "elements": 700, "server_mib": 150.0, "redis_mib": 20.0, **used}


def test_growth_counts_from_after_the_first_part_with_the_maximum():
    parts = ((5.0, 400.0), (9.0, 430.0), (6.5, 390.0))
    found = churn._summed([sample(2.0), *(sample(heap, cpu_us_page=us) for heap, us in parts)])
    assert found["heap_mib"] == 9.0
    assert found["heap_mib_growth"] == 1.5
    assert found["server_mib_growth"] == 0.0
    assert found["cpu_us_page"] == 430.0
    assert found["cpu_us_page_growth"] == -10.0


def test_the_heap_has_a_bar():
    result = {"bench": "churn", "scenario": {"minutes": 60.0}, "broken": {}}
    kept = [bars([result | {"rounds": [sample(heap)]}])[0].kept for heap in (40.0, 40.5)]
    assert kept == [True, False]


@pytest.mark.parametrize("minutes, seconds", [(60.0, 3_623.0), (0.0, 23.0)])
def test_what_lasts_by_its_nature_has_that_time_on_top(monkeypatch, minutes, seconds):
    left = []

    def run(scenario, folder, templates, deadline):
        left.append(signal.getitimer(signal.ITIMER_REAL)[0])
        return {"bench": "churn", "rounds": [], "broken": {}}

    monkeypatch.setitem(results.RUNS, "Churn", run)
    # A scenario ends all child processes; here the servers of other tests are among them.
    monkeypatch.setattr(results, "adopt_orphans", lambda: None)
    monkeypatch.setattr(results, "end_children", list)
    bounds = Bounds(scenario_seconds=20, grace_seconds=3)
    run_all([Churn(10, minutes=minutes)], bounds, [], lambda found: None)
    assert left == [pytest.approx(seconds, abs=1)]
