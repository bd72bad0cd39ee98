"""Time to exact: until every list and every badge on every dashboard has an event, by version.

Each dashboard has a saved view open, and all badges. One server has its threads and saved views;
its `points` are measured one after the other: (dashboards, events a second).
"""

import contextlib
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import requests

from bench.drive.drivers import Dashboards, Observer
from bench.exactness import Sample, Stop, Truth, summed, times_to_exact
from bench.measure.views import SAMPLE, SCREEN_SORT, Saved, Views, chosen, wait_until_built
from bench.processes import BenchError, cpu_seconds, wait_for
from bench.sides.counting import Counting
from bench.sides.lineup import Lineup

#: The longest wait for the other side to count all badges again.
COUNTED_SECONDS = 180.0
#: Pause after the views are built, in times of a point: the server is still busy with them.
SETTLE_POINTS = 3
#: Pairs of a thread and a view that are built in a second at least.
PAIRS_A_SECOND = 100_000
#: Views on screens; further dashboards show the same ones.
SCREENS = 100


@dataclass(frozen=True)
class Exact:
    threads: int = 100_000
    views: int = 100
    points: tuple[tuple[int, float], ...] = ((50, 50.0),)
    seconds: float = 10.0
    side: str = "lineup"
    list_seconds: float = 5.0
    badge_seconds: float = 45.0

    @property
    def lasts_seconds(self) -> float:
        return self.threads * self.views / PAIRS_A_SECOND + len(self.points) * (self.seconds + 30.0)

    def at(self, dashboards: int, rate: float) -> Views:
        screens = min(self.views, dashboards, SCREENS)
        return Views(self.threads, self.views, screens, dashboards, rate, self.seconds, 1)

    def targets(self) -> Iterator[tuple[tuple[int, float], list[int]]]:
        """Yields the points, each with threads of its own. A second message to a thread changes no
        length of a list."""
        for number, point in enumerate(self.points):
            yield point, self.at(*point).live().targets()[number :: len(self.points)]


def run(bench: Exact, folder: Path, templates: Path, deadline: float) -> dict[str, Any]:
    measure = _lineup if bench.side == "lineup" else _counting
    points = {}
    for (dashboards, rate), found in measure(bench, folder, templates):
        points[f"{dashboards} at {rate:g}"] = found
    return {
        "bench": "exact",
        "scenario": asdict(bench),
        "rounds": [{bench.side: points}],
        "broken": {},
    }


_Point = tuple[tuple[int, float], dict[str, Any]]


def _lineup(bench: Exact, folder: Path, templates: Path) -> Iterator[_Point]:
    views = bench.at(SCREENS, 1)
    lineup = Lineup(views.live().setting(), folder / "lineup", templates)
    try:
        lineup.start()
        saved = Saved(views, lineup)
        saved.save(chosen(views))
        wait_until_built(lineup)
        time.sleep(SETTLE_POINTS * bench.seconds)
        for point, targets in bench.targets():
            yield point, _Watched(lineup, saved, bench.at(*point), targets).measure()
    finally:
        lineup.stop()


