"""Measures an idle server: its processor time, that of Redis, and its calls of Redis.

The same server is measured three times: with nothing, with people online by devices without
beats, and with connected dashboards that somebody looks at.
"""

import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import requests

from bench.drive.drivers import Dashboards
from bench.measure.views import wait_until_built
from bench.processes import BenchError, wait_for
from bench.saved_views import saved_views
from bench.sides.lineup import Lineup
from bench.sides.side import Setting

#: The type of devices, which count as online for five minutes after a beat.
DEVICE = "mobile"
BEATS_AT_ONCE = 500
#: Time until lists are built and the work after a start is over.
SETTLE_SECONDS = 20.0


@dataclass(frozen=True)
class Idle:
    threads: int = 1_000
    views: int = 0
    workers: int = 1
    people: int = 1_000
    dashboards: int = 0
    seconds: float = 60.0
    async_mode: str = "eventlet"
    database: str = "sqlite"

    @property
    def lasts_seconds(self) -> float:
        return 3 * (self.seconds + SETTLE_SECONDS)

    def setting(self) -> Setting:
        return Setting(
            self.threads,
            workers=self.workers,
            async_mode=self.async_mode,
            database=self.database,
        )


def run(bench: Idle, folder: Path, templates: Path, deadline: float) -> dict[str, Any]:
    lineup = Lineup(bench.setting(), folder / "lineup", templates)
    found: dict[str, Any] = {}
    try:
        lineup.start()
        _save_views(lineup, bench.views)
        wait_until_built(lineup)
        time.sleep(min(SETTLE_SECONDS, bench.seconds))
        found["nobody"] = _window(lineup, bench)
        if bench.people:
            _come(lineup, bench.people)
            found["people"] = _window(lineup, bench)
        if bench.dashboards:
            settings = lineup.dashboard_settings() | {"dashboards": bench.dashboards, "whole": 0}
            dashboards = Dashboards(settings, lineup.log)
            try:
                time.sleep(min(SETTLE_SECONDS, bench.seconds))
                found["dashboards"] = _window(lineup, bench)
            finally:
                dashboards.stop()
    finally:
        lineup.stop()
    return {"bench": "idle", "scenario": asdict(bench), "rounds": [found], "broken": {}}


def _window(lineup: Lineup, bench: Idle) -> dict[str, float]:
    """Returns thousandths of a processor, and calls of Redis per second; each also per worker.

    Commands in a script are no calls; calls that are sent together count as one.
    """
    client = lineup.client()
    before = client.info("stats")["total_reads_processed"]
    cores = lineup.idle_cores(bench.seconds)
    # The last call is this INFO.
    calls = (client.info("stats")["total_reads_processed"] - before - 1) / bench.seconds
    used = {f"millicores_{name}": 1_000 * found for name, found in cores.items()}
    used["millicores_worker"] = used["millicores_server"] / bench.workers
    return used | {"redis_calls_worker": calls / bench.workers}


def _save_views(lineup: Lineup, count: int) -> None:
    url = f"{lineup.url}/admin/api/views"
    for view in saved_views(count):
        answer = lineup.session.post(url, json=view._asdict() | {"owner": "all"})
        if answer.status_code != 201:
            raise BenchError(f"a view was not saved: {answer.text}")


def _come(lineup: Lineup, count: int) -> None:
    """Brings so many customers online, each with one device."""
    poster = lineup.poster()
    for first in range(0, count, BEATS_AT_ONCE):
        beats = [
            {"customer": f"c-{number}", "device": "phone", "type": DEVICE}
            for number in range(first, min(first + BEATS_AT_ONCE, count))
        ]
        answer = requests.post(
            f"{poster['url']}/api/v1/presence", json={"beats": beats}, headers=poster["headers"]
        )
        if answer.status_code != 200:
            raise BenchError(f"beats were not taken: {answer.text}")
    url = f"{poster['url']}/api/v1/presence/online"

    def are_online() -> bool:
        answer = requests.get(url, params={"limit": 1}, headers=poster["headers"])
        return bool(answer.json()["total"] == count)

    wait_for(are_online, 30, "all people online")
