"""Measures reports: how long one takes, and what events notice of them.

python -m bench.reports                         1,000,000 threads in 90 days
python -m bench.reports --threads 100000 --database postgres

The facts are written as the product writes them: nine a thread. Then a server gets events at a
steady rate, in turns while nobody and while supervisors look at reports, each at another one every
few seconds; an event's time is that of its answer.
"""

import argparse
import json
import os
import random
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from sqlalchemy import Connection, Executable, insert

from bench.dataset import go_on_behind, mark_counted
from bench.latency import spread
from bench.processes import ROOT
from dashboard.db.accounts import sources
from dashboard.db.database import Database
from dashboard.db.migrate import bring_to_head
from dashboard.db.models.reports import report_facts
from dashboard.db.models.threads import customers, threads
from dashboard.db.reports.facts import KINDS, WORK, bucket_of
from dashboard.web.http.reports import Reader, ReportQuery, Reports
from scoring.sorts import SORTS
from scoring.views import DAY_MS
from tests.servers.lineup import LiveServer
from tests.servers.postgres import DURABLE, PostgresServer
from tests.servers.redis import running_redis
from tests.support import now_ms

RESULTS = ROOT / "bench" / "results" / "reports.json"
DAYS, SLICE, TIMES = 90, 20_000, 3
#: The reports of which each time is measured, all over 90 days.
REPORTS: tuple[dict[str, str], ...] = (
    {"metric": "new"},
    {"metric": "new", "step": "day", "timezone": "Europe/Berlin"},
    {"metric": "new", "by": "desk"},
    {"metric": "new", "by": "tag"},
    {"metric": "new", "by": "hour", "timezone": "Europe/Berlin"},
    {"metric": "new", "query": "lang:vi"},
    {"metric": "answers", "step": "day", "query": "lang:vi"},
    {"metric": "answers", "by": "admin"},
    {"metric": "handled", "by": "admin"},
    {"metric": "first_reply"},
    {"metric": "first_reply", "step": "day", "timezone": "Europe/Berlin"},
    {"metric": "first_reply", "by": "admin"},
    {"metric": "first_reply", "by": "hour", "timezone": "Europe/Berlin"},
    {"metric": "first_reply", "hours": "opening", "by": "tier"},
    {"metric": "close_time", "by": "language"},
    {"metric": "waiting", "step": "day", "timezone": "Europe/Berlin"},
    {"metric": "waiting", "step": "day", "by": "desk"},
)
#: Pause of a supervisor between two reports, and how often both sides are measured.
PAUSE_SECONDS, ROUNDS = 5.0, 4


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="python -m bench.reports", description="Reports.")
    made.add_argument("--threads", type=int, default=1_000_000)
    made.add_argument("--supervisors", type=int, default=10)
    made.add_argument("--rate", type=float, default=20, help="events a second")
    made.add_argument("--seconds", type=float, default=30, help="of each side, in each round")
    made.add_argument("--database", choices=("sqlite", "postgres"), default="sqlite")
    made.add_argument("--out", type=Path, default=RESULTS)
    return made


class Facts:
    """A database with threads that ended long ago, and the facts of them."""

    def __init__(self, url: str, sizes: argparse.Namespace):
        self.database = Database(url)
        bring_to_head(self.database)
        self.sizes, self.now = sizes, now_ms()
        self.random = random.Random(1)

    def fill(self) -> None:
        source_id = self.database.write(lambda c: sources.ensure(c, "bench", self.now))
        for first in range(1, self.sizes.threads + 1, SLICE):
            ids = range(first, min(first + SLICE, self.sizes.threads + 1))
            people = [_customer(id, source_id) for id in ids]
            self._insert(insert(customers), people)
            self._insert(insert(threads), [_thread(id, source_id) for id in ids])
            facts = [fact for id in ids for fact in self._facts(id, source_id)]
            self._insert(insert(report_facts), facts)
        if not self.database.is_sqlite:
            self.database.write(go_on_behind)
            with self.database.read() as connection:
                # In a database that has grown for months, autovacuum has done that.
                connection.exec_driver_sql("VACUUM ANALYZE report_facts")
        self.database.write(lambda connection: mark_counted(connection, self.now))

    def _facts(self, id: int, source_id: int) -> Iterator[dict[str, Any]]:
        at = self.now - self.random.randrange(DAYS * DAY_MS)
        dims = {
            "thread_id": id,
            "source_id": source_id,
            "desk": ("main", "sales", "returns")[id % 3],
            "tier": id % 7 - 1,
            "language": ("vi", "en", None)[id % 3],
            "tags": (None, " refund ", " refund vip ")[id % 3],
            "queue_id": None,
        }
        kinds = ("began", "waiting", "first_reply", "waited", "waiting", "next_reply", "waited")
        for number, kind in enumerate((*kinds, "message", "closed")):
            value = opening = None
            if kind in ("first_reply", "next_reply", "closed"):
                value = int(self.random.lognormvariate(13, 1.5))
                opening = value // 2
            yield dims | {
                "kind": KINDS[kind],
                "at": at + number,
                "id": 10 * id + number,
                "value": value,
                "opening": opening,
                "bucket": bucket_of(value),
                "opening_bucket": bucket_of(opening),
                "admin_id": 1 + id % 50 if kind not in ("began", "waiting", "waited") else None,
                "before": at + 1 if kind in WORK[1:] else None,
                "own_before": at + 1 if kind in WORK[1:] else None,
            }

    def _insert(self, statement: Executable, rows: list[dict[str, Any]]) -> None:
        self.database.write(partial(_execute, statement=statement, rows=rows))

    def read(self) -> dict[str, float]:
        """Returns the seconds that each report takes."""
        reports, found = Reports(self.database, now_ms), {}
        for report in REPORTS:
            query, seconds = ReportQuery.model_validate(report | _span(self.now)), []
            for _ in range(TIMES):
                begun = time.perf_counter()
                reports.report(query, Reader(1))
                seconds.append(time.perf_counter() - begun)
            found[" ".join(report.values())] = median(seconds)
        return found


