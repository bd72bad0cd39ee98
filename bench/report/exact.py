"""The page's part about time to exact: each load with its times, and pictures of growth."""

from collections.abc import Iterator
from math import isnan
from typing import Any, NamedTuple

from bench.exactness import LATE_MS
from bench.report import charts
from bench.report.bar import Bar

#: The point from which one number grows at a time: threads, views, dashboards, events a second.
ONE = (100_000, 100, 50, 50.0)
_AXES = ("threads", "saved views", "dashboards", "events a second")
_HEADER = (
    "| side | threads | views | dashboards | events/s | p50 | p95 | p99 | longest | late"
    " | not exact | lists p99 | badges p99 | server µs an event |\n" + "|---" * 14 + "|"
)
_ABOUT = f"""## Time to exact

From the answer to an event until **every** list and **every** badge on **every** dashboard has it,
in ms. Each dashboard has a saved view open and all badges. It counts as exact by versions, never by
its looks; an event is late after {LATE_MS:g} ms, and not exact if some list or badge never had it.
*counting* is the usual way: a view on a screen is selected again at most every 5 s, and a badge is
counted again at most every 45 s.
"""


class Point(NamedTuple):
    """One measured load, and what was found."""

    side: str
    load: tuple[int, int, int, float]
    found: dict[str, Any]

    @property
    def row(self) -> str:
        ms = self.found["ms"]
        threads, views, dashboards, rate = self.load
        parts = [each["p99"] if each else None for each in map(self.found.get, _PARTS)]
        times = [ms[name] for name in ("p50", "p95", "p99", "max")]
        shown = [_text(value) for value in (*times, *parts)]
        counts = [f"{self.found[name]:,}" for name in ("late", "not_exact")]
        cells = [self.side, f"{threads:,}", f"{views:,}", f"{dashboards:,}", f"{rate:g}"]
        cells += [*shown[:4], *counts, *shown[4:], f"{self.found['cpu_us_server']:,.0f}"]
        return f"| {' | '.join(cells)} |"


def _text(ms: float | None) -> str:
    """Returns whole milliseconds; nothing if no event has a time."""
    return "" if ms is None or isnan(ms) else f"{ms:,.0f}"


_PARTS = ("lists_ms", "badges_ms")


def points(results: list[dict[str, Any]]) -> list[Point]:
    """Returns the points of all results of this bench."""
    found = []
    for result in results:
        if result["bench"] != "exact" or not result["rounds"]:
            continue
        scenario = result["scenario"]
        measured = result["rounds"][0][scenario["side"]]
        for dashboards, rate in scenario["points"]:
            load = (scenario["threads"], scenario["views"], dashboards, rate)
            if one := measured.get(f"{dashboards} at {rate:g}"):
                found.append(Point(scenario["side"], load, one))
    return found


def bars(result: dict[str, Any]) -> Iterator[Bar]:
    for side, (threads, views, dashboards, rate), found in points([result]):
        if side != "lineup":
            continue
        where = f"{threads:,} threads, {views:,} views, {dashboards} dashboards, {rate:g} events/s"
        yield Bar(f"events that were never exact ({where})", found["not_exact"], most=0)
        yield Bar(f"badges that were wrong as of their call ({where})", found["wrong"], most=0)
        if (views, dashboards, rate) == ONE[1:]:
            yield Bar(f"p99 to exact in ms ({where})", found["ms"]["p99"], most=LATE_MS)


def section(results: list[dict[str, Any]]) -> Iterator[str]:
    """Yields the text, without pictures; nothing if it was not measured."""
    measured = sorted(points(results), key=lambda point: (point.side != "lineup", point.load))
    if not measured:
        return
    yield _ABOUT
    yield _HEADER
    yield from (point.row for point in measured)
    yield ""
    yield from _largest(measured)


def _largest(measured: list[Point]) -> Iterator[str]:
    kept = [
        point
        for point in measured
        if point.side == "lineup" and _is_in_time(point.found) and point.load[0] >= ONE[0]
    ]
    for threads in sorted({point.load[0] for point in kept}):
        loads = [point.load for point in kept if point.load[0] == threads]
        most = max(loads, key=lambda load: load[1] * load[2] * load[3])
        _, views, dashboards, rate = most
        yield (
            f"With {threads:,} threads the largest load with a p99 of at most {LATE_MS:g} ms was"
            f" {views:,} views × {dashboards} dashboards × {rate:g} events a second.\n"
        )


def _is_in_time(found: dict[str, Any]) -> bool:
    return not found["not_exact"] and found["ms"]["p99"] <= LATE_MS


def pictures(results: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """Yields a name and a picture for each number that grows alone."""
    measured = points(results)
    for axis, name in enumerate(_AXES):
        lines = {}
        for side in ("lineup", "counting"):
            along = sorted(
                (point.load[axis], point.found["ms"])
                for point in measured
                if point.side == side and _differs_only_in(point.load, axis)
            )
            for which in ("p50", "p99"):
                lines[f"{side} {which}"] = [(x, ms[which]) for x, ms in along if ms[which] > 0]
        lines = {label: found for label, found in lines.items() if len(found) > 1}
        if lines:
            title = f"Time to exact by {name}"
            yield f"exact-{name.replace(' ', '-')}", charts.lines(title, f"ms by {name}", lines)


def _differs_only_in(load: tuple[int, int, int, float], axis: int) -> bool:
    return all(
        own == one for at, (own, one) in enumerate(zip(load, ONE, strict=True)) if at != axis
    )
