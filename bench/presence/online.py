"""People seen lately: the cost of a page among many people, from Redis and from SQL.

Data: all but a few people belong to one source, `many`; the few, to `few`, beside ten more sources.
Method: the list is read as the bot API and the dashboard read it, page by page, each page timed.
Compared with reading every row once, which is what a list without an index of sources costs.
"""

import random
import time
from collections.abc import Callable, Iterable
from statistics import median

import redis

from bench.presence.measures import CHUNK, chunks, percentile
from bench.presence.report import Result
from presence.keys import Space
from presence.listing import Listing, Page, Position
from presence.people import Connection, People
from presence.settings import Settings
from presence.states import Viewer

FEW, OTHERS, LIMIT = 100, 10, 100
#: How often the first six pages of each list are read.
ROUNDS = 20
WITHIN_MS = 24 * 3_600_000
TRUTH, ADMIN = Viewer(truth=True), Viewer("1")
#: Name, viewer, and source.
ASKED: list[tuple[str, Viewer, str | None]] = [
    ("few", TRUTH, "few"),
    ("many", TRUTH, "many"),
    ("supervisor", TRUTH, None),
    ("agent", ADMIN, None),
]


def crowd(count: int) -> list[str]:
    sources = ["few"] * FEW + [f"other-{number % OTHERS}" for number in range(OTHERS * FEW)]
    names = [f"{source}/c-{number:07}" for number, source in enumerate(sources)]
    names += [f"many/c-{number:07}" for number in range(count - len(names))]
    random.Random(5).shuffle(names)
    return names


def no_contacts(viewer_id: str, people: Iterable[str]) -> frozenset[str]:
    return frozenset()


def measure(client: redis.Redis, count: int, rounds: int = ROUNDS) -> Result:
    """Reads pages from Redis; the first pages count the rows, later ones do not."""
    people = People(client, Space("online"))
    for part in chunks(crowd(count), CHUNK):
        people.open_all([(Connection(name, "s1"), Settings(), None) for name in part])
    result = {"people": float(count), "reading_all_ms": _reading_all(client, people)}
    return result | pages(Listing(people, no_contacts), count, rounds)


def pages(listing: Listing, count: int, rounds: int) -> Result:
    result: Result = {}
    totals = {"few": FEW, "many": count - FEW - FEW * OTHERS}
    for name, viewer, group in ASKED:

        def read(
            after: Position | None, viewer: Viewer = viewer, group: str | None = group
        ) -> Page:
            return listing.page(WITHIN_MS, LIMIT, after, viewer, group)

        first, later, total = _timed(read, rounds)
        assert total == totals.get(name, count), f"{name}: {total}"
        result |= {
            f"{name}_first_ms": median(first),
            f"{name}_first_ms_p95": percentile(first, 0.95),
        }
        if later:
            result |= {f"{name}_later_ms": median(later)}
            result |= {f"{name}_later_ms_p95": percentile(later, 0.95)}
    return result


def _timed(
    read: Callable[[Position | None], Page], rounds: int
) -> tuple[list[float], list[float], int]:
    first: list[float] = []
    later: list[float] = []
    total = 0
    for _ in range(rounds):
        after, seen = None, set[str]()
        for at in range(6):
            started = time.perf_counter()
            page = read(after)
            (later if at else first).append(1_000 * (time.perf_counter() - started))
            names = {one.id for one in page.people}
            assert not names & seen, "a person came twice"
            seen |= names
            after, total = page.next, page.total
            if after is None:
                break
    return first, later, total


def _reading_all(client: redis.Redis, people: People) -> float:
    started, read = time.perf_counter(), 0
    for shard in range(people.space.shards):
        key, start = people.space.people(shard).seen, 0
        while rows := client.zrevrange(key, start, start + 4_999, withscores=True):
            read, start = read + len(rows), start + 5_000
    assert read
    return 1_000 * (time.perf_counter() - started)
