"""The speed of the order in Redis: placing, catching up, reading on, rebuilding.

Data: random scores in all six sorts, seeded. Machine: this one, with Redis on a Unix socket.
Compared with: bare pipelines of ZADD, which keep no version, log or revision. Where we
lose: against these, for each thread and list id. Results are checked before their times count.

    python -m bench.measure.ranking
"""

import random
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

import redis

from dashboard.embedded_redis import find_or_start
from scoring.keys import member
from scoring.placing import Placement
from scoring.ranking import Ranking
from scoring.sorts import SORTS

PLACES = 20_000
REBUILD_THREADS = 200_000
LENGTHS = (1_000, 100_000)
REPEATS = 200
#: Threads of one `place`, and of one pipeline of ZADDs.
BATCHES = (1, 50, 500)

#: (id, revision, scores)
Thread = tuple[int, int, tuple[int, ...], None]


def rows(count: int, seed: int) -> list[Thread]:
    """Returns threads with ids from 1."""
    chance = random.Random(seed)

    def score() -> int:
        return (chance.randrange(8) << 42) + chance.randrange(1 << 42)

    return [(id, 1, tuple(score() for _ in SORTS), None) for id in range(1, count + 1)]


def fill(ranking: Ranking, list_id: str, filled: list[Thread]) -> float:
    """Rebuilds one list id; returns the seconds."""
    start = perf_counter()
    with ranking.begin_rebuild([list_id]) as rebuild:
        for first in range(0, len(filled), 10_000):
            rebuild.fill(list_id, filled[first : first + 10_000])
        rebuild.swap(list_id, "bench")
    seconds = perf_counter() - start
    assert ranking.states([list_id])[list_id].total == len(filled), "the rebuild lost threads"
    return seconds


def place(ranking: Ranking, list_id: str, batch: int) -> float:
    """Returns placed threads per second, on one list id with 100,000 threads."""
    moved = [Placement(id, 2, {list_id: scores}) for id, _, scores, _ in rows(PLACES, seed=2)]
    fill(ranking, list_id, rows(100_000, seed=1))
    start = perf_counter()
    changed = sum(ranking.place(moved[at : at + batch]) for at in range(0, PLACES, batch))
    seconds = perf_counter() - start
    assert changed == PLACES, "not every placement counted"
    return PLACES / seconds


def bare_zadd(client: redis.Redis, ranking: Ranking, list_id: str, batch: int) -> float:
    """Returns the speed of the same moves as bare ZADDs, five per thread, in equal pipelines."""
    moved = rows(PLACES, seed=2)
    fill(ranking, list_id, rows(100_000, seed=1))
    keys = [ranking.keys.sort(list_id, sort) for sort in SORTS]
    start = perf_counter()
    for first in range(0, PLACES, batch):
        pipeline = client.pipeline(transaction=False)
        for id, _, scores, _ in moved[first : first + batch]:
            for key, score in zip(keys, scores, strict=True):
                pipeline.zadd(key, {member(id): score})
        pipeline.execute()
    seconds = perf_counter() - start
    assert ranking.columns({list_id: [1]})[list_id][0] == [moved[0][2][0]]
    return PLACES / seconds


def median_us(call: Callable[[], object]) -> float:
    """Returns the median microseconds of a call."""

    def once() -> float:
        start = perf_counter()
        call()
        return perf_counter() - start

    return median(once() for _ in range(REPEATS)) * 1e6


def reads(ranking: Ranking, list_id: str, length: int) -> None:
    """Prints the times of reads on a list of this length."""
    filled = rows(length, seed=3)
    fill(ranking, list_id, filled)
    version = ranking.states([list_id])[list_id].version
    ranking.place([Placement(id, 2, {list_id: scores}) for id, _, scores, _ in filled[:10]])

    def since() -> object:
        return ranking.since(list_id, tuple(SORTS), "bench", version, 1_000)

    changes = ranking.since(list_id, tuple(SORTS), "bench", version, 1_000)
    assert changes is not None and len(changes.sets["arrival"]) == 10
    middle = ranking.through(list_id, "arrival", -1, 0, filled[0][0])[0].entries[-1]
    calls: dict[str, Callable[[], object]] = {
        "since, 10 changes, 6 sorts": since,
        "head of 50": lambda: ranking.head(list_id, "arrival", 50),
        "after a middle entry, 500": lambda: ranking.after(list_id, "arrival", *middle[::-1], 500),
        "states of 6 list_ids": lambda: ranking.states([list_id] * 6),
    }
    print(f"list of {length:,}, median microseconds")
    for name, call in calls.items():
        print(f"  {name:28} {median_us(call):6.0f}")


def main() -> None:
    with TemporaryDirectory() as folder:
        embedded = find_or_start(Path(folder))
        client = redis.Redis.from_url(embedded.url)
        ranking = Ranking(client, "bench")
        try:
            print(f"redis {client.info('server')['redis_version']}")
            for batch in BATCHES:
                ours, bare = place(ranking, "a", batch), bare_zadd(client, ranking, "a", batch)
                print(f"place by {batch:3}: {ours:9,.0f} threads/s · bare ZADD {bare:9,.0f}")
            for length in LENGTHS:
                reads(ranking, "b", length)
            seconds = fill(ranking, "c", rows(REBUILD_THREADS, seed=4))
            print(f"rebuild of {REBUILD_THREADS:,} threads on one list id: {seconds:.2f} s")
        finally:
            embedded.stop()


if __name__ == "__main__":
    main()
