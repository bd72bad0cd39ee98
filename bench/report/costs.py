"""The cost of one unit of each kind, which the plan of docs/operations.md adds up."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from bench.report.bar import DATABASES, amount
from bench.report.pairs import frames
from bench.results import medians, numbers

Results = list[dict[str, Any]]
Numbers = dict[str, float]

_ALONE = {"workers": 1, "async_mode": "eventlet", "database": "sqlite"}
#: The scenarios of the results in which a unit's numbers are found.
_ACCEPT = _ALONE | {"bench": "accept", "threads": 10_000}
_ONE: dict[str, Any] = _ALONE | {"bench": "live", "threads": 10_000, "dashboards": 1, "rate": 100}
_FULL = _ONE | {"dashboards": 500}
_FAST = _ONE | {"dashboards": 100, "rate": 500}
_MILLION = {"bench": "live", "threads": 1_000_000, "dashboards": 50, "workload": "random"}


@dataclass(frozen=True)
class Cost:
    """Processor time of a worker, of Redis and of PostgreSQL in microseconds, and bytes."""

    what: str
    source: str
    worker: float | None = None
    redis: float | None = None
    postgres: float | None = None
    size: float | None = None

    @property
    def row(self) -> str:
        amounts = map(_text, (self.worker, self.redis, self.postgres, self.size))
        return f"| {self.what} | {' | '.join(amounts)} | {self.source} |"


def _text(cost: float | None) -> str:
    """Returns counted bytes as they are, and measured amounts with three digits."""
    if cost is None or isinstance(cost, int):
        return "" if cost is None else f"{cost:,}"
    return amount(cost)


HEADER = (
    "| one of | worker, µs | Redis, µs | PostgreSQL, µs | bytes | from |",
    "|---|---|---|---|---|---|",
)


def costs(
    results: Results, presence: dict[str, Any], sizes: dict[str, Any], memory: dict[str, Any]
) -> Iterator[Cost]:
    """Yields the costs that were measured; leaves out the others."""
    yield from _events(results)
    yield from _dashboards(results)
    yield from _places(results)
    yield from _kept(memory)
    yield from _stored(sizes)
    yield from _people({name: dict(numbers(found)) for name, found in presence["results"].items()})


def _events(results: Results) -> Iterator[Cost]:
    for database, name in DATABASES.items():
        found = _of(results, _ACCEPT | {"database": database})
        kinds = {"single": f"an event posted alone, {name}", "batch": f"one of a batch, {name}"}
        if database == "sqlite":
            kinds = {"empty post": "a request that does nothing", **kinds}
        for kind, what in kinds.items():
            if used := found.get(f"{kind}.cpu_us_server"):
                others = (found.get(f"{kind}.cpu_us_{side}") for side in ("redis", "postgres"))
                yield Cost(what, "Accept", used, *others)


def _dashboards(results: Results) -> Iterator[Cost]:
    accept, one, full, fast = (_of(results, asked) for asked in (_ACCEPT, _ONE, _FULL, _FAST))
    lives = [result for result in results if result["bench"] == "live"]
    frame = next((bar.value for bar in frames(lives)), None)
    if accept and one:
        worker, redis = (_followed(one, accept, side) for side in ("server", "redis"))
        source = "Live with 1 dashboard, less the event posted alone"
        yield Cost("an event that a worker follows, at 100/s", source, worker, redis)
    if accept and fast and frame:
        sent = _FAST["dashboards"] * fast["lineup.frames_a_second"] * frame / _FAST["rate"]
        worker, redis = (_followed(fast, accept, side) for side in ("server", "redis"))
        source = "Live with 100 dashboards, less the event and the frames"
        yield Cost("an event that a worker follows, at 500/s", source, worker - sent, redis)
    if frame:
        yield Cost("a frame to a dashboard", "Live with 100 dashboards less 1", frame)
    if one and full:
        size = (full["memory.lineup.server"] - one["memory.lineup.server"]) / 499
        yield Cost("a dashboard, in a worker", "Live with 500 less 1", size=size)
    if idle := _of(results, {"bench": "lists", "idle_seconds": 60}):
        worker, redis = (idle[f"idle_us_{side}"] for side in ("server", "redis"))
        source = "Lists, 1,000 threads, 500 dashboards"
        yield Cost("an idle dashboard, a second", source, worker, redis)
    if lists := _of(results, {"bench": "lists", "dashboards": 500, "threads": 1_000_000}):
        each = 1_000 * lists["reconnect_all_ms"] / 500
        yield Cost("a dashboard that comes back", "Lists, 500 at once, by the clock", each)


def _followed(live: Numbers, accept: Numbers, side: str) -> float:
    """Returns the cost of an event beyond its acceptance."""
    return live[f"lineup.cpu_us_{side}"] - accept[f"single.cpu_us_{side}"]


def _places(results: Results) -> Iterator[Cost]:
    lists = _of(results, {"bench": "lists", "threads": 1_000_000})
    if lists and (live := _of(results, _MILLION)):
        source = "Lists and Live, 1,000,000 threads; built by the clock"
        what = "a thread on all lists of the built-in views"
        # Seconds for a million threads are microseconds for each.
        yield Cost(what, source, lists["rebuild_seconds"], size=live["memory.lineup.redis"] / 1e6)
    placed = _of(results, {"bench": "viewlists", "threads": 1_000_000})
    views = _of(results, {"bench": "views"})
    if placed and (size := views.get("memory.bytes_an_entry")):
        each = placed["place.on 1000 lists.redis_ms"]
        source = "ViewLists, on 1,000 lists; Views"
        what = "a place on the list of a saved view"
        yield Cost(what, source, redis=each, size=size)


def _kept(memory: dict[str, Any]) -> Iterator[Cost]:
    for found in memory["servers"]:
        for what in ("an open thread", "an entry"):
            of = " of a saved view" if what == "an entry" else ", on all built-in lists"
            size = found[f"bytes_{what.replace(' ', '_')}"]
            yield Cost(f"{what}{of}, in {found['server']}", "`memory.json`", size=size)


def _stored(sizes: dict[str, Any]) -> Iterator[Cost]:
    for database, name in DATABASES.items():
        for what in ("a customer", "a thread", "an event"):
            size = sizes[database][f"{what.split()[1]}s_bytes"]
            yield Cost(f"{what} in {name}", "`sizes.json`", size=size)


def _people(found: dict[str, Numbers]) -> Iterator[Cost]:
    http, beats, leaving = (found[name] for name in ("http", "beats", "leaving"))
    posted = (http["cpu_us_a_beat"], http["redis_cpu_us_a_beat"])
    yield Cost("a beat, posted in batches", "presence: http", *posted)
    each = 1e6 * beats["redis_core"] / beats["beats_a_second"]
    yield Cost("a beat, of which 1 in 33 changes a state", "presence: beats", redis=each)
    each = 1e6 * leaving["redis_cpu_seconds"] / leaving["people"]
    yield Cost("a sign-out", "presence: leaving", redis=each)
    size = found["connect"]["bytes_a_person"]
    yield Cost("a person online, in Redis", "presence: connect", size=size)
    size = found["seen"]["bytes_each"]
    yield Cost("a person seen within 24 hours, in Redis", "presence: seen", size=size)


def _of(results: Results, asked: dict[str, Any]) -> Numbers:
    """Returns medians and memory of the first result with such a scenario; none without one."""
    for result in results:
        about = {"bench": result["bench"], **result["scenario"]}
        if result["rounds"] and all(about.get(key) == value for key, value in asked.items()):
            return medians(result) | dict(numbers(result.get("memory", {}), "memory"))
    return {}
