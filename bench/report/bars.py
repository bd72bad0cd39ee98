"""The bars: promised limits, and whether the results keep them."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from bench.machine import was_quiet
from bench.measure.live import SHORT
from bench.report import exact
from bench.report.bar import Bar, where_of, workers_of
from bench.report.pairs import databases, frames
from bench.results import medians, ratio


def bars(results: list[dict[str, Any]]) -> list[Bar]:
    found: list[Bar] = []
    whole = [result for result in results if not result["broken"].get("all")]
    for result in whole:
        quiet = was_quiet(result)
        found += [replace(bar, quiet=quiet) for bar in _BY_BENCH[result["bench"]](result)]
    live = [result for result in whole if result["bench"] == "live"]
    return [*found, *databases(live), *frames(live)]


def _live(result: dict[str, Any]) -> Iterator[Bar]:
    scenario = result["scenario"]
    threads, dashboards, kind = (scenario[key] for key in ("threads", "dashboards", "workload"))
    where = where_of(scenario)
    line = scenario.get("line", "")
    if line:
        where += f", each on {line}"
        yield from _on_a_line(result, where)
    elif (threads, dashboards) == (10_000, 50):
        least = 400.0 if kind == "below" else 100.0
        fewer = ratio(result, "recipe.bytes", "lineup.bytes")
        if fewer is not None:
            yield Bar(f"bytes, recipe by Lineup ({where})", fewer, least=least)
    by_floor = ratio(result, "lineup.ms.p95", "floor.ms.p95")
    if by_floor is not None and dashboards == 500:
        yield Bar(f"p95 on the socket by the floor ({where})", by_floor, most=1.5)
    resident = result.get("memory", {}).get("lineup", {}).get("server")
    if resident is not None and (threads, dashboards) == (100_000, 100):
        yield Bar(f"MB of a worker ({where})", resident / 1e6, most=200.0)
    short = f"{SHORT}1000"
    for name in ("bytes", "cpu_us_server"):
        grown = ratio(result, f"lineup.{name}", f"{short}.{name}")
        if grown is not None:
            yield Bar(f"{name}, {threads:,} threads by 1,000 ({kind})", grown, most=1.2)


#: What a dashboard on a usual line may take: seconds until a row is right, and MB an hour for each
#: event a second.
_ROW_SECONDS, _MB_AN_HOUR = 0.5, 3.0


def _on_a_line(result: dict[str, Any], where: str) -> Iterator[Bar]:
    found, rate = medians(result), result["scenario"]["rate"]
    if "lineup.ms.p95" in found:
        seconds = found["lineup.ms.p95"] / 1_000
        yield Bar(f"seconds until a row is right, p95 ({where})", seconds, most=_ROW_SECONDS)
        size = found["lineup.bytes"] * rate * 3_600 / 1e6
        yield Bar(f"MB a dashboard an hour ({where})", size, most=_MB_AN_HOUR * rate)


#: Least ratio of accepted single events to empty posts, by database.
_SINGLE_BY_EMPTY = {"sqlite": 0.4, "postgres": 0.35}


def _accept(result: dict[str, Any]) -> Iterator[Bar]:
    scenario = result["scenario"]
    build = f"{scenario['threads']:,} threads, {scenario['async_mode']}, {scenario['database']}"
    build += f", {workers_of(scenario)}"
    single = ratio(result, "single.a_second", "empty post.a_second")
    batch = ratio(result, "batch.a_second", "single.a_second")
    at = {name: f"{found:g}" for name, found in medians(result).items() if "connections" in name}
    # Several workers only pay off with PostgreSQL.
    if single is not None and (scenario["workers"] == 1 or scenario["database"] == "postgres"):
        by = f"on {at['single.connections']} and {at['empty post.connections']} connections"
        least = _SINGLE_BY_EMPTY[scenario["database"]]
        yield Bar(f"accepted single events by empty posts ({build}; {by})", single, least=least)
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
        yield Bar(f"seconds to rebuild {threads:,} threads", seconds, most=30.0)


def _painted(result: dict[str, Any]) -> Iterator[Bar]:
    scenario = result["scenario"]
    where = f"{scenario['threads']:,} threads, {scenario['dashboards']} dashboards"
    found = medians(result).get("lineup.ms.p95")
    if found is not None and (scenario["threads"], scenario["dashboards"]) == (100_000, 100):
        yield Bar(f"painted p95 in ms ({where}, {scenario['rate']:g} events/s)", found, most=100.0)


#: The limits of the workspace in the browser, by the path of the number.
_BUDGET = {
    "paint_ms.p95": ("ms from post to paint, p95", 100.0),
    "looking.longest_ms": ("ms of the longest frame, looking on", 50.0),
    "acting.longest_ms": ("ms of the longest frame, working", 50.0),
    "interaction_ms.p98": ("ms until a press is answered, p98", 100.0),
    "heap_mib": ("MiB of heap", 40.0),
    "heap_acting_mib": ("MiB of heap, working", 40.0),
    "elements": ("DOM elements", 1_500.0),
    "script_bytes": ("bytes of scripts transferred before the first rows", 60_000.0),
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


#: The limits of the first load, by the path of the number.
_FIRST_LOAD = {
    "150ms.cold.first_rows_ms": ("ms to the first rows (150 ms, 1.6 Mbit/s, cold)", 1_800.0),
    "150ms.again.first_rows_ms": ("ms to the first rows (150 ms, 1.6 Mbit/s, reloaded)", 900.0),
    "150ms.cold.skeleton_ms": ("ms to the skeleton (150 ms, 1.6 Mbit/s, cold)", 800.0),
    "150ms.cold.requests": ("requests before the first rows", 12.0),
    "300ms.cold.first_rows_ms": ("ms to the first rows (300 ms, 1.6 Mbit/s, cold)", 3_000.0),
    "300ms.again.first_rows_ms": ("ms to the first rows (300 ms, 1.6 Mbit/s, reloaded)", 1_400.0),
    "processor.cold.first_rows_ms": ("ms to the first rows (processor ÷ 4, cold)", 1_800.0),
}


def _first_load(result: dict[str, Any]) -> Iterator[Bar]:
    found = medians(result)
    for path, (what, most) in _FIRST_LOAD.items():
        if path in found:
            yield Bar(f"page: {what}", found[path], most=most)


def _churn(result: dict[str, Any]) -> Iterator[Bar]:
    minutes = result["scenario"]["minutes"]
    found = medians(result)
    if "heap_mib" in found:
        what = f"page: MiB of heap at most, in {minutes:g} minutes of churn"
        yield Bar(what, found["heap_mib"], most=40.0)
    if "server_mib" in found:
        megabytes = found["server_mib"] * 2**20 / 1e6
        yield Bar(f"MB of a worker at most, in {minutes:g} minutes of churn", megabytes, most=200.0)


def _views(result: dict[str, Any]) -> Iterator[Bar]:
    scenario, memory = result["scenario"], result["memory"]
    if scenario.get("worst"):
        where = f"the {scenario['views']:,} worst saved views, {scenario['rate']:g} events/s"
        more = ratio(result, "lineup.cpu_us", "without.cpu_us")
        if more is not None:
            yield Bar(f"processor an event, by that without views ({where})", more, most=3.0)
        return
    if (scenario["threads"], scenario["views"]) != (100_000, 1_000):
        return
    where = f"{scenario['views']:,} saved views, {scenario['rate']:g} events/s"
    more = ratio(result, "lineup.cpu_us_server", "without.cpu_us_server")
    if more is not None:
        yield Bar(
            f"processor of the server an event, by that without views ({where})", more, most=1.5
        )
    later = ratio(result, "lineup.ms.p95", "without.ms.p95")
    if later is not None:
        yield Bar(f"p95 on the socket, by that without views ({where})", later, most=1.3)
    if "bytes_an_entry" in memory:
        what = "bytes of Redis an entry of a saved view"
        yield Bar(f"{what} ({where})", memory["bytes_an_entry"], most=120.0)
    if "delay_by_saving_ms" in memory:
        what = "ms by which saving a view delays an event at most"
        yield Bar(f"{what} ({where})", memory["delay_by_saving_ms"], most=100.0)


#: The most seconds to build a list of a million threads, by its kind.
_BUILDING = {
    "100 of a million": 0.3,
    "10,000 of a million": 1.5,
    "10,000 of a million, by time": 1.5,
}


def _view_lists(result: dict[str, Any]) -> Iterator[Bar]:
    found = medians(result)
    threads = result["scenario"]["threads"]
    if threads >= 1_000_000:
        for name, most in _BUILDING.items():
            if (seconds := found.get(f"build.{name}.seconds")) is not None:
                yield Bar(f"seconds of building a list: {name}", seconds, most=most)
    for count in (500, 1_000):
        if (held := found.get(f"place.on {count} lists.redis_ms")) is not None:
            yield Bar(f"ms of Redis to place a thread on {count:,} lists", held, most=20.0)


def _moments(result: dict[str, Any]) -> Iterator[Bar]:
    scenario = result["scenario"]
    if scenario["threads"] < 1_000_000:
        return
    where = f"{scenario['threads']:,} rows in the due queue, by that without"
    idle = ratio(result, "waiting.idle_millicores_server", "without.idle_millicores_server")
    if idle is not None:
        yield Bar(f"processor of an idle server ({where})", idle, most=1.1)
    later = ratio(result, "waiting.ms.p95", "without.ms.p95")
    if later is not None:
        where += f", {scenario['rate']:g} events/s"
        yield Bar(f"p95 on the socket ({where})", later, most=1.1)


#: The limits of an idle server, by the path of the number.
_IDLE = {
    "nobody.redis_calls_worker": ("calls of Redis a second", 5.0),
    "nobody.millicores_worker": ("thousandths of a processor", 5.0),
    "nobody.millicores_redis": ("thousandths of a processor, Redis", 2.0),
    "people.millicores_worker": ("thousandths of a processor, 1,000 people here", 20.0),
}


def _idle(result: dict[str, Any]) -> Iterator[Bar]:
    scenario = result["scenario"]
    if scenario["people"] != 1_000:
        return
    found = medians(result)
    where = f"{scenario['threads']:,} threads, {scenario['views']} views, {workers_of(scenario)}"
    for path, (what, most) in _IDLE.items():
        if path in found:
            yield Bar(f"an idle worker: {what} ({where})", found[path], most=most)


def _policies(result: dict[str, Any]) -> Iterator[Bar]:
    scenario = result["scenario"]
    delay = medians(result).get("lineup.delay_ms")
    if delay is not None and scenario["threads"] >= 170_000:
        where = f"100,000 waiting threads, {scenario['rate']:g} events/s"
        what = "ms by which a changed policy delays an event at most"
        yield Bar(f"{what} ({where})", delay, most=100.0)


#: Seconds until all lists are live again: docs/requirements/faults.md. All other faults have 5 s.
_LIVE_WITHIN = {"Redis is killed and starts empty": 10.0, "one of two workers is killed": 10.0}


def _faults(result: dict[str, Any]) -> Iterator[Bar]:
    fault = result["scenario"]["fault"]
    if result["rounds"]:
        slowest = max(measured["live_seconds"] for measured in result["rounds"])
        what = f"seconds until all lists are live again, at most ({fault}, 200 events/s)"
        yield Bar(what, slowest, most=_LIVE_WITHIN.get(fault, 5.0))


_BY_BENCH: dict[str, Callable[[dict[str, Any]], Iterator[Bar]]] = {
    "live": _live,
    "accept": _accept,
    "placing": _placing,
    "lists": _lists,
    "painted": _painted,
    "pagebudget": _page_budget,
    "firstload": _first_load,
    "churn": _churn,
    "views": _views,
    "viewlists": _view_lists,
    "moments": _moments,
    "policies": _policies,
    "faults": _faults,
    "idle": _idle,
    "exact": exact.bars,
}
