"""Events posted at a rate while dashboards look: delays, bytes and processor time."""

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from bench.dataset import is_member, is_open
from bench.drive.drivers import Dashboards, Lines
from bench.latency import seen_ms, spread
from bench.processes import BenchError, cpu_seconds
from bench.sides.lineup import Lineup
from bench.sides.others import Floor, GatheringRecipe, Polling, Recipe
from bench.sides.side import Setting, Side

SIDES: dict[str, type[Side]] = {
    side.name: side for side in (Recipe, GatheringRecipe, Polling, Floor)
}
#: Longest wait for events under way after the last post; later ones count as unseen.
SETTLE_SECONDS = 5.0
SCREEN = 20
#: Names the side that is Lineup with another number of threads.
SHORT = "lineup of "


@dataclass(frozen=True)
class Live:
    """`workload`: the threads that get messages.

    `screen`: threads on every screen · `random`: any open one, which then jumps onto every screen ·
    `below`: threads that change their place on the list outside of every window.
    `line`: a name of `bench.drive.lines`, the line of each dashboard; "": the loopback.
    """

    threads: int
    dashboards: int
    rate: float
    workload: str = "random"
    seconds: float = 10.0
    rounds: int = 3
    sides: tuple[str, ...] = ("lineup",)
    workers: int = 1
    async_mode: str = "eventlet"
    database: str = "sqlite"
    poll_seconds: float = 10.0
    line: str = ""

    def setting(self) -> Setting:
        return Setting(
            self.threads,
            sort="member_status" if self.workload == "below" else "arrival",
            workers=self.workers,
            async_mode=self.async_mode,
            database=self.database,
            poll_seconds=self.poll_seconds,
        )

    def targets(self) -> list[int]:
        numbers = [number for number in range(1, self.threads + 1) if is_open(number)]
        if self.workload == "screen":
            return numbers[: SCREEN - 2]
        if self.workload == "below":
            return [number for number in numbers if not is_member(number)]
        return numbers


def run(live: Live, folder: Path, templates: Path, deadline: float) -> dict[str, Any]:
    """Runs rounds of all sides in turn; `broken` has the reason for each side that failed."""
    setting, running = live.setting(), {}
    broken: dict[str, str] = {}
    rounds: list[dict[str, Any]] = []
    try:
        for name in live.sides:
            try:
                running[name] = _Running(name, live, setting, folder / name, templates)
            except (BenchError, AssertionError) as error:
                broken[name] = str(error)[:300]
        for number in range(live.rounds):
            if number and time.monotonic() > deadline:
                break
            rounds.append(_round(number, live, running, broken))
        _check_all(running, broken)
        memory = {name: each.side.memory() for name, each in running.items()}
    finally:
        for each in running.values():
            each.stop()
    return {
        "bench": "live",
        "scenario": asdict(live),
        "rounds": rounds,
        "broken": broken,
        "memory": memory,
    }


def _round(
    number: int, live: Live, running: dict[str, "_Running"], broken: dict[str, str]
) -> dict[str, Any]:
    """Measures all sides one after the other; each round begins with a different one."""
    names = [name for name in running if name not in broken]
    measured: dict[str, Any] = {}
    first = number % max(1, len(names))
    for name in names[first:] + names[:first]:
        try:
            measured[name] = running[name].measure(f"r{number}")
        except BenchError as error:
            broken[name] = str(error)[:300]
    return measured


def _check_all(running: dict[str, "_Running"], broken: dict[str, str]) -> None:
    for name, each in running.items():
        if name not in broken:
            held = each.dashboards.do("held")
            try:
                each.side.check(held)
            except BenchError as error:
                broken[name] = f"its result is wrong: {error}"


class _Running:
    """A running side with open dashboards."""

    def __init__(self, name: str, live: Live, setting: Setting, folder: Path, templates: Path):
        if name.startswith(SHORT):
            live = replace(live, threads=int(name.removeprefix(SHORT)))
            setting = replace(setting, threads=live.threads)
        self._live = live
        self._targets = live.targets()
        self._lines: Lines | None = None
        self.side: Side = (
            SIDES[name](setting, folder) if name in SIDES else Lineup(setting, folder, templates)
        )
        try:
            self.side.start()
            settings = self.side.dashboard_settings() | {"dashboards": live.dashboards}
            if live.line:
                self._lines = Lines(live.line, self.side.url, live.dashboards, self.side.log)
                settings["lines"] = self._lines.ports
            self.dashboards = Dashboards(settings, self.side.log)
        except BaseException:
            self._stop_server()
            raise

    def stop(self) -> None:
        self.dashboards.stop()
        self._stop_server()

    def _stop_server(self) -> None:
        if self._lines is not None:
            self._lines.stop()
        self.side.stop()

    def measure(self, run: str) -> dict[str, Any]:
        return measured(self.side, self.dashboards, self._live, self._targets, run)


def measured(
    side: Side, dashboards: Dashboards, live: Live, targets: list[int], run: str
) -> dict[str, Any]:
    """Returns the numbers of one side in one round."""
    dashboards.do("reset")
    before, driver_before = side.cpu(), cpu_seconds(dashboards.pid)
    posted = side.post(targets, live.rate, live.seconds, run)
    # Only events due in the window count; the others are waited for, up to a limit.
    after = side.cpu()
    _settle(side, live)
    report = dashboards.do("report")
    driver = cpu_seconds(dashboards.pid) - driver_before
    seconds = _window_seconds(posted, live)
    result = _summed(posted, report, seconds)
    cpu = {name: after[name] - before[name] for name in after}
    result |= {f"cpu_us_{name}": 1e6 * used / len(posted) for name, used in cpu.items()}
    result["cpu_us"] = 1e6 * sum(cpu.values()) / len(posted)
    return result | {"driver_cores": driver / seconds, "seconds": seconds}


def _settle(side: Side, live: Live) -> None:
    polls = side.kind == "polling"
    time.sleep(live.poll_seconds + 0.5 if polls else min(SETTLE_SECONDS, 1.0))
    if polls:
        return
    deadline = time.monotonic() + SETTLE_SECONDS
    while time.monotonic() < deadline:
        before = side.cpu()["server"]
        time.sleep(0.5)
        if side.cpu()["server"] - before < 0.2:
            return


def _window_seconds(posted: Sequence[Any], live: Live) -> float:
    """Returns the window's length; it ends later if a slow side still answers then."""
    last = max(answered for _, _, _, answered in posted)
    return max(live.seconds, (last - min(due for _, _, due, _ in posted)) / 1e9)


def _summed(posted: Sequence[Any], report: dict[str, Any], seconds: float) -> dict[str, Any]:
    dashboards, payloads = report["dashboards"], report["payloads"]
    times: list[float] = []
    for dashboard in dashboards:
        times += seen_ms(posted, payloads, dashboard["frames"])
    pairs = len(posted) * len(dashboards)
    received = sum(dashboard["received"] + dashboard["fetched"] for dashboard in dashboards)
    answered = [(answered - due) / 1e6 for _, _, due, answered in posted]
    return {
        "ms": spread(times),
        "answer_ms": spread(answered),
        "unseen": 1 - len(times) / pairs,
        "bytes": received / pairs,
        "bytes_fetched": sum(dashboard["fetched"] for dashboard in dashboards) / pairs,
        "frames_a_second": sum(len(b["frames"]) for b in dashboards) / len(dashboards) / seconds,
        "fetches_a_second": sum(dashboard["fetches"] for dashboard in dashboards) / seconds,
    }
