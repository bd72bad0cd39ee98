"""The bars of benches with result files of their own."""

import pytest

from bench.report.alone import bars
from bench.results import write

SIZES = {"threads": 1_000, "changes": 2_000}


@pytest.fixture
def bars_of(tmp_path):
    def found(name, content, database="sqlite"):
        write(tmp_path / name, {"sizes": SIZES | {"database": database}} | content)
        return {bar.what: (bar.value, bar.kept) for bar in bars(tmp_path)}

    return found


def test_the_slowest_list_of_the_past_counts(bars_of):
    seconds = {"arrival": {"p50": 0.9, "max": 0.4}, "lang:vi": {"p50": 0.1, "max": 0.6}}
    [(what, found)] = bars_of("history.json", {"seconds": seconds}).items()
    assert found == (0.6, False)
    assert what == "seconds of the slowest list of the past (1,000 threads, 2,000 changes, SQLite)"


@pytest.mark.parametrize(("database", "count"), [("sqlite", 1), ("postgres", 0)])
def test_bytes_of_a_change_are_promised_for_sqlite_alone(bars_of, database, count):
    assert len(bars_of("history.json", {"bytes_a_change": 240}, database)) == count


def test_the_slowest_report_and_the_events_beside_reports_have_bars(bars_of):
    content = {"seconds": {"new": 0.2, "waiting day": 0.9}, "event": {"p95_ratio": 1.2}}
    found = bars_of("reports-postgres.json", content, "postgres")
    assert list(found.values()) == [(0.9, True), (1.2, False)]


def test_a_free_place_is_filled_within_a_second(bars_of):
    content = {"with": {"closing": {"filled_p99_ms": 1_000.0}}}
    assert list(bars_of("queues.json", content).values()) == [(1_000.0, True)]
