"""Bars of two results under the same load: of two databases, of two numbers of dashboards."""

from collections.abc import Iterator
from typing import Any

from bench.report.bar import Bar, where_of, workers_of
from bench.results import medians

#: What a scenario of the same load may differ in.
_NOT_OF_THE_LOAD = ("rounds", "seconds", "sides", "poll_seconds")


def _load(result: dict[str, Any], *but: str) -> dict[str, Any]:
    """What was asked of the servers, without some of it."""
    without = (*_NOT_OF_THE_LOAD, *but)
    # Results of before there were lines have none.
    return {"line": ""} | {k: v for k, v in result["scenario"].items() if k not in without}


def databases(results: list[dict[str, Any]]) -> Iterator[Bar]:
    """PostgreSQL by SQLite, of two results under the same load, each the median of its rounds."""

    def load(result: dict[str, Any]) -> dict[str, Any]:
        return _load(result, "database")

    p95 = "lineup.ms.p95"
    measured = [(result, medians(result)) for result in results]
    of = {
        database: [each for each in measured if each[0]["scenario"]["database"] == database]
        for database in ("sqlite", "postgres")
    }
    for result, there in of["postgres"]:
        here = next((f for other, f in of["sqlite"] if load(other) == load(result)), {})
        if here.get(p95) and p95 in there:
            scenario = result["scenario"]
            where = f"{where_of(scenario)}, {workers_of(scenario)}"
            what = f"p95 on the socket, PostgreSQL by SQLite ({where})"
            yield Bar(what, there[p95] / here[p95], most=1.3)


def frames(results: list[dict[str, Any]]) -> Iterator[Bar]:
    """The server's processor time for a frame that a dashboard acknowledges: what a hundred
    dashboards take more than one does, of two results under the same load."""
    cpu = "lineup.cpu_us_server"

    def of(count: int) -> list[tuple[dict[str, Any], dict[str, float]]]:
        found = [(r, medians(r)) for r in results if r["scenario"]["dashboards"] == count]
        return [each for each in found if cpu in each[1]]

    ones = of(1)
    for result, many in of(100):
        load = _load(result, "dashboards")
        one = next((f for other, f in ones if _load(other, "dashboards") == load), None)
        if one is not None:
            sent = 99 * many["lineup.frames_a_second"]
            us = (many[cpu] - one[cpu]) * result["scenario"]["rate"] / sent
            yield Bar(
                f"µs of the server for an acknowledged frame ({where_of(result['scenario'])})",
                us,
                most=80.0,
            )