class _Watched:
    """A running Lineup, its saved views, and dashboards whose versions are noted."""

    def __init__(self, lineup: Lineup, saved: Saved, views: Views, targets: list[int]):
        self._lineup, self._saved, self._views = lineup, saved, views
        self._targets = targets
        self._screens = saved.ids[: views.on_screens]
        self._lists = {id: each.id for id, each in saved.lists().items()}

    def measure(self) -> dict[str, Any]:
        views, lineup = self._views, self._lineup
        settings = lineup.dashboard_settings() | {"kind": "exact", "sort": SCREEN_SORT}
        settings |= {"views": self._screens, "whole": SAMPLE, "dashboards": views.dashboards}
        assert lineup.redis is not None
        lists = [self._lists[id] for id in self._screens]
        # It looks before dashboards open: these may hold badges of then.
        with (
            Observer(lineup.redis.url, lists, lineup.log) as observer,
            Dashboards(settings, lineup.log) as dashboards,
        ):
            begun, driver = lineup.cpu(), cpu_seconds(dashboards.pid)
            dashboards.do("reset")
            run = f"{views.dashboards}-{views.rate:g}-{time.time_ns()}"
            posted = lineup.post(self._targets, views.rate, views.seconds, run)
            time.sleep(1.0)
            truth = Truth(Sample(*sample) for sample in observer.do("stop"))
            report = dashboards.do("report")
            used = {name: spent - begun[name] for name, spent in lineup.cpu().items()}
            driver = cpu_seconds(dashboards.pid) - driver
            self._saved.check(dashboards)
        found = self._times(posted, truth, report)
        found |= {f"cpu_us_{name}": 1e6 * spent / len(posted) for name, spent in used.items()}
        received = sum(one["received"] for one in report["dashboards"])
        return found | {
            "bytes": received / len(posted) / views.dashboards,
            "driver_cores": driver / views.seconds,
        }

    def _times(self, posted: list[Any], truth: Truth, report: dict[str, Any]) -> dict[str, Any]:
        answered = [at for _, _, _, at in posted]
        held = report["dashboards"]
        lists = [self._list_stops(truth, number, one) for number, one in enumerate(held)]
        badges = [stops for one in held for stops in _badge_stops(truth, report, one)]
        found = summed(times_to_exact(truth, answered, lists + badges))
        for name, parts in (("lists", lists), ("badges", badges)):
            found[f"{name}_ms"] = summed(times_to_exact(truth, answered, parts))["ms"]
        compared, wrong = truth.wrong(
            (data["as_of"], self._lengths(data["totals"])) for data in _badges_of_views(report)
        )
        return found | {"compared": compared, "wrong": wrong, "samples": len(truth.samples)}

    def _lengths(self, totals: dict[str, int]) -> dict[str, int]:
        """Maps the lists of saved views to their lengths."""
        return {self._lists[id]: total for id, total in totals.items() if id in self._lists}

    def _list_stops(self, truth: Truth, number: int, one: dict[str, Any]) -> list[Stop]:
        list_id = self._lists[self._screens[number % len(self._screens)]]
        return [(truth.of_list(list_id, version), at) for version, at in one["versions"]]


def _badges_of_views(report: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yields the messages with the badges of saved views; other payloads begin otherwise."""
    for payload in report["payloads"]:
        if payload[:1] == ["views:totals"]:
            yield payload[1]


def _badge_stops(
    truth: Truth, report: dict[str, Any], one: dict[str, Any]
) -> tuple[list[Stop], list[Stop]]:
    """Returns the stops of a dashboard's badges of saved views, and of built-in lists."""
    views, pages = list[Stop](), list[Stop]()
    for message, at in one["badges"]:
        name, data = report["payloads"][message]
        if name == "views:totals":
            views.append((truth.of_totals(data["as_of"]), at))
        else:
            pages.append((truth.of_pages(data["as_of"]), at))
    return views, pages


def _counting(bench: Exact, folder: Path, templates: Path) -> Iterator[_Point]:
    """Measures the other side, in its favour: an event is exact on a list or badge as soon as the
    server has selected or counted it again, and at once where that gives the same."""
    pauses = bench.list_seconds, bench.badge_seconds
    for (dashboards, rate), targets in bench.targets():
        views = bench.at(dashboards, rate)
        live = views.live()
        place = folder / f"counting-{dashboards}-{rate:g}"
        side = Counting(live.setting(), place, (bench.views, views.on_screens), pauses)
        try:
            side.start()
            settings = side.dashboard_settings() | {"dashboards": dashboards}
            driven = Dashboards(settings, side.log)
            try:
                begun = side.cpu()["server"]
                posted = side.post(targets, rate, bench.seconds, "exact")
                log = _counted(side, max(at for _, at, _, _ in posted), bench.views)
                used = side.cpu()["server"] - begun
            finally:
                driven.stop()
        finally:
            side.stop()
        found = summed(_times_counted(posted, log))
        yield (dashboards, rate), found | {"cpu_us_server": 1e6 * used / len(posted)}


def _counted(side: Counting, newest: int, views: int) -> dict[str, list[Any]]:
    """Returns, by list or badge, [newest event, ns, whether it changed] of each time it was read,
    once all have the newest event, or after a limit."""

    def read() -> dict[str, list[Any]]:
        answer = requests.get(f"{side.url}/read", timeout=60)
        found: dict[str, list[Any]] = answer.json()
        return found

    def is_whole() -> bool:
        found = read()
        return len(found) >= views and all(log[-1][0] >= newest for log in found.values())

    with contextlib.suppress(BenchError):
        wait_for(is_whole, COUNTED_SECONDS, "all badges being counted again")
    return read()


def _times_counted(posted: list[Any], log: dict[str, list[Any]]) -> list[float | None]:
    found = list[float | None]()
    for _, at, _, answered in posted:
        until: int | None = 0
        for reads in log.values():
            first = next((read for read in reads if read[0] >= at), None)
            if first is None:
                until = None
                break
            if first[2]:
                until = max(until, first[1])
        found.append(None if until is None else max(0.0, (until - answered) / 1e6))
    return found
