"""Measures the past: how fast a list at any moment is read, and what keeping it costs.

python -m bench.history                          100,000 threads, 2,000,000 changes, 90 days
python -m bench.history --threads 10000 --changes 200000
python -m bench.history --database postgres --out bench/results/history-postgres.json

The changes are written as the product writes them, at random moments of each thread's life. An
event is measured as it is stored and placed, in turns with and without the state that it ends;
HTTP and the pushing of frames, which are the same for both, would make the difference look smaller.
Then a server removes the older half of the past while events are posted, one at a time, and this
process more of it, slice by slice: an event waits for one slice at most.
"""

import argparse
import json
import os
import random
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from typing import Any
from unittest.mock import patch

import requests
from sqlalchemy import Connection, Executable, insert, text

from bench.dataset import fill
from bench.processes import ROOT, wait_for
from dashboard.db.accounts import sources
from dashboard.db.database import Database
from dashboard.db.driver import RowStatement, Write
from dashboard.db.history import lists, states
from dashboard.db.lists import named_lists, versions
from dashboard.db.lists.named_lists import ListName
from dashboard.db.migrate import bring_to_head
from dashboard.db.models.history import thread_history
from dashboard.ingest import due, saving
from dashboard.ingest.schema import parse
from scoring.views import DAY_MS
from tests.servers.lineup import LiveServer
from tests.servers.postgres import DURABLE, PostgresServer
from tests.servers.redis import running_redis
from tests.services import services_over
from tests.support import now_ms

RESULTS = ROOT / "bench" / "results" / "history.json"
DAYS = 90
ROWS = 100
LISTS = (
    ("arrival", "arrival"),
    ("not_respond", "longest_wait"),
    ("history", "priority"),
    ("is:open lang:vi waits:>1d", "member_status"),
    ("(is:open or is:closed)", "next_due"),
)
ADDED_AT_ONCE = 20_000
ROUNDS, EVENTS = 30, 200
#: Events that are posted one after the other in a second, and how long without removal: to warm up,
#: and measured.
RATE, WARM_SECONDS, ALONE_SECONDS = 50, 10, 30
PARTS = ("bytes_a_change", "seconds", "event", "removal")


def batched(rows: Sequence[Any], size: int) -> Iterator[Sequence[Any]]:
    return (rows[first : first + size] for first in range(0, len(rows), size))


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="python -m bench.history", description="The past.")
    made.add_argument("--threads", type=int, default=100_000)
    made.add_argument("--changes", type=int, default=2_000_000)
    made.add_argument("--moments", type=int, default=30, help="moments asked for, of each list")
    made.add_argument("--database", choices=("sqlite", "postgres"), default="sqlite")
    made.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    made.add_argument("--out", type=Path, default=RESULTS)
    return made


