"""From post to paint in Chromium: the time until the thread's row is first on the screen."""

import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.drive.drivers import Dashboards, PythonDriver
from bench.latency import spread
from bench.measure.live import SIDES, Live
from bench.processes import BenchError
from bench.sides.lineup import Lineup
from bench.sides.side import Side

#: Seconds after the last event within which a page must have painted it.
PAINT_SECONDS = 2.0


@dataclass(frozen=True)
class Painted:
    """`rate` events a second for all dashboards; `browsers` of them are real."""

    threads: int
    dashboards: int = 50
    rate: float = 10.0
    browsers: int = 1
    seconds: float = 15.0
    rounds: int = 2
    sides: tuple[str, ...] = ("lineup",)

    def live(self) -> Live:
        return Live(self.threads, self.dashboards, self.rate, "random", self.seconds)


def run(painted: Painted, folder: Path, templates: Path, deadline: float) -> dict[str, Any]:
    rounds: list[dict[str, Any]] = []
    broken: dict[str, str] = {}
    for number in range(painted.rounds):
        if number and time.monotonic() > deadline:
            break
        measured = {}
        for name in painted.sides:
            place = folder / f"{name}-{number}"
            setting = painted.live().setting()
            side = SIDES[name](setting, place) if name in SIDES else None
            side = side or Lineup(setting, place, templates)
            try:
                measured[name] = _measure(painted, side)
            except (BenchError, AssertionError) as error:
                broken[name] = str(error)[:300]
        rounds.append(measured)
    return {"bench": "painted", "scenario": asdict(painted), "rounds": rounds, "broken": broken}


def _measure(painted: Painted, side: Side) -> dict[str, Any]:
    side.start()
    parts: list[Any] = []
    try:
        if painted.dashboards > painted.browsers:
            others = {"dashboards": painted.dashboards - painted.browsers, "whole": False}
            parts.append(Dashboards(side.dashboard_settings() | others, side.log))
        browser = PythonDriver(
            "bench.drive.browser",
            side.dashboard_settings() | {"browsers": painted.browsers},
            side.log,
        )
        parts.append(browser)
        opened_ms = browser.hear()
        posted = side.post(painted.live().targets(), painted.rate, painted.seconds, "p")
        time.sleep(PAINT_SECONDS)
        browser.tell("report")
        report = browser.hear()
    finally:
        for part in parts:
            part.stop()
        side.stop()
    return _summed(posted, report) | {"opened_ms": opened_ms}


def paint_ms(posted: list[Any], painted: dict[str, list[float]], shift_ms: float) -> list[float]:
    """Returns the ms from due to painted for each event with a painted row.

    A row counts if it is among the first ones and was painted after its event was due.
    """
    paints = {int(id): [(at + shift_ms) * 1e6 for at in found] for id, found in painted.items()}
    times = []
    for thread, _, due, _ in posted:
        later = [at for at in paints.get(thread, ()) if at >= due]
        if later:
            times.append((later[0] - due) / 1e6)
    return times


def _summed(posted: list[Any], report: dict[str, Any]) -> dict[str, Any]:
    times: list[float] = []
    for page in report["pages"]:
        times += paint_ms(posted, page["painted"], report["shift_ms"])
    if not times:
        raise BenchError("no event was painted")
    return {
        "ms": spread(times),
        "unseen": 1 - len(times) / (len(posted) * len(report["pages"])),
        "heap_mib": [round(page["heap"] / 2**20, 1) for page in report["pages"]],
        "problems": report["problems"],
    }