class Desk:
    """A server with events at a steady rate, and supervisors."""

    def __init__(self, server: LiveServer, sizes: argparse.Namespace):
        self.server, self.sizes = server, sizes
        self.bot = server.bot(server.create_key())
        supervisor = server.create_admin("Sue", "supervisor")
        self.browsers = [server.sign_in(supervisor) for _ in range(sizes.supervisors)]
        self._numbers = iter(range(10**9))

    def measure(self) -> dict[str, Any]:
        """Returns the times of events (ms) while nobody and while supervisors look at reports."""
        sides: dict[str, list[float]] = {"without": [], "with": []}
        looks: list[float] = []
        self._post(self.sizes.seconds / 3)
        for _ in range(ROUNDS):
            sides["without"] += self._post(self.sizes.seconds)
            over = threading.Event()
            people = [
                threading.Thread(target=self._look, args=(number, over, looks))
                for number in range(self.sizes.supervisors)
            ]
            for one in people:
                one.start()
            sides["with"] += self._post(self.sizes.seconds)
            over.set()
            for one in people:
                one.join()
        found = {side: spread(times) for side, times in sides.items()}
        ratio = found["with"]["p95"] / found["without"]["p95"]
        return found | {"p95_ratio": ratio, "reports_ms": spread(looks), "reports": len(looks)}

    def _look(self, number: int, over: threading.Event, looks: list[float]) -> None:
        over.wait(number * PAUSE_SECONDS / self.sizes.supervisors)
        at = number
        while not over.is_set():
            query, begun = REPORTS[at % len(REPORTS)] | _span(now_ms()), time.perf_counter()
            path = f"{self.server.url}/admin/api/reports"
            answer = self.browsers[number].get(path, params=query)
            assert answer.ok, answer.text
            looks.append(1e3 * (time.perf_counter() - begun))
            over.wait(PAUSE_SECONDS)
            at += 7

    def _post(self, seconds: float) -> list[float]:
        times, begun = list[float](), time.monotonic()
        while (passed := time.monotonic() - begun) < seconds:
            sent = time.perf_counter()
            answer = self.bot.post(f"{self.server.url}/api/v1/events", json=self._message())
            assert answer.ok, answer.text
            times.append(1e3 * (time.perf_counter() - sent))
            time.sleep(max(0.0, len(times) / self.sizes.rate - passed))
        return times

    def _message(self) -> dict[str, Any]:
        number = next(self._numbers)
        thread = f"live-{number * 7919 % 1_000}"
        return {
            "id": f"{os.getpid()}-{number}",
            "type": "message",
            "thread": thread,
            "occurred_at": datetime.fromtimestamp(now_ms() / 1_000, UTC).isoformat(),
            "customer": {"id": f"c-{thread}"},
            "role": "client",
            "body": "Where is my order?",
        }


def _execute(connection: Connection, statement: Executable, rows: list[dict[str, Any]]) -> None:
    connection.execute(statement, rows)


def _span(now: int) -> dict[str, str]:
    begin, end = (datetime.fromtimestamp(at / 1_000, UTC) for at in (now - DAYS * DAY_MS, now))
    return {"from": begin.isoformat(), "to": end.isoformat()}


def _customer(id: int, source_id: int) -> dict[str, Any]:
    return {
        "id": id,
        "source_id": source_id,
        "external_id": f"c-{id}",
        "member_status": id % 7 - 1,
        "locale": ("vi", "en-GB", None)[id % 3],
        "created_at": 0,
    }


def _thread(id: int, source_id: int) -> dict[str, Any]:
    """Returns a thread of the archive, which no list holds."""
    return {
        "id": id,
        "source_id": source_id,
        "external_id": f"t-{id}",
        "customer_id": id,
        "created_at": 0,
        "revision": 0,
        "closed": True,
        "archived": True,
        "recent_at": 0,
        **{f"score_{name}": 0 for name in SORTS},
    }


def main() -> None:
    sizes = parser().parse_args()
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        if sizes.database == "postgres":
            postgres = PostgresServer(DURABLE).start()
            stack.callback(postgres.close)
            url = postgres.new_database()
        else:
            url = f"sqlite:///{folder}/bench.sqlite"
        facts = Facts(url, sizes)
        facts.fill()
        found: dict[str, Any] = {
            "sizes": {name: value for name, value in vars(sizes).items() if name != "out"},
            "load": os.getloadavg()[0],
            "seconds": facts.read(),
        }
        print(json.dumps(found, indent=2), flush=True)
        redis_server = stack.enter_context(running_redis(Path(folder)))
        server = stack.enter_context(LiveServer(url, redis_server.url))
        found["event"] = Desk(server, sizes).measure()
    print(json.dumps(found["event"], indent=2))
    sizes.out.write_text(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
