"""Presence under load: a crowd that beats, changes, vanishes and leaves at once.

Data: people with one connection each, in one namespace of 16 shards, on a redis-server of its own
without persistence. Method: one driver process in batches, so that rates are those of Redis and
not of Python; Redis's share of a core is its own `used_cpu_*` over the wall clock. Every result is
checked (counts, announcements, nothing doubled or missing) before its time counts.

    python -m bench.presence                      a small crowd, under a minute
    python -m bench.presence --people 1000000     the sizes that the bars are stated for
"""

import argparse
import os
import platform
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import redis

from presence.people import Beat, Connection, People
from presence.scripts import text_of
from presence.settings import Settings
from presence.states import Viewer, parsed
from presence.sweeper import Sweeper

TTL_MS = 90_000
BEAT_PERIOD_SECONDS = 30
CHUNK = 2_000


@contextmanager
def server() -> Iterator[redis.Redis]:
    """A redis-server on a Unix socket, gone afterwards."""
    binary = shutil.which("redis-server") or shutil.which("valkey-server")
    if not binary:
        sys.exit("bench: redis-server is not on the PATH")
    folder = tempfile.mkdtemp()
    path = str(Path(folder) / "bench.sock")
    options = ["--port", "0", "--unixsocket", path, "--save", "", "--appendonly", "no"]
    process = subprocess.Popen([binary, *options, "--dir", folder], stdout=subprocess.DEVNULL)
    client = redis.Redis(unix_socket_path=path, socket_timeout=60)
    try:
        for _ in range(200):
            try:
                client.ping()
                break
            except redis.ConnectionError:
                time.sleep(0.02)
        yield client
    finally:
        process.kill()
        process.wait()
        shutil.rmtree(folder)


def names(count: int) -> list[str]:
    return [f"acme/c-{number:07}" for number in range(count)]


def chunks(whole: Sequence[str], size: int = CHUNK) -> Iterator[Sequence[str]]:
    for start in range(0, len(whole), size):
        yield whole[start : start + size]


def redis_seconds(client: redis.Redis) -> float:
    usage = client.info("cpu")
    return float(usage["used_cpu_user"]) + float(usage["used_cpu_sys"])


