"""The bars: what was promised, and whether the results keep it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from bench.live import SHORT
from bench.results import medians, ratio


@dataclass(frozen=True)
class Bar:
    """`value` is what was measured; kept where it is at least `least`, or at most `most`."""

    what: str
    value: float
    least: float | None = None
    most: float | None = None

    @property
    def kept(self) -> bool:
        at_least = self.least is None or self.value >= self.least
        return at_least and (self.most is None or self.value <= self.most)

    @property
    def wanted(self) -> str:
        return f"≥ {self.least:g}" if self.least is not None else f"≤ {self.most:g}"


def bars(results: list[dict[str, Any]]) -> list[Bar]:
    found: list[Bar] = []
    for result in results:
        if not result["broken"].get("all"):
            found += _BY_BENCH[result["bench"]](result)
    return found


def _live(result: dict[str, Any]) -> Iterator[Bar]:
    scenario = result["scenario"]
    threads, dashboards, kind = (scenario[key] for key in ("threads", "dashboards", "workload"))
    where = f"{threads:,} threads, {dashboards} dashboards, {scenario['rate']:g} events/s, {kind}"
    if (threads, dashboards) == (10_000, 50):
        least = {"screen": 100.0, "random": 100.0, "below": 400.0}[kind]
        fewer = ratio(result, "recipe.bytes", "lineup.bytes")
        if fewer is not None:
            yield Bar(f"bytes, recipe by Lineup ({where})", fewer, least=least)
        sooner = ratio(result, "recipe.ms.p95", "lineup.ms.p95")
        if sooner is not None:
            yield Bar(f"p95 on the socket, recipe by Lineup ({where})", sooner, least=10.0)
    short = f"{SHORT}1000"
    for name in ("bytes", "cpu_us_server"):
        grown = ratio(result, f"lineup.{name}", f"{short}.{name}")
        if grown is not None:
            yield Bar(f"{name}, {threads:,} threads by 1,000 ({kind})", grown, most=1.2)


def _accept(result: dict[str, Any]) -> Iterator[Bar]:
    scenario = result["scenario"]
    build = f"{scenario['threads']:,} threads, {scenario['async_mode']}, {scenario['database']}"
    build += f", {scenario['workers']} worker" + ("s" if scenario["workers"] > 1 else "")
    single = ratio(result, "single.a_second", "empty post.a_second")
    batch = ratio(result, "batch.a_second", "single.a_second")
    at = {name: f"{found:g}" for name, found in medians(result).items() if "connections" in name}
    if single is not None and scenario["workers"] == 1:
        by = f"on {at['single.connections']} and {at['empty post.connections']} connections"
        yield Bar(f"accepted single events by empty posts ({build}; {by})", single, least=0.5)
    if batch is not None:
        by = f"on {at['batch.connections']} and {at['single.connections']} connections"
        yield Bar(f"accepted in batches by single ({build}; {by})", batch, least=4.0)


def _placing(result: dict[str, Any]) -> Iterator[Bar]:
    for batch in result["scenario"]["batches"]:
        found = ratio(result, f"{batch}.place", f"{batch}.zadd")
        if found is not None:
            yield Bar(f"placing by bare ZADDs, {batch} at a time", found, least=0.3)


def _lists(result: dict[str, Any]) -> Iterator[Bar]:
    threads = result["scenario"]["threads"]
    seconds = medians(result).get("rebuild_seconds")
    if seconds is not None:
        yield Bar(f"seconds to rebuild {threads:,} threads", seconds, most=60.0)


def _painted(result: dict[str, Any]) -> Iterator[Bar]:
    scenario = result["scenario"]
    where = f"{scenario['threads']:,} threads, {scenario['dashboards']} dashboards"
    found = medians(result).get("lineup.ms.p95")
    if found is not None and (scenario["threads"], scenario["dashboards"]) == (100_000, 100):
        yield Bar(f"painted p95 in ms ({where}, {scenario['rate']:g} events/s)", found, most=100.0)
    sooner = ratio(result, "recipe.ms.p95", "lineup.ms.p95")
    if sooner is not None:
        where += f", {scenario['rate']:g} events/s"
        yield Bar(f"painted p95, recipe by Lineup ({where})", sooner, least=10.0)


#: What the workspace may cost the browser, by the number's path.
_BUDGET = {
    "paint_ms.p95": ("ms from post to paint, p95", 100.0),
    "looking.longest_ms": ("ms of the longest frame, looking on", 50.0),
    "acting.longest_ms": ("ms of the longest frame, working", 50.0),
    "interaction_ms.p98": ("ms until a press is answered, p98", 100.0),
    "heap_mib": ("MiB of heap", 40.0),
    "heap_acting_mib": ("MiB of heap, working", 40.0),
    "elements": ("DOM elements", 1_500.0),
    "script_bytes": ("bytes of own scripts before the first rows, gzipped", 60_000.0),
    "first_rows_ms": ("ms to the first rows, cold", 1_000.0),
}


def _page_budget(result: dict[str, Any]) -> Iterator[Bar]:
    scenario = result["scenario"]
    if scenario["threads"] < 100_000:
        return
    where = f"{scenario['threads']:,} threads, {scenario['rate']:g} moves/s"
    found = medians(result)
    for path, (what, most) in _BUDGET.items():
        if path in found:
            yield Bar(f"page: {what} ({where})", found[path], most=most)


def _churn(result: dict[str, Any]) -> Iterator[Bar]:
    minutes = result["scenario"]["minutes"]
    heap = medians(result).get("heap_mib")
    if heap is not None:
        yield Bar(f"page: MiB of heap at most, in {minutes:g} minutes of churn", heap, most=40.0)


_BY_BENCH: dict[str, Callable[[dict[str, Any]], Iterator[Bar]]] = {
    "live": _live,
    "accept": _accept,
    "placing": _placing,
    "lists": _lists,
    "painted": _painted,
    "pagebudget": _page_budget,
    "churn": _churn,
}
