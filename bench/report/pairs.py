"""Bars of two results under the same load: of two databases, or two numbers of dashboards."""

from collections.abc import Iterator
from typing import Any

from bench.report.bar import Bar, where_of, workers_of
from bench.results import medians

#: Members of a scenario that may differ under the same load.
_NOT_OF_THE_LOAD = ("rounds", "seconds", "sides", "poll_seconds")

Results = list[dict[str, Any]]


def databases(results: Results) -> Iterator[Bar]:
    """Yields PostgreSQL's results divided by SQLite's, both medians of their rounds."""
    p95 = "lineup.ms.p95"
    for scenario, there, here in _pairs(results, p95, "database", "postgres", "sqlite"):
        where = f"{where_of(scenario)}, {workers_of(scenario)}"
        what = f"p95 on the socket, PostgreSQL by SQLite ({where})"
        yield Bar(what, there[p95] / here[p95], most=1.3)


def frames(results: Results) -> Iterator[Bar]:
    """Yields the server's processor time for an acknowledged frame: a hundred dashboards against
    one."""
    cpu = "lineup.cpu_us_server"
    for scenario, many, one in _pairs(results, cpu, "dashboards", 100, 1):
        what = f"µs of the server for an acknowledged frame ({where_of(scenario)})"
        sent = 99 * many["lineup.frames_a_second"]
        yield Bar(what, (many[cpu] - one[cpu]) * scenario["rate"] / sent, most=80.0)


def _pairs(
    results: Results, number: str, key: str, value: Any, other: Any
) -> Iterator[tuple[dict[str, Any], dict[str, float], dict[str, float]]]:
    """Yields pairs of results with the number under the same load, one with `value`, the other with
    `other`: the first one's scenario, and the medians of both.
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
    """Returns what the servers were asked. Results from before there were lines have none."""
    return {"line": ""} | {k: v for k, v in scenario.items() if k not in _NOT_OF_THE_LOAD}
