"""The measurements of presence run, are checked, and are stored with their targets."""

import json

import pytest

from bench.presence import measures as presence
from bench.presence import online, stored
from bench.presence.report import BARS, Report, bars
from bench.processes import ROOT
from presence.keys import Space
from presence.people import People


def wanted_of(results) -> set[tuple[str, str]]:
    return {(name, key) for name, key in BARS if name in results}


def numbers_of(results) -> set[tuple[str, str]]:
    return {(name, key) for name, result in results.items() for key in result}


@pytest.mark.real_redis
def test_each_measurement_checks_itself_and_has_the_numbers_that_are_wanted():
    with presence.server() as client:
        people, crowd = People(client, Space("bench")), presence.names(500)
        results = {
            "connect": presence.measure_fill(client, people, crowd),
            "look": presence.measure_look(client, people, crowd, rounds=5),
            "beats": presence.measure_beats(client, people, crowd, seconds=0.2),
            "silence": presence.measure_silent_beats(client, people, crowd),
            "seen": presence.measure_seen(client, people, 200),
            "leaving": presence.measure_leaving(client, people, crowd),
        }
    assert wanted_of(results) <= numbers_of(results)
    assert results["leaving"]["people"] == 500


@pytest.mark.real_redis
def test_lists_of_who_was_seen_are_measured_from_redis_and_from_sql():
    with presence.server() as client:
        results = {"online": online.measure(client, 1_300, rounds=1)}
        client.flushall()
        saved = stored.measure(client, 1_300, rounds=1)
    assert wanted_of(results) <= numbers_of(results)
    assert saved.keys() > results["online"].keys() - {"reading_all_ms"}
    assert saved["staying_us_a_beat"] < saved["staying_us"]


@pytest.mark.real_redis
def test_who_is_not_announced_fails_the_measurement():
    with presence.server() as client:
        people, crowd = People(client, Space("bench")), presence.names(500)
        presence.measure_fill(client, people, crowd)
        people.close_all_of([(crowd[0], "s1")])
        with pytest.raises(AssertionError):
            presence.measure_leaving(client, people, crowd)


def test_a_result_is_kept_as_soon_as_it_is_there(tmp_path, capsys):
    path = tmp_path / "results" / "presence.json"
    report = Report(path, {"sizes": {"people": 3}})
    report.take("look", {"ms_p99": 4.0, "ms_p50": 1.23456789})
    report.take("http", {"beats_a_second": 19_999.0})
    kept = json.loads(path.read_text())
    assert kept["sizes"] == {"people": 3}
    assert kept["results"]["look"] == {"ms_p99": 4.0, "ms_p50": 1.2346}
    assert [
        ("kept" in line, "MISSED" in line) for line in capsys.readouterr().out.splitlines()
    ] == [
        (True, False),
        (False, True),
    ]


def test_the_published_page_has_every_bar_of_presence_with_its_misses():
    folder = ROOT / "bench" / "results"
    page = (folder / "README.md").read_text()
    found = bars(json.loads((folder / "presence.json").read_text()))
    assert {bar.what.partition(",")[0] for bar in found} >= {"presence: leaving", "presence: look"}
    for bar in found:
        mark = "kept" if bar.kept else "**missed**"
        assert f"| {bar.what} | {bar.wanted} | {bar.measured} | {mark} |" in page
