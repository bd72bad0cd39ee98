"""Results are summed up, drawn, written and compared."""

import json
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import asdict

import pytest

from bench.machine import REST_SECONDS, WALKS, is_quiet, rest
from bench.measure.live import Live
from bench.measure.views import Views
from bench.processes import ROOT
from bench.report import charts
from bench.report.bars import bars
from bench.report.compare import compare
from bench.report.page import write_page
from bench.results import medians, ratio, unbroken, write


def measured(factor: float) -> dict:
    sides = {"lineup": 100 * factor, "recipe": 20_000}
    return {
        side: {"ms": {"p50": 5.0, "p95": value / 10}, "bytes": value, "cpu_us_server": 900.0}
        for side, value in sides.items()
    }


@pytest.fixture
def result():
    live = Live(10_000, 50, 10, "screen", sides=("lineup", "recipe"))
    rounds = [measured(factor) for factor in (1, 2, 4)]
    return {
        "name": str(live),
        "bench": "live",
        "scenario": asdict(live),
        "rounds": rounds,
        "broken": {},
        "took_seconds": 1.0,
    }


def test_a_ratio_is_the_median_of_the_rounds_ratios(result):
    assert ratio(result, "recipe.bytes", "lineup.bytes") == 100
    assert medians(result)["lineup.bytes"] == 200


def test_a_number_that_no_round_holds_has_no_ratio(result):
    assert ratio(result, "polling.bytes", "lineup.bytes") is None


def test_bars_are_kept_or_missed(result):
    found = {bar.what.partition(" (")[0]: bar.kept for bar in bars([result])}
    assert found == {"bytes, recipe by Lineup": True}
    result["rounds"] = [measured(40)]
    assert not any(bar.kept for bar in bars([result]))


def test_the_page_names_the_machine_the_bars_and_what_broke(result, tmp_path):
    result["broken"] = {"polling": "it did not start"}
    write_page({"machine": {"cores": 2}, "results": [result]}, "latest.json", tmp_path)
    text = (tmp_path / "README.md").read_text()
    assert "cores 2" in text
    assert "broken: polling: it did not start" in text
    assert "| kept |" in text
    assert {path.name for path in tmp_path.glob("*.svg")} == {
        "bytes.svg",
        "p95.svg",
        "processor.svg",
    }


@pytest.mark.parametrize(("after", "is_said"), [(0.6, False), (11.1, True)])
def test_the_page_says_whether_the_machine_was_quiet(result, tmp_path, after, is_said):
    rested = {"at_once_ms": 0.14, "after_rest_ms": after}
    results = [result | {"measured": "2026-11-29", "rest": rested}, result | {"name": "another"}]
    write_page({"machine": {"cores": 2}, "results": results}, "latest.json", tmp_path)
    text = (tmp_path / "README.md").read_text()
    assert "- 2026-11-29: 1 scenarios; before them a walk" in text
    assert f"0.14 to 0.14 ms at once, {after:.2g} to {after:.2g} after a rest" in text
    assert ("not quiet before 1 of them" in text) is is_said is not is_quiet(rested)
    marks = [line for line in text.splitlines() if line.startswith("| bytes, recipe by Lineup")]
    assert [", not quiet |" in line for line in marks] == [is_said, False]


def test_rest_is_measured_with_a_rest_before_each_walk():
    slept: list[float] = []
    rested = rest(slept.append)
    assert slept == [REST_SECONDS] * WALKS
    assert min(rested.values()) > 0


def test_a_chart_is_well_formed_whatever_its_labels():
    drawn = charts.bars("a <b>", "ms & more", [("one <", "lineup", 1.0), ("two", "other", 1e6)])
    assert ElementTree.fromstring(drawn).tag.endswith("svg")


def test_two_files_are_compared_by_their_bars_and_by_what_moved(result, tmp_path):
    before, after = tmp_path / "before.json", tmp_path / "after.json"
    write(before, {"machine": {"cores": 2}, "results": [result]})
    slower = result | {"rounds": [measured(8)]}
    write(after, {"machine": {"cores": 4}, "results": [slower]})
    lines = compare(before, after)
    assert lines[0] == "The machines differ: compare ratios alone."
    assert any(line.startswith("MISSED bytes, recipe by Lineup") for line in lines)
    assert any("lineup.bytes: 200 → 800 (+300%)" in line for line in lines)


def test_what_did_not_come_to_its_end_is_run_again(result):
    stopped = result | {"broken": {"all": "OutOfTime: not within 5 s"}}
    one_side_broke = result | {"broken": {"recipe": "overloaded"}}
    assert unbroken([result, stopped, one_side_broke]) == [result, one_side_broke]


#: In a process of its own, because a run ends all children and uses the alarm signal.
_RUN = """
import json, time
from dataclasses import dataclass
from bench import results

@dataclass(frozen=True)
class Slow:
    seconds: float

def run(slow, folder, templates, deadline):
    if slow.seconds < 0:
        raise ValueError("no such time")
    time.sleep(slow.seconds)
    return {"bench": "slow", "scenario": vars(slow), "rounds": [], "broken": {}}

results.RUNS["Slow"] = run
bounds = results.Bounds(1, whole_seconds=2, grace_seconds=0)
scenarios = [Slow(60), Slow(-1), Slow(0), Slow(61), Slow(1)]
found = results.run_all(scenarios, bounds, [], lambda found: None)
print(json.dumps([result["broken"] for result in found]))
"""


@pytest.mark.slow
def test_a_scenario_that_hangs_or_fails_takes_no_other_along_and_the_whole_is_bounded():
    done = subprocess.run(
        [sys.executable, "-c", _RUN], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    broken = [each.get("all", "").partition(":")[0] for each in json.loads(done.stdout)]
    assert broken == ["OutOfTime", "ValueError", "", "OutOfTime"]


def of_views(cpu_us: float, p95: float) -> dict:
    return {"ms": {"p95": p95}, "bytes": 500.0, "cpu_us_server": cpu_us}


def test_saved_views_are_held_against_the_same_server_without_them(tmp_path):
    without, ours = of_views(1_000, 50), of_views(1_400, 60)
    theirs = of_views(900, 4_000)
    result = {
        "name": "views",
        "bench": "views",
        "scenario": asdict(Views()),
        "rounds": [{"without": without, "lineup": ours, "counting": theirs}],
        "broken": {},
        "memory": {"bytes_an_entry": 118.0, "delay_by_saving_ms": 140.0},
    }
    assert [(bar.value, bar.kept) for bar in bars([result])] == [
        (1.4, True),
        (1.2, True),
        (118.0, True),
        (140.0, False),
    ]
    write_page({"machine": {"cores": 2}, "results": [result]}, "latest.json", tmp_path)
    text = (tmp_path / "README.md").read_text()
    assert "1,000 saved views: processor is 1.6 times that of counting" in text


def test_the_worst_views_are_held_against_the_same_server_without_them():
    result = {
        "bench": "views",
        "scenario": asdict(Views(worst=True)),
        "rounds": [{"without": {"cpu_us": 6_000}, "lineup": {"cpu_us": 17_000}}],
        "broken": {},
        "memory": {"bytes_an_entry": 118.0},
    }
    [bar] = bars([result])
    assert (round(bar.value, 2), bar.kept) == (2.83, True)
