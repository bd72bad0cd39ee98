"""Threads that wait for a moment: a million rows in the due queue, which must cost nothing.

One Lineup is measured in turns: no thread waits, or each has a moment in a month.
"""

import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import update

from bench.drive.drivers import Dashboards
from bench.measure.live import Live, measured
from bench.sides.lineup import Lineup
from dashboard.db.database import Database
from dashboard.db.models.threads import threads

SIDES = ("without", "waiting")
#: The distance of the first moment; each further thread waits a millisecond longer.
AHEAD_MS = 30 * 86_400_000
#: Threads that one transaction writes; events come in between.
SLICE = 20_000
#: Time until the rows are in the database file, and its pages are in the cache again.
SETTLE_SECONDS = 3.0


@dataclass(frozen=True)
class Moments:
    threads: int = 1_000_000
    dashboards: int = 10
    rate: float = 100.0
    seconds: float = 8.0
    rounds: int = 3
    #: Every 40 to 60 s an idle server takes a second to count a million threads: each window must
    #: contain that several times.
    idle_seconds: float = 120.0

    @property
    def lasts_seconds(self) -> float:
        return self.rounds * len(SIDES) * self.idle_seconds

    def live(self) -> Live:
        return Live(self.threads, self.dashboards, self.rate, seconds=self.seconds)


def run(bench: Moments, folder: Path, templates: Path, deadline: float) -> dict[str, Any]:
    live = bench.live()
    lineup = Lineup(live.setting(), folder / "lineup", templates)
    rounds: list[dict[str, Any]] = []
    try:
        lineup.start()
        database = lineup.database()
        settings = lineup.dashboard_settings() | {"dashboards": bench.dashboards}
        dashboards = Dashboards(settings, lineup.log)
        try:
            for number in range(bench.rounds):
                if number and time.monotonic() > deadline:
                    break
                rounds.append({})
                for side in SIDES if number % 2 == 0 else SIDES[::-1]:
                    _let_wait(database, bench.threads, waiting=side == "waiting")
                    idle = {
                        f"idle_millicores_{name}": 1_000 * cores
                        for name, cores in lineup.idle_cores(bench.idle_seconds).items()
                    }
                    name = f"{side}{number}"
                    found = measured(lineup, dashboards, live, live.targets(), name)
                    rounds[-1][side] = found | idle
            lineup.check(dashboards.do("held"))
        finally:
            dashboards.stop()
            database.close()
    finally:
        lineup.stop()
    return {"bench": "moments", "scenario": asdict(bench), "rounds": rounds, "broken": {}}


def _let_wait(database: Database, count: int, *, waiting: bool) -> None:
    """Gives each thread a moment far ahead, or removes it."""
    first = time.time_ns() // 1_000_000 + AHEAD_MS
    moment = first + threads.c.id if waiting else None
    for after in range(0, count, SLICE):
        some = threads.c.id.between(after + 1, after + SLICE)
        _write(database, update(threads).where(some).values(next_change_at=moment))
    time.sleep(SETTLE_SECONDS)


def _write(database: Database, statement: Any) -> None:
    database.write(lambda connection: connection.execute(statement))
