"""Accepted events a second, as fast as they go, against the same POST with nothing behind it."""

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import func, select

from bench.dataset import is_open
from bench.drive.drivers import post
from bench.processes import BenchError, wait_for
from bench.sides.lineup import Lineup
from bench.sides.others import EmptyPost
from bench.sides.side import Setting, Side
from dashboard.store.models import events

#: How long after the last answer every thread must stand in its place: healing included.
CATCH_UP_SECONDS = 20.0


@dataclass(frozen=True)
class Accept:
    threads: int
    seconds: float = 4.0
    rounds: int = 3
    connections: int = 8
    batch: int = 100
    workers: int = 1
    async_mode: str = "eventlet"
    database: str = "sqlite"

    def setting(self) -> Setting:
        return Setting(
            self.threads,
            workers=self.workers,
            async_mode=self.async_mode,
            database=self.database,
        )


def run(accept: Accept, folder: Path, templates: Path, deadline: float) -> dict[str, Any]:
    lineup = Lineup(accept.setting(), folder / "lineup", templates)
    empty = EmptyPost(accept.setting(), folder / "empty")
    rounds: list[dict[str, Any]] = []
    try:
        lineup.start()
        empty.start()
        before, accepted = _stored(lineup), 0
        for number in range(accept.rounds):
            if number and time.monotonic() > deadline:
                break
            measured = {
                "empty post": _post(empty, accept, 1, f"a{number}"),
                "single": _post(lineup, accept, 1, f"b{number}"),
                "batch": _post(lineup, accept, accept.batch, f"c{number}"),
            }
            accepted += sum(measured[name]["count"] for name in ("single", "batch"))
            rounds.append(measured)
        caught_up = _check(lineup, lambda: _stored(lineup) - before, accepted)
    finally:
        lineup.stop()
        empty.stop()
    return {
        "bench": "accept",
        "scenario": asdict(accept),
        "rounds": rounds,
        "broken": {},
        "caught_up_seconds": caught_up,
    }


def _post(side: Side, accept: Accept, batch: int, run: str) -> dict[str, Any]:
    targets = [number for number in range(1, accept.threads + 1) if is_open(number)]
    settings = {"threads": targets, "run": run, "batch": batch, "seconds": accept.seconds}
    before = side.cpu()
    answer = post(side.poster() | settings | {"connections": accept.connections}, side.log)
    used = {name: seconds - before[name] for name, seconds in side.cpu().items()}
    return {
        "count": answer["count"],
        "a_second": answer["count"] / answer["seconds"],
        **{f"cpu_us_{name}": 1e6 * seconds / answer["count"] for name, seconds in used.items()},
    }


def _stored(lineup: Lineup) -> int:
    database = lineup.database()
    with database.read() as connection:
        count = connection.scalar(select(func.count()).select_from(events))
    database.close()
    return count or 0


def _check(lineup: Lineup, stored: Callable[[], int], accepted: int) -> float:
    """All that was answered 2xx is in SQL, and the lists in Redis come to be as SQL orders them.

    How many seconds after the last answer they are.
    """
    if stored() != accepted:
        raise BenchError(f"{accepted} events were accepted, {stored()} stored")
    begun = time.monotonic()
    truth = lineup.ordered()

    def is_placed() -> bool:
        placed = lineup.ranking().scan("arrival", "arrival")
        return [(entry.score, entry.id) for batch in placed for entry in batch] == truth

    wait_for(is_placed, CATCH_UP_SECONDS, "Redis holding the order of SQL")
    return time.monotonic() - begun
