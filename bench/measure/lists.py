"""Long lists: rebuilding and opening them, scrolling, and all dashboards coming back at once."""

import re
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.drive.drivers import Dashboards
from bench.latency import percentile, spread
from bench.processes import BenchError
from bench.sides.lineup import Lineup
from bench.sides.side import Setting

REPEATS = 30
#: Time until the server has handled what was opened or closed.
SETTLE_SECONDS = 5.0
_PRINTED = re.compile(r"(\d+) threads in ([\d.]+) s")


@dataclass(frozen=True)
class Lists:
    threads: int
    dashboards: int = 50
    workers: int = 1
    async_mode: str = "eventlet"
    database: str = "sqlite"
    #: Seconds of measuring the idle server without dashboards, and then with all; 0: not at all.
    idle_seconds: float = 0.0


def run(lists: Lists, folder: Path, templates: Path, deadline: float) -> dict[str, Any]:
    setting = Setting(
        lists.threads,
        workers=lists.workers,
        async_mode=lists.async_mode,
        database=lists.database,
    )
    lineup = Lineup(setting, folder / "lineup", templates)
    broken: dict[str, str] = {}
    try:
        lineup.start()
        measured = {"rebuild_seconds": _rebuild(lineup, lists.threads)}
        measured |= _read(lineup)
        try:
            measured |= _reconnect(lineup, lists.dashboards, lists.idle_seconds)
        except BenchError as error:
            broken["reconnect"] = str(error)[:300]
        memory = lineup.memory()
        memory["redis_a_thread"] = memory["redis"] // lists.threads
    finally:
        lineup.stop()
    return {
        "bench": "lists",
        "scenario": asdict(lists),
        "rounds": [measured],
        "broken": broken,
        "memory": memory,
    }


def _rebuild(lineup: Lineup, threads: int) -> float:
    """Rebuilds by the command, beside the running server; then compares everything."""
    found = _PRINTED.search(lineup.command("rebuild"))
    if found is None or int(found[1]) != threads:
        raise BenchError("the rebuild did not count every thread")
    if "same order" not in lineup.command("check"):
        raise BenchError("after the rebuild Redis and SQL differ")
    return float(found[2])


def _read(lineup: Lineup) -> dict[str, Any]:
    """Times opening, reading on from the middle, and going to a thread far down; in ms."""
    server = lineup.server
    client = server.connect(server.sign_in(lineup.email))
    name = {"view": "arrival", "sort": "arrival"}
    truth = lineup.ordered()
    middle = truth[len(truth) // 2]
    last = truth[-1][1]
    last_rank = len(truth) - 1
    near_end = list(truth[max(0, last_rank - 1_000)])

    def call(event: str, data: dict[str, Any]) -> dict[str, Any]:
        answer = client.call(event, data, namespace="/admin", timeout=60)
        assert answer["ok"], answer
        return answer

    opened = call("list:open", name | {"limit": 100})
    more = call("list:more", name | {"after": list(middle), "limit": 500})
    through = {"after": near_end, "through": last}
    far = call("list:more", name | through)
    at = truth.index(middle) + 1
    expected = ([id for _, id in truth[:100]], [id for _, id in truth[at : at + 500]], last_rank)
    if (opened["ids"], more["ids"], far["rank"]) != expected:
        raise BenchError("a list was read wrong")
    times = {
        "open_ms": _timed(lambda: call("list:open", name | {"limit": 100})),
        "more_500_ms": _timed(
            lambda: call("list:more", name | {"after": list(middle), "limit": 500})
        ),
        "through_ms": _timed(lambda: call("list:more", name | through)),
    }
    client.disconnect()
    return times


def _timed(call: Callable[[], Any]) -> dict[str, float]:
    def once() -> float:
        begun = time.perf_counter()
        call()
        return 1000 * (time.perf_counter() - begun)

    return spread([once() for _ in range(REPEATS)])


def _reconnect(lineup: Lineup, count: int, idle_seconds: float) -> dict[str, Any]:
    """Times all dashboards that reconnect at once, until each has its list; and their idle cost."""
    alone = lineup.idle_cores(idle_seconds) if idle_seconds else {}
    settings = lineup.dashboard_settings() | {"dashboards": count, "whole": False}
    dashboards = Dashboards(settings, lineup.log)
    try:
        found = dashboards.do("reconnect")
        idle = {}
        if idle_seconds:
            time.sleep(SETTLE_SECONDS)
            idle = lineup.idle_cores(idle_seconds)
        held = dashboards.do("held")
    finally:
        dashboards.stop()
    if held["problems"] or not held["same"]:
        raise BenchError(f"after reconnecting the dashboards differ: {held['problems']}")
    return {
        "reconnect_all_ms": round(found["all_ms"], 1),
        "reconnect_p50_ms": round(percentile(found["ms"], 50), 1),
        **{f"idle_us_{name}": 1e6 * (idle[name] - alone[name]) / count for name in idle},
    }
