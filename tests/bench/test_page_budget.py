"""The summary of a page's notes."""

import pytest

from bench.measure import page_budget
from bench.measure.painted import paint_ms
from bench.processes import BenchError
from bench.report.bars import bars

MS = 1_000_000


def noted(**more):
    empty = {"longFrames": [], "longTasks": [], "gaps": [16.0], "interactions": {}, "presses": 0}
    return empty | more


def test_an_event_is_painted_when_its_row_shows_something_new_after_it_was_due():
    posted = [(7, 0, 100 * MS, 0), (8, 0, 100 * MS, 0), (9, 0, 100 * MS, 0)]
    painted = {"7": [50.0, 130.0, 150.0], "8": [90.0]}
    assert paint_ms(posted, painted, shift_ms=0.0) == [30.0]
    assert paint_ms(posted, painted, shift_ms=20.0) == [50.0, 10.0]


@pytest.mark.parametrize("kind", ["longFrames", "longTasks", "gaps"])
def test_the_longest_frame_is_found_by_both_entry_types(kind):
    found = page_budget._frames(noted(**{kind: [20.0, 70.0, 30.0]}))
    assert found["longest_ms"] == 70.0


def test_presses_that_the_browser_did_not_tell_of_were_short():
    found = page_budget._interactions(noted(interactions={"1": 40.0, "2": 120.0}, presses=100))
    assert (found["p50"], found["p98"]) == (16.0, 16.0)
    found = page_budget._interactions(noted(interactions={"1": 40.0, "2": 120.0}, presses=20))
    assert found["p98"] == 120.0


def test_a_page_without_input_has_no_response_time():
    with pytest.raises(BenchError):
        page_budget._interactions(noted())


def test_the_budget_holds_for_long_lists_alone():
    measured = {"paint_ms": {"p95": 90.0}, "heap_mib": 50.0}
    result = {"bench": "pagebudget", "rounds": [measured], "broken": {}}
    scenario = {"threads": 100_000, "rate": 50.0}
    kept = [bar.kept for bar in bars([result | {"scenario": scenario}])]
    assert kept == [True, False]
    assert bars([result | {"scenario": scenario | {"threads": 10_000}}]) == []
