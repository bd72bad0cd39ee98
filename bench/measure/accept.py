"""Accepted events per second at full speed, compared with the same POST with nothing behind it.

Each kind is measured at the number of connections at which it is fastest: one kind waits for the
disk, which many can share, another only for the processor. Refused events are counted, and must
not be stored.
"""

import itertools
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
from dashboard.db.models.threads import events

#: Seconds after the last answer within which every thread must be placed, by the reconciler too.
CATCH_UP_SECONDS = 20.0


@dataclass(frozen=True)
class Accept:
    threads: int
    seconds: float = 4.0
    rounds: int = 3
    connections: tuple[int, ...] = (8, 32, 64)
    batch_connections: tuple[int, ...] = (2, 8)
    try_seconds: float = 1.0
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
        kinds = {
            "empty post": _Kind(empty, accept, 1, accept.connections),
            "single": _Kind(lineup, accept, 1, accept.connections),
            "batch": _Kind(lineup, accept, accept.batch, accept.batch_connections),
        }
        before = _stored(lineup)
        for kind in kinds.values():
            kind.find_fastest()
        for number in range(accept.rounds):
            if number and time.monotonic() > deadline:
                break
            rounds.append({name: kind.measure() for name, kind in kinds.items()})
        accepted = sum(kinds[name].count for name in ("single", "batch"))
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


class _Kind:
    """One kind of post, and its target; `count` counts all events answered 2xx."""

    def __init__(self, side: Side, accept: Accept, batch: int, choice: tuple[int, ...]):
        self._side = side
        self._accept = accept
        self._batch = batch
        self._targets = [number for number in range(1, accept.threads + 1) if is_open(number)]
        self._runs = itertools.count()
        self.count = 0
        self._choice = choice
        self.connections = choice[0]

    def find_fastest(self) -> None:
        if len(self._choice) == 1:
            return

        def speed(connections: int) -> tuple[bool, float]:
            tried = self._post(connections, self._accept.try_seconds)
            return not tried["refused"], tried["a_second"]

        self.connections = max(self._choice, key=speed)

    def measure(self) -> dict[str, float]:
        return self._post(self.connections, self._accept.seconds)

    def _post(self, connections: int, seconds: float) -> dict[str, float]:
        run = f"{self._batch}-{next(self._runs)}"
        settings = {"threads": self._targets, "run": run, "batch": self._batch}
        settings |= {"seconds": seconds, "connections": connections}
        before = self._side.cpu()
        answer = post(self._side.poster() | settings, self._side.log, refusals=True)
        count = answer["count"]
        if not count:
            raise BenchError(f"nothing was accepted: {answer['refusals']}")
        self.count += count
        cpu = {name: used - before[name] for name, used in self._side.cpu().items()}
        return {
            "count": count,
            "connections": connections,
            "refused": answer["refused"],
            "a_second": count / answer["seconds"],
            "driver_cores": answer["cpu_seconds"] / answer["seconds"],
            **{f"cpu_us_{name}": 1e6 * used / count for name, used in cpu.items()},
        }


def _stored(lineup: Lineup) -> int:
    database = lineup.database()
    with database.read() as connection:
        count = connection.scalar(select(func.count()).select_from(events))
    database.close()
    return count or 0


def _check(lineup: Lineup, stored: Callable[[], int], accepted: int) -> float:
    """Checks that all accepted events are in SQL, and waits until Redis has the order of SQL.

    Returns the seconds that this took after the last answer.
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