class Past:
    """A database with threads, and with states of them that have ended."""

    def __init__(self, url: str, sizes: argparse.Namespace):
        self.database = Database(url)
        bring_to_head(self.database)
        self.now = now_ms()
        self.sizes = sizes
        self.random = random.Random(1)
        self.source_id = self.database.write(lambda c: sources.ensure(c, "bench", self.now))
        fill(url, sizes.threads, self.now)

    def add_changes(self) -> None:
        """Gives each thread a life of changes at random moments, the last one lasting until now;
        all are written in the order in which they happened."""
        count, begin = self.sizes.changes // self.sizes.threads, self.now - DAYS * DAY_MS
        lives = {
            id: sorted(self.random.sample(range(begin, self.now), count + 1))
            for id in range(1, self.sizes.threads + 1)
        }
        ends = [(at, id, n) for id, life in lives.items() for n, at in enumerate(life[1:])]
        ends.sort()
        for slice in batched(ends, ADDED_AT_ONCE):
            rows = [self._state(id, number, lives[id]) for _, id, number in slice]
            self.database.write(partial(_execute, statement=insert(thread_history), rows=rows))
        statement = text("UPDATE threads SET listed_at = :at, revision = :rev WHERE id = :id")
        rows = [{"id": id, "at": life[-1], "rev": count + 1} for id, life in lives.items()]
        self.database.write(partial(_execute, statement=statement, rows=rows))

    def _state(self, id: int, number: int, life: Sequence[int]) -> dict[str, Any]:
        """Returns a state of a thread: in every other one the customer waits, one in ten is
        closed."""
        since, until = life[number : number + 2]
        waits, closed = number % 2 == 0, number % 10 == 9
        before = life[number - 1] if number else None
        client, admin = (since, before) if waits else (before, since)
        due = since + 3_600_000 if waits else None
        state: dict[str, Any] = {
            "until": until,
            "thread_id": id,
            "lasted": until - since,
            "span": states.span_of(until - since),
            "revision": number + 1,
            "closed": closed,
            "unanswered": int(waits),
            "first_event_at": life[0],
            "last_client_at": client,
            "last_admin_at": admin,
            "waiting_since": since if waits else None,
            "due_at": due,
            "next_change_at": due,
            "closed_at": since if closed else None,
            "assignee_id": 1 + id % 200 if number > 3 else None,
            "assigned_at": life[3] if number > 3 else None,
            "last_message_id": id * len(life) + number,
            "last_role": "c" if waits else "a",
        }
        times = {name: state[name] for name in states.TIMES if state.get(name) is not None}
        return state | {name: until - at for name, at in times.items()} | _lasting(id)

    def bytes_a_change(self) -> float:
        """Returns the size of the pages of `thread_history` and its index, for each row."""
        of_tables = "SELECT sum(pgsize) FROM dbstat WHERE name LIKE '%thread_history%'"
        if not self.database.is_sqlite:
            of_tables = "SELECT pg_total_relation_size('thread_history')"
        with self.database.read() as connection:
            size = connection.scalar(text(of_tables))
            return size / connection.scalar(text("SELECT count(*) FROM thread_history"))

    def seconds(self) -> dict[str, dict[str, float]]:
        """Returns the seconds that the first rows of each list take, at random moments."""
        found = {}
        for what, sort in LISTS:
            seconds, totals = [], []
            for _ in range(self.sizes.moments):
                at = self.now - self.random.randrange(DAYS * DAY_MS)
                begun = time.perf_counter()
                totals.append(self._part(what, sort, at).total)
                seconds.append(time.perf_counter() - begun)
            found[what] = {
                "p50": median(seconds),
                "max": max(seconds),
                "threads": median(totals),
            }
        return found

    def _part(self, what: str, sort: str, at: int) -> lists.PastList:
        is_query = ":" in what
        name = ListName(None if is_query else what, sort, "all", what if is_query else None, "UTC")
        with self.database.read() as connection:
            query_list = named_lists.find_at(connection, name, 1, at)
        return lists.part(self.database, query_list, at, ROWS, None)

    def event(self) -> dict[str, float]:
        """Returns the processor time of an event, with and without the state that it ends."""
        none = patch.object(
            saving.history, "write_of", lambda ends: Write(RowStatement("", ""), [])
        )
        unmade: Any = patch.object(saving.history, "ended", lambda state, until: {})
        with running_redis() as redis:
            services = services_over(self.database, redis.client(), now_ms)
            services.rebuilder.rebuild(services.rebuilder.list_ids())
            sides: dict[str, list[float]] = {"with": [], "without": []}
            for number in range(2 * ROUNDS + 2):
                is_kept = number % 2 == 0
                if is_kept:
                    used = self._accept(services, number)
                else:
                    with none, unmade:
                        used = self._accept(services, number)
                # The first round of each fills caches.
                if number > 1:
                    sides["with" if is_kept else "without"].append(used)
        costs = {f"{side}_ms": 1e3 * median(used) / EVENTS for side, used in sides.items()}
        return costs | {"ratio": costs["with_ms"] / costs["without_ms"]}

    def _accept(self, services: Any, round: int) -> float:
        begun = time.process_time()
        for number in range(EVENTS):
            thread = 1 + (number * 7919 + round * 31) % self.sizes.threads
            event = _message(f"b-{round}-{number}", thread)
            services.ingest.accept(self.source_id, [parse(event)])
        return time.process_time() - begun

    def removal(self) -> dict[str, Any]:
        """Returns how long events take before and while a server removes the older half."""
        oldest, old = self._oldest(), self.now - DAYS // 2 * DAY_MS
        with running_redis() as redis, LiveServer(self.database.url, redis.url) as server:
            post = partial(self._post, server, server.bot(server.create_key("bench")))
            self._delays(post, _after(WARM_SECONDS))
            alone = self._delays(post, _after(ALONE_SECONDS))
            self.database.write(lambda c: versions.set_history_days(c, DAYS // 2))
            wait_for(lambda: self._oldest() > oldest, 120, "the first slice is removed")
            begun, count = time.monotonic(), self._count()
            removing = self._delays(post, lambda: self._oldest() > old)
            rate = (count - self._count()) / (time.monotonic() - begun)
        found = {"alone": alone, "removing": removing, "states_a_second": rate}
        return found | {"slices": self._slices(old + DAYS // 10 * DAY_MS)}

    def _slices(self, old: int) -> dict[str, float]:
        """Removes states in slices as the server does; returns how long they took."""
        took, removed = list[float](), due.REMOVED_AT_ONCE
        while removed == due.REMOVED_AT_ONCE:
            begun = time.perf_counter()
            removed = self.database.write(
                lambda c: states.remove_before(c, old, due.REMOVED_AT_ONCE)
            )
            took.append(1e3 * (time.perf_counter() - begun))
        return _times(took)

    def _oldest(self) -> int:
        with self.database.read() as connection:
            return connection.scalar(text("SELECT min(until) FROM thread_history"))

    def _count(self) -> int:
        with self.database.read() as connection:
            return connection.scalar(text("SELECT count(*) FROM thread_history"))

    def _delays(self, post: Callable[[int], float], is_over: Callable[[], bool]) -> dict[str, Any]:
        """Posts events at RATE until it is over; returns how long they took, in milliseconds."""
        begun, took = time.monotonic(), list[float]()
        while len(took) % RATE or not took or not is_over():
            time.sleep(max(0.0, begun + len(took) / RATE - time.monotonic()))
            took.append(1e3 * post(self.random.randrange(self.sizes.threads)))
        return _times(took)

    def _post(self, server: LiveServer, bot: requests.Session, thread: int) -> float:
        """Posts a customer's message; returns the seconds until it was answered."""
        event = _message(f"p-{time.monotonic_ns()}", 1 + thread)
        begun = time.perf_counter()
        answer = bot.post(f"{server.url}/api/v1/events", json=event)
        assert answer.status_code == 201, answer.text
        return time.perf_counter() - begun


def _execute(connection: Connection, statement: Executable, rows: list[dict[str, Any]]) -> None:
    connection.execute(statement, rows)


def _after(seconds: float) -> Callable[[], bool]:
    """Returns a condition that is true when this time has passed."""
    end = time.monotonic() + seconds
    return lambda: time.monotonic() > end


def _times(took: Sequence[float]) -> dict[str, float]:
    p99_ms = quantiles(took, n=100)[98]
    return {"count": len(took), "p50_ms": median(took), "p99_ms": p99_ms, "max_ms": max(took)}


def _message(id: str, thread: int) -> dict[str, Any]:
    return {
        "id": id,
        "type": "message",
        "thread": f"t-{thread}",
        "occurred_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "customer": {"id": f"c-{thread}"},
        "role": "client",
        "body": "Is anybody there?",
    }


def _lasting(id: int) -> dict[str, Any]:
    """Returns the values that a thread keeps."""
    return {
        "archived": False,
        "has_file": False,
        "first_request_at": 0,
        "customer_id": id,
        "priority": "high" if id % 10 == 3 else None,
        "member_status": id % 7 - 1,
        "locale": ("vi", "en-GB", None)[id % 3],
        "tags": " refund " if id % 5 == 0 else None,
    }


def main() -> None:
    sizes = parser().parse_args()
    postgres = PostgresServer(DURABLE).start() if sizes.database == "postgres" else None
    try:
        with tempfile.TemporaryDirectory() as folder:
            url = postgres.new_database() if postgres else f"sqlite:///{folder}/bench.sqlite"
            past = Past(url, sizes)
            past.add_changes()
            found = {
                "sizes": {name: value for name, value in vars(sizes).items() if name != "out"},
                "load": os.getloadavg()[0],
                **{part: getattr(past, part)() for part in PARTS if part in sizes.parts},
            }
            past.database.close()
    finally:
        if postgres is not None:
            postgres.close()
    print(json.dumps(found, indent=2))
    sizes.out.write_text(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
