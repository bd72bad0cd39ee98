"""Presence's measurements run, are checked, and are kept with what is wanted of them."""

import json

import pytest

from bench.presence import measures as presence
from bench.presence.report import BARS, Report
from presence.keys import Space
from presence.people import People


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
        with pytest.raises(AssertionError):
            presence.measure_leaving(client, people, crowd)
    wanted = {(name, key) for name, key in BARS if name in results}
    assert wanted <= {(name, key) for name, result in results.items() for key in result}
    assert results["leaving"]["people"] == 500


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
