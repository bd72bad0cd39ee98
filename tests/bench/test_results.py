"""Results are summed up, drawn, written and compared."""

import xml.etree.ElementTree as ElementTree
from dataclasses import asdict

import pytest

from bench import charts
from bench.bars import bars
from bench.compare import compare
from bench.live import Live
from bench.page import write_page
from bench.results import medians, ratio, write


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
    assert found == {
        "bytes, recipe by Lineup": True,
        "p95 on the socket, recipe by Lineup": True,
    }
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
