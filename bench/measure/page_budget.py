"""The cost of the workspace for the browser: a real Chromium on a long list that keeps moving.

First the page is only shown, then it is used. At the end the rows on screen must equal SQL's.
"""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.drive.drivers import Dashboards, PythonDriver
from bench.latency import percentile, spread
from bench.measure.live import Live
from bench.measure.painted import paint_ms
from bench.processes import BenchError, wait_for
from bench.sides.lineup import Lineup

#: A frame that takes longer is seen as a stutter.
FRAME_MS = 50
#: The browser reports only longer interactions; each of the others counts as this long.
SHORTEST_MS = 16.0
#: Time after the last event within which the rows must equal SQL's.
SETTLE_SECONDS = 15.0
#: Fewest rows on screen: fewer would prove little.
ROWS_LEAST = 8


@dataclass(frozen=True)
class PageBudget:
    """`seconds` of watching, `act_seconds` of working, `loads` with an empty cache."""

    threads: int
    rate: float = 50.0
    seconds: float = 30.0
    act_seconds: float = 20.0
    loads: int = 3
    dashboards: int = 1
    rounds: int = 1

    def live(self) -> Live:
        return Live(self.threads, self.dashboards, self.rate)


def run(budget: PageBudget, folder: Path, templates: Path, deadline: float) -> dict[str, Any]:
    lineup = Lineup(budget.live().setting(), folder / "lineup", templates)
    others: Dashboards | None = None
    window: PythonDriver | None = None
    try:
        lineup.start()
        if budget.dashboards > 1:
            count = {"dashboards": budget.dashboards - 1, "whole": False}
            others = Dashboards(lineup.dashboard_settings() | count, lineup.log)
        settings = lineup.dashboard_settings() | {"loads": budget.loads}
        window = PythonDriver("bench.drive.window", settings, lineup.log)
        cold = window.hear()
        rounds = [_round(budget, lineup, window, number) for number in range(budget.rounds)]
    finally:
        for part in (window, others):
            if part is not None:
                part.stop()
        lineup.stop()
    for measured in rounds:
        measured |= _opening(cold)
    return {
        "bench": "pagebudget",
        "scenario": asdict(budget),
        "rounds": rounds,
        "broken": {},
    }


def _round(budget: PageBudget, lineup: Lineup, window: PythonDriver, number: int) -> dict[str, Any]:
    targets = budget.live().targets()
    last_id = lineup.ordered()[-1][1]
    to_end_ms = window.do(f"end {last_id}")
    window.do("top")
    window.do("clear")
    before = window.do("report")
    posted = lineup.post(targets, budget.rate, budget.seconds, f"l{number}")
    wait_until_right(lineup, window)
    looked = window.do("report")
    window.do("clear")
    window.tell(f"act {budget.act_seconds:g}")
    lineup.post(targets, budget.rate, budget.act_seconds, f"a{number}")
    window.hear()
    acted = window.do("report")
    window.do("top")
    wait_until_right(lineup, window)
    if problems := acted["problems"]:
        raise BenchError(f"the page's scripts failed: {problems}")
    times = paint_ms(posted, looked["painted"], looked["shift_ms"])
    return {
        "to_end_ms": to_end_ms,
        "held": looked["held"],
        "paint_ms": spread(times),
        "unseen": 1 - len(times) / len(posted),
        "looking": _frames(looked),
        "acting": _frames(acted),
        "interaction_ms": _interactions(acted),
        "heap_mib": mib(looked["heap"]),
        "heap_acting_mib": mib(acted["heap"]),
        "heap_growth_mib": mib(looked["heap"] - before["heap"]),
        "nodes": max(looked["nodes"], acted["nodes"]),
        "elements": max(looked["shown"], acted["shown"]),
    }


def wait_until_right(lineup: Lineup, window: PythonDriver) -> None:
    """Waits until the rows on screen are the first in SQL's order. Raises BenchError."""
    truth = [id for _, id in lineup.ordered()]

    def is_right() -> bool:
        rows = window.do("rows")
        return len(rows) >= ROWS_LEAST and rows == truth[: len(rows)]

    wait_for(is_right, SETTLE_SECONDS, "the rows on screen being what SQL orders")


def _opening(cold: list[dict[str, Any]]) -> dict[str, float]:
    """Returns the slowest of the loads; the first one also starts parts of Chromium."""
    return {
        "first_rows_ms": max(each["firstRows"] for each in cold),
        "script_bytes": sum(cold[-1]["scripts"].values()),
    }


def _frames(report: dict[str, Any]) -> dict[str, float]:
    """Counts late frames, as the browser reports them and by the page's own clock."""
    return {
        "longest_ms": max([*report["longFrames"], *report["longTasks"], *report["gaps"]]),
        "long_frames": len(report["longFrames"]),
        "long_tasks": len(report["longTasks"]),
        "late_gaps": sum(gap > FRAME_MS for gap in report["gaps"]),
        "frames": len(report["gaps"]),
    }


def _interactions(report: dict[str, Any]) -> dict[str, float]:
    reported = list(report["interactions"].values())
    presses = max(report["presses"], len(reported))
    if not presses:
        raise BenchError("no interactions were measured")
    times = reported + [SHORTEST_MS] * (presses - len(reported))
    return {"p50": percentile(times, 50), "p98": percentile(times, 98), "presses": presses}


def mib(size: float) -> float:
    return round(size / 2**20, 2)