def percentile(values: Sequence[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def announced(client: redis.Redis, people: People) -> int:
    """How many announcements there have been."""
    return sum(int(client.hget(people.space.meta(shard), "n") or 0) for shard in range(16))


def announcements(client: redis.Redis, people: People, after: dict[int, str]) -> list[dict]:
    """Every announcement after the last call; `after` keeps the place in each shard."""
    found = []
    for shard in range(people.space.shards):
        stream = people.space.events(shard)
        while entries := client.xrange(stream, min="(" + after.get(shard, "0"), count=5_000):
            after[shard] = text_of(entries[-1][0])
            found += [parsed(parts[b"j"]) for _, parts in entries if parts]
    return found


def fill(people: People, crowd: Sequence[str]) -> float:
    started = time.perf_counter()
    for part in chunks(crowd):
        people.open_all([(Connection(name, "s1"), Settings(), None) for name in part])
    passed = time.perf_counter() - started
    online = people.counts()["online"]
    assert online == len(crowd), f"{online} of {len(crowd)} are online"
    return passed


def measure_fill(client: redis.Redis, people: People, crowd: Sequence[str]) -> None:
    before = int(client.info("memory")["used_memory"])
    passed = fill(people, crowd)
    used = int(client.info("memory")["used_memory"]) - before
    streams = sum(
        client.memory_usage(people.space.events(shard), samples=0) or 0
        for shard in range(people.space.shards)
    )
    print(
        f"connect   {len(crowd):>9,} people in {passed:.1f} s, {len(crowd) / passed:,.0f} a second"
    )
    print(
        f"memory    {used / len(crowd):,.0f} bytes a person online with the streams "
        f"({streams / 1e6:,.0f} MB), {(used - streams) / len(crowd):,.0f} without; bar: under 700"
    )


def measure_beats(client: redis.Redis, people: People, crowd: list[str], seconds: float) -> None:
    """A thirtieth of the crowd beats each second, a thirty-third of those change."""
    rng = random.Random(1)
    a_second = max(20, len(crowd) // BEAT_PERIOD_SECONDS)
    changes = max(1, a_second // 33 // 20)
    before = announced(client, people)
    active = dict.fromkeys(crowd, True)
    sent = told = 0
    started, cpu = time.perf_counter(), redis_seconds(client)
    for tick in range(int(seconds * 20)):
        part = [crowd[(sent + step) % len(crowd)] for step in range(a_second // 20)]
        beats = [Beat(name, "s1", TTL_MS) for name in part]
        for name in rng.sample(crowd, changes):
            active[name] = not active[name]
            beats.append(Beat(name, "s1", TTL_MS, active[name]))
        assert not people.beat(beats), "a connection got lost"
        sent, told = sent + len(part), told + changes
        time.sleep(max(0.0, started + (tick + 1) / 20 - time.perf_counter()))
    passed, used = time.perf_counter() - started, redis_seconds(client) - cpu
    assert announced(client, people) - before == told, "not every change was announced once"
    print(
        f"beats     {sent / passed:,.0f} beats and {told / passed:,.0f} changes a second: "
        f"Redis at {100 * used / passed:.0f} % of a core; bar: under 50 at 33,000 and 1,000"
    )


def measure_silent_beats(client: redis.Redis, people: People, crowd: list[str]) -> None:
    before = announced(client, people)
    started = time.perf_counter()
    for part in chunks(crowd):
        assert people.beat([Beat(name, "s1", TTL_MS + 60_000) for name in part]) == []
    passed = time.perf_counter() - started
    assert announced(client, people) == before
    print(f"silence   {len(crowd):,} beats, {len(crowd) / passed:,.0f} a second, 0 announcements")


def measure_look(people: People, crowd: list[str], rounds: int = 300) -> None:
    rng, took = random.Random(2), []
    for _ in range(rounds):
        asked = rng.sample(crowd, 100)
        started = time.perf_counter()
        states = people.look(asked, Viewer())
        took.append(1_000 * (time.perf_counter() - started))
        assert {state["status"] for state in states.values()} <= {"online", "away"}
    print(
        f"look      100 people in one round trip: {percentile(took, 0.5):.2f} ms median, "
        f"{percentile(took, 0.99):.2f} ms p99; bar: under 5"
    )


def measure_crashes(
    client: redis.Redis, people: People, others: list[str], count: int, seconds: float
) -> None:
    """People vanish over some seconds, others beat; how late after its deadline is each told?"""
    crowd = [f"crash/{number}" for number in range(count)]
    rng = random.Random(3)
    place: dict[int, str] = {}
    announcements(client, people, place)
    lifetimes = {name: rng.randint(1_000, 1_000 + int(seconds * 1_000)) for name in crowd}
    for part in chunks(crowd):
        people.open_all([(Connection(name, "s1"), Settings(), lifetimes[name]) for name in part])
    sweeper, late, told = Sweeper([people]), [], Counter[str]()
    until = time.monotonic() + seconds + 3
    while time.monotonic() < until:
        # Without a beat from anybody the silence detector would hold, and rightly.
        people.beat([Beat(name, "s1", TTL_MS) for name in rng.sample(others, 500)])
        sweeper.sweep_once()
        time.sleep(0.25)
        for event in announcements(client, people, place):
            if event["p"]["s"] == "offline":
                told[event["u"]] += 1
                late.append(event["v"] - event["p"]["l"] - lifetimes[event["u"]])
    assert told == Counter(crowd), f"{len(told)} of {count} told, {sum(told.values())} in all"
    print(
        f"crashes   {count:,} silent: each told once, {percentile(late, 0.5):.0f} ms after the "
        f"deadline at the median, {percentile(late, 0.999):.0f} ms at p99.9; bar: 1,000"
    )


def measure_leaving(client: redis.Redis, people: People, crowd: list[str]) -> None:
    before, told = announced(client, people), 0
    started = time.perf_counter()
    for part in chunks(crowd):
        told += sum(people.close_all_of([(name, "s1") for name in part]))
    passed = time.perf_counter() - started
    assert told == announced(client, people) - before == len(crowd), f"{told} of {len(crowd)}"
    assert people.close_all_of([(name, "s1") for name in crowd[:500]]).count(True) == 0
    print(
        f"leaving   {len(crowd):,} at once: each told once, in {passed:.1f} s; bar: 5 for 300,000"
    )


def measure_seen(client: redis.Redis, people: People, count: int) -> None:
    """People who left: a row of last seen each."""
    before = int(client.info("memory")["used_memory"])
    now = int(time.time() * 1_000)
    keys = [people.space.seen(shard, "everyone")[0] for shard in range(16)]
    for start in range(0, count, 20_000):
        with client.pipeline(transaction=False) as pipeline:
            rows: dict[str, dict[str, int]] = {key: {} for key in keys}
            for number in range(start, min(start + 20_000, count)):
                name = f"acme/s-{number:08}"
                rows[keys[people.space.shard_of(name)]][name] = now - number
            for key, members in rows.items():
                pipeline.zadd(key, members)
            pipeline.execute()
    used = int(client.info("memory")["used_memory"]) - before
    whole = int(client.info("memory")["used_memory"])
    print(
        f"seen      {count:,} who left: {used / count:,.0f} bytes each; Redis holds "
        f"{whole / 1e6:,.0f} MB; bar: 2,000 MB with 10 million seen and a million online"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Presence under load.")
    parser.add_argument("--people", type=int, default=30_000, help="how many are online")
    parser.add_argument("--seconds", type=float, default=5, help="how long beats are measured")
    parser.add_argument("--crashes", type=int, default=2_000, help="how many vanish silently")
    parser.add_argument("--leaving", type=int, default=20_000, help="how many leave at once")
    parser.add_argument("--seen", type=int, default=100_000, help="how many more were seen")
    sizes = parser.parse_args()
    with server() as client:
        version = client.info("server")["redis_version"]
        machine = f"{os.cpu_count()} cores, {platform.machine()}, Redis {version}"
        print(f"{machine}, {sizes.people:,} people")
        people = People(client, "bench")
        crowd = names(sizes.people)
        measure_fill(client, people, crowd)
        measure_look(people, crowd)
        measure_beats(client, people, crowd, sizes.seconds)
        measure_silent_beats(client, people, crowd)
        measure_crashes(client, people, crowd, sizes.crashes, sizes.seconds)
        measure_leaving(client, people, crowd[: sizes.leaving])
        measure_seen(client, people, sizes.seen)


if __name__ == "__main__":
    main()
