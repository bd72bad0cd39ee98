"""Measures queues: how fast freed places are filled, and what queues cost an event.

python -m bench.queues                      10,000 waiting threads, 200 admins, 50 events a second
python -m bench.queues --seconds 60 --waiting 100000

The same events are posted to the same threads twice, in one run: without a queue, and with one.
First all of them are messages of customers who wait: `alone`. Then one in five closes a thread that
an admin has, so that a place is free: `closing`. Admins have no windows: their presence is written
into the database.
"""

import argparse
import json
import math
import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import requests
from sqlalchemy import Connection, insert, select

from bench.processes import ROOT, cpu_seconds, wait_for
from dashboard.db.accounts import admin_desks, admins
from dashboard.db.database import Database
from dashboard.db.models.queues import queue_admins
from dashboard.db.models.threads import thread_acts, threads
from dashboard.event_types import ASSIGNED
from tests.servers.lineup import LiveServer
from tests.servers.postgres import DURABLE, PostgresServer
from tests.servers.redis import running_redis
from tests.support import now_ms

RESULTS = ROOT / "bench" / "results" / "queues.json"
CAPACITY = 5
#: One event in so many closes a thread that an admin has.
CLOSING = 5
BATCH = 200
_NEVER = 2**62


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="python -m bench.queues", description="Queues under load.")
    made.add_argument("--waiting", type=int, default=10_000, help="threads that wait")
    made.add_argument("--admins", type=int, default=200, help="admins who accept threads")
    made.add_argument("--rate", type=float, default=50, help="events a second")
    made.add_argument("--seconds", type=float, default=20, help="how long each side is measured")
    made.add_argument("--database", choices=("sqlite", "postgres"), default="sqlite")
    made.add_argument("--out", type=Path, default=RESULTS)
    return made


