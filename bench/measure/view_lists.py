"""Lists of saved views without a server: building them, their bytes, and how long Redis is busy.

The longest single command in Redis's slow log tells how long Redis served nobody else.
"""

import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import count
from pathlib import Path
from statistics import median
from typing import Any

from bench.dataset import SOURCE, fill
from bench.processes import BenchError
from bench.saved_views import saved_views
from dashboard.db.accounts import sources
from dashboard.db.database import Database
from dashboard.db.lists import entries, kept_lists, query_lists
from dashboard.db.lists.query_lists import ListedQuery
from dashboard.db.migrate import bring_to_head
from dashboard.db.threads import thread_states
from dashboard.services import Services
from scoring.keys import query_list_id
from scoring.placing import Placement
from tests.servers.redis import RedisServer
from tests.services import services_over

#: The lists to build: members with a million threads (else in proportion), and the query.
BUILT = {
    "none": "lang:sv",
    "100 of a million": "lang:pt",
    "10,000 of a million": "lang:ja",
    "10,000 of a million, by time": "quiet:<{ten_thousand}s",
    "all": "",
}
#: Numbers of lists that one event changes.
TOUCHED = (1, 100, 500, 1_000)
REPEATS = 30
#: The first id of threads that no database has: each is placed from its first revision on.
UNKNOWN_THREADS = 10**11
SORT = "arrival"


@dataclass(frozen=True)
class ViewLists:
    """`views` of random conditions are built together to measure the bytes of an entry."""

    threads: int = 1_000_000
    rounds: int = 3
    views: int = 50


def run(bench: ViewLists, folder: Path, templates: Path, deadline: float) -> dict[str, Any]:
    folder.mkdir(parents=True)
    server = RedisServer(folder)
    database = _filled(bench, folder, templates)
    rounds: list[dict[str, Any]] = []
    try:
        server.start()
        lists = _Lists(database, server)
        for number in range(bench.rounds):
            if number and time.monotonic() > deadline:
                break
            built = {name: lists.built(query) for name, query in _built(bench, database).items()}
            placed = {f"on {count} lists": lists.placed(count) for count in TOUCHED}
            rounds.append({"build": built, "place": placed})
        memory = lists.bytes_an_entry(bench.views)
    finally:
        database.close()
        server.close()
    return {
        "bench": "viewlists",
        "scenario": asdict(bench),
        "rounds": rounds,
        "broken": {},
        "memory": memory,
    }


def _filled(bench: ViewLists, folder: Path, templates: Path) -> Database:
    """Returns a database with so many threads, copied from a server's template if there is one."""
    path = folder / "lineup.sqlite"
    template = templates / str(bench.threads) / path.name
    database = Database(f"sqlite:///{path}")
    if template.exists():
        shutil.copyfile(template, path)
        return database
    now = time.time_ns() // 1_000_000
    bring_to_head(database)
    database.write(lambda connection: sources.ensure(connection, SOURCE, now))
    fill(database.url, bench.threads, now - 60_000)
    return database


