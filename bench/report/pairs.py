"""Bars of two results under the same load: of two databases, of two numbers of dashboards."""

from collections.abc import Iterator
from typing import Any

from bench.report.bar import Bar, where_of, workers_of
from bench.results import medians

#: What a scenario of the same load may differ in.
_NOT_OF_THE_LOAD = ("rounds", "seconds", "sides", "poll_seconds")

Results = list[dict[str, Any]]


def databases(results: Results) -> Iterator[Bar]:
    """PostgreSQL by SQLite, each the median of its rounds."""
    p95 = "lineup.ms.p95"
    for scenario, there, here in _pairs(results, p95, "database", "postgres", "sqlite"):
        where = f"{where_of(scenario)}, {workers_of(scenario)}"
        what = f"p95 on the socket, PostgreSQL by SQLite ({where})"
        yield Bar(what, there[p95] / here[p95], most=1.3)


def frames(results: Results) -> Iterator[Bar]:
    """The server's processor time for a frame that a dashboard acknowledges: what a hundred
    dashboards take more than one does."""
    cpu = "lineup.cpu_us_server"
    for scenario, many, one in _pairs(results, cpu, "dashboards", 100, 1):
        what = f"µs of the server for an acknowledged frame ({where_of(scenario)})"
        sent = 99 * many["lineup.frames_a_second"]
        yield Bar(what, (many[cpu] - one[cpu]) * scenario["rate"] / sent, most=80.0)


def _pairs(
    results: Results, number: str, key: str, value: Any, other: Any
) -> Iterator[tuple[dict[str, Any], dict[str, float], dict[str, float]]]:
    """Of each result with this value in its scenario, and of one with the other value under the
    same load otherwise, which both have the number: the first one's scenario, the medians of both.
    """
    measured = [
        (result["scenario"], found) for result in results if (found := medians(result)).get(number)
    ]
    for scenario, numbers in measured:
        if scenario[key] == value:
            wanted = _load(scenario | {key: other})
            others = [each for asked, each in measured if _load(asked) == wanted]
            yield from ((scenario, numbers, each) for each in others[:1])


def _load(scenario: dict[str, Any]) -> dict[str, Any]:
    """What was asked of the servers. Results of before there were lines have none."""
    return {"line": ""} | {k: v for k, v in scenario.items() if k not in _NOT_OF_THE_LOAD}