class Desk:
    """A server with waiting threads, and admins with full hands."""

    def __init__(self, server: LiveServer, sizes: argparse.Namespace):
        self.server, self.sizes = server, sizes
        self.database = Database(server.environment["LINEUP_DATABASE_URL"])
        self.bot = server.bot(server.create_key())
        self.sue = server.sign_in(server.create_admin("Sue", "supervisor"))
        self._numbers = iter(range(10**9))

    def fill(self) -> None:
        """Adds the threads, and the admins, who have `CAPACITY` of them each."""
        count = self.sizes.waiting + self.sizes.admins * CAPACITY
        for first in range(0, count, BATCH):
            self._post([self._message(f"t-{n}") for n in range(first, min(count, first + BATCH))])
        ids = self.database.write(self._add_admins)
        for number, id in enumerate(ids):
            own = [f"t-{number * CAPACITY + at}" for at in range(CAPACITY)]
            self.database.write(partial(_give, names=own, admin_id=id))

    def run(self, is_closing: bool) -> dict[str, float]:
        """Posts events for a while; returns what one costs, and how long free places stayed so."""
        assert self.server.process is not None
        pid, closed = self.server.process.pid, dict[str, float]()
        first_act, begun = self._last_act(), time.monotonic()
        cpu, events = cpu_seconds(pid), 0
        busy = iter(self._held() if is_closing else ())
        while (passed := time.monotonic() - begun) < self.sizes.seconds:
            if events % CLOSING == 0 and (thread := next(busy, None)) is not None:
                self._post([self._event("thread.close", thread)])
                closed[thread] = time.time()
            else:
                self._post([self._message(f"t-{(events * 7919) % self.sizes.waiting}")])
            events += 1
            time.sleep(max(0.0, events / self.sizes.rate - (time.monotonic() - begun)))
        used = cpu_seconds(pid) - cpu
        time.sleep(2)
        return {
            "events_a_second": events / passed,
            "cpu_ms_an_event": 1e3 * used / events,
            **self._filled(first_act, sorted(closed.values())),
        }

    def rest(self, seconds: float = 10) -> float:
        """Returns the processor time that a second takes in which nothing happens, in ms."""
        assert self.server.process is not None
        cpu = cpu_seconds(self.server.process.pid)
        time.sleep(seconds)
        return 1e3 * (cpu_seconds(self.server.process.pid) - cpu) / seconds

    def make_queue(self) -> None:
        """Makes a queue of all threads that wait; returns once nobody has a free place."""
        api = f"{self.server.url}/admin/api"
        draft = {"name": "All", "query": "is:waiting", "sort": "longest_wait", "owner": "all"}
        view = _answer(self.sue.post(f"{api}/views", json=draft))
        body = {"view": view["id"], "mode": "push", "take_within": 3_600}
        _answer(self.sue.post(f"{api}/queues", json=body))
        wait_for(lambda: self._eligible(api) == 0, 120, "all places are filled")

    def _eligible(self, api: str) -> int:
        [queue] = _answer(self.sue.get(f"{api}/queues"))["queues"]
        return queue["eligible"]

    def _add_admins(self, connection: Connection) -> list[int]:
        ids = []
        for number in range(self.sizes.admins):
            email = f"agent{number}@example.com"
            ids.append(admins.create(connection, email, f"Agent {number}", "admin", "x", 0))
        rows = [
            {"admin_id": id, "capacity": CAPACITY, "accepting": True, "status": "online",
             "shown_status": "online", "presence_version": _NEVER}
            for id in ids
        ]  # fmt: skip
        connection.execute(insert(queue_admins), rows)
        assert admin_desks.names(connection) == ["main"]
        return ids

    def _held(self) -> list[str]:
        """Returns the threads that admins have, in a fixed random order."""
        with self.database.read() as connection:
            names = connection.scalars(
                select(threads.c.external_id)
                .where(threads.c.assignee_id.is_not(None), threads.c.closed.is_(False))
                .order_by((threads.c.id * 7919) % 10_007)
            )
            return list(names)

    def _last_act(self) -> int:
        with self.database.read() as connection:
            return (
                connection.scalar(select(thread_acts.c.id).order_by(thread_acts.c.id.desc())) or 0
            )

    def _filled(self, after: int, freed: Sequence[float]) -> dict[str, float]:
        """Returns how long places were free: the first hand-out fills the first free place."""
        statement = select(thread_acts.c.at).where(
            thread_acts.c.id > after, thread_acts.c.type == ASSIGNED.name
        )
        with self.database.read() as connection:
            given = [at / 1e3 for at in connection.scalars(statement.order_by(thread_acts.c.id))]
        if not given:
            return {}
        waits = sorted(max(0.0, at - since) for since, at in zip(freed, given, strict=False))
        return {
            "freed": len(freed),
            "filled": len(given),
            "filled_p50_ms": 1e3 * median(waits),
            "filled_p99_ms": 1e3 * waits[math.ceil(0.99 * len(waits)) - 1],
        }

    def _message(self, thread: str) -> dict[str, Any]:
        customer = {"id": f"c-{thread}", "name": f"Customer {thread}"}
        content = {"role": "client", "body": "Where is my order?", "customer": customer}
        return self._event("message", thread) | content

    def _event(self, type: str, thread: str) -> dict[str, Any]:
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now_ms() / 1_000))
        id = f"{os.getpid()}-{next(self._numbers)}"
        return {"id": id, "type": type, "thread": thread, "occurred_at": at}

    def _post(self, events: Sequence[dict[str, Any]]) -> None:
        _answer(self.bot.post(f"{self.server.url}/api/v1/events", json={"events": events}))


def _give(connection: Connection, names: Sequence[str], admin_id: int) -> None:
    connection.execute(
        threads.update()
        .where(threads.c.external_id.in_(names))
        .values(assignee_id=admin_id, assigned_at=now_ms())
    )


def _answer(answer: requests.Response) -> Any:
    assert answer.ok, answer.text
    return answer.json()


def _sides(sizes: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Yields the results without a queue, and with one."""
    for has_queue in (False, True):
        with tempfile.TemporaryDirectory() as folder, running_redis(Path(folder)) as redis_server:
            postgres = PostgresServer(DURABLE).start() if sizes.database == "postgres" else None
            url = postgres.new_database() if postgres else f"sqlite:///{folder}/lineup.sqlite"
            try:
                with LiveServer(url, redis_server.url) as server:
                    desk = Desk(server, sizes)
                    desk.fill()
                    if has_queue:
                        desk.make_queue()
                    yield {
                        "rest_cpu_ms_a_second": desk.rest(),
                        "alone": desk.run(is_closing=False),
                        "closing": desk.run(is_closing=True),
                    }
            finally:
                if postgres is not None:
                    postgres.close()


def main() -> None:
    sizes = parser().parse_args()
    without, with_queue = _sides(sizes)
    named = {name: value for name, value in vars(sizes).items() if name != "out"}
    found = {
        "sizes": named,
        "load": os.getloadavg()[0],
        "without": without,
        "with": with_queue,
        "event": with_queue["alone"]["cpu_ms_an_event"] / without["alone"]["cpu_ms_an_event"],
    }
    print(json.dumps(found, indent=2))
    sizes.out.write_text(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