def _built(bench: ViewLists, database: Database) -> dict[str, str]:
    """Returns the queries of BUILT; the one by time uses the age of its last thread."""
    wanted = bench.threads // 100
    with database.read() as connection:
        [state] = thread_states.locked_by_id(connection, [max(1, wanted)])
    assert state.facts.last_client_at is not None
    seconds = (time.time_ns() // 1_000_000 - state.facts.last_client_at) // 1_000
    return {name: query.format(ten_thousand=seconds) for name, query in BUILT.items()}


class _Lists:
    def __init__(self, database: Database, server: RedisServer):
        self._database = database
        self._client = server.client(socket_timeout=300)
        self._services: Services = services_over(
            database, self._client, lambda: time.time_ns() // 1_000_000
        )
        self._ranking = self._services.ranking
        self._unknown_threads = count(UNKNOWN_THREADS)
        self._client.config_set("slowlog-log-slower-than", 0)
        self._client.config_set("slowlog-max-len", 100_000)

    def built(self, query: str) -> dict[str, float]:
        """Builds and removes the list of a query; returns seconds, members, and the longest command
        in ms."""
        list_id = self._keep([ListedQuery(query, SORT, "UTC")])[0]
        self._client.slowlog_reset()
        begun = time.perf_counter()
        self._services.rebuilder.rebuild([list_id])
        seconds = time.perf_counter() - begun
        members = self._check([list_id])
        self._ranking.remove([list_id])
        held = self._held_ms()
        self._forget([list_id])
        return {"seconds": seconds, "members": members, "redis_longest_ms": max(held)}

    def placed(self, number_of_lists: int) -> dict[str, float]:
        """Returns the ms to place one thread on so many lists, and Redis's share."""
        list_ids = [query_list_id(f"{number:016x}", SORT) for number in range(number_of_lists)]
        with self._ranking.begin_rebuild(list_ids) as rebuild:
            for list_id in list_ids:
                rebuild.swap(list_id, "bench")
        self._client.slowlog_reset()
        thread_id = next(self._unknown_threads)
        took = [
            _ms(partial(self._place, list_ids, thread_id, revision))
            for revision in range(1, 1 + REPEATS)
        ]
        held = self._held_ms("EVALSHA")
        totals = {state.total for state in self._ranking.states(list_ids).values()}
        if totals != {1}:
            raise BenchError(f"one thread was placed, and the lists hold {totals}")
        self._ranking.remove(list_ids)
        return {"ms": median(took), "redis_ms": median(held), "redis_longest_ms": max(held)}

    def bytes_an_entry(self, views: int) -> dict[str, float]:
        """Returns the bytes that saved views of random conditions take in Redis, built together."""
        self._client.flushall()
        # The memory of the slow log would count, too.
        self._client.config_set("slowlog-log-slower-than", -1)
        self._client.slowlog_reset()
        listed = [ListedQuery(view.query, view.sort, "UTC") for view in saved_views(views)]
        list_ids = self._keep(listed)
        before = self._used()
        begun = time.perf_counter()
        self._services.rebuilder.rebuild(list_ids)
        seconds = time.perf_counter() - begun
        held = sum(state.total for state in self._ranking.states(list_ids).values())
        return {
            "entries": held,
            "bytes_an_entry": (self._used() - before) / max(1, held),
            "build_seconds": seconds,
        }

    def _place(self, list_ids: Sequence[str], id: int, revision: int) -> None:
        score = time.time_ns() // 1_000_000
        self._ranking.place([Placement(id, revision, dict.fromkeys(list_ids, (score,)))])

    def _keep(self, found: Sequence[ListedQuery]) -> list[str]:
        return self._database.write(
            lambda connection: list(
                dict.fromkeys(query_lists.keep(connection, each)[0] for each in found)
            )
        )

    def _forget(self, list_ids: Sequence[str]) -> None:
        self._database.write(lambda connection: kept_lists.release(connection, list_ids, 0))
        self._database.write(lambda connection: kept_lists.remove_expired(connection, 1))

    def _check(self, list_ids: Sequence[str]) -> int:
        """Checks that the lists equal SQL; returns their number of entries."""
        if found := list(self._services.diff.differences(list(list_ids)))[:3]:
            raise BenchError(f"what was built is not what SQL has: {found}")
        with self._database.read() as connection:
            lists = query_lists.current(connection).lists
            now = time.time_ns() // 1_000_000
            return sum(entries.total(connection, lists[list_id], now) for list_id in list_ids)

    def _held_ms(self, command: str = "") -> list[float]:
        """Returns the ms of each command since the slow log was reset, with this beginning."""
        found = [
            entry["duration"] / 1_000
            for entry in self._client.slowlog_get(100_000)
            if entry["command"].decode("utf-8", "replace").startswith(command)
        ]
        return found or [0.0]

    def _used(self) -> int:
        return int(self._client.info("memory")["used_memory"])


def _ms(call: Callable[[], object]) -> float:
    begun = time.perf_counter()
    call()
    return 1_000 * (time.perf_counter() - begun)
