"""Presence under load: a crowd that beats, changes, vanishes and leaves at once.

Data: people with one connection each, in one namespace of 16 shards, on a redis-server of its own
without persistence. Method: one driver process in batches, so that rates are those of Redis and
not of Python; Redis's share of a core is its own `used_cpu_*` over the wall clock. Every result is
checked (counts, announcements, nothing doubled or missing) before its time counts, and kept in a
file beside those of the other benches as soon as it is there.

    python -m bench.presence                      a small crowd, under a minute
    python -m bench.presence --people 1000000 --leaving 300000 --crashes 7000 --seen 10000000
                                                  the sizes that the bars are stated for
"""

import argparse
import os
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

from bench import presence_http
from bench.machine import machine
from bench.presence_report import Report, Result
from bench.processes import ROOT
from presence.people import Beat, Connection, People
from presence.scripts import text_of
from presence.settings import Settings
from presence.states import Viewer, parsed
from presence.sweeper import Sweeper

TTL_MS = 90_000
BEAT_PERIOD_SECONDS = 30
CHUNK = 2_000
RESULTS = ROOT / "bench" / "results" / "presence.json"


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


def measure_fill(client: redis.Redis, people: People, crowd: Sequence[str]) -> Result:
    before = int(client.info("memory")["used_memory"])
    passed = fill(people, crowd)
    used = int(client.info("memory")["used_memory"]) - before
    streams = sum(
        client.memory_usage(people.space.events(shard), samples=0) or 0
        for shard in range(people.space.shards)
    )
    return {
        "people": len(crowd),
        "a_second": len(crowd) / passed,
        "bytes_a_person": used / len(crowd),
        "bytes_without_streams": (used - streams) / len(crowd),
    }


def measure_beats(client: redis.Redis, people: People, crowd: list[str], seconds: float) -> Result:
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
    return {
        "beats_a_second": sent / passed,
        "changes_a_second": told / passed,
        "redis_core": used / passed,
    }


def measure_silent_beats(client: redis.Redis, people: People, crowd: list[str]) -> Result:
    before = announced(client, people)
    started, cpu = time.perf_counter(), redis_seconds(client)
    for part in chunks(crowd):
        assert people.beat([Beat(name, "s1", TTL_MS + 60_000) for name in part]) == []
    passed, used = time.perf_counter() - started, redis_seconds(client) - cpu
    assert announced(client, people) == before
    return {"a_second": len(crowd) / passed, "redis_us_each": 1e6 * used / len(crowd)}


def measure_look(
    client: redis.Redis, people: People, crowd: list[str], rounds: int = 300
) -> Result:
    """100 people in one round trip."""
    rng, took = random.Random(2), []
    ours, cpu = time.process_time(), redis_seconds(client)
    for _ in range(rounds):
        asked = rng.sample(crowd, 100)
        started = time.perf_counter()
        states = people.look(asked, Viewer())
        took.append(1_000 * (time.perf_counter() - started))
        assert {state["status"] for state in states.values()} <= {"online", "away"}
    return {
        "ms_p50": percentile(took, 0.5),
        "ms_p99": percentile(took, 0.99),
        "redis_cpu_ms": 1_000 * (redis_seconds(client) - cpu) / rounds,
        "python_cpu_ms": 1_000 * (time.process_time() - ours) / rounds,
    }


def measure_crashes(
    client: redis.Redis, people: People, others: list[str], count: int, seconds: float
) -> Result:
    """People vanish over some seconds, others beat; how late after its deadline is each told?"""
    crowd = [f"crash/{number}" for number in range(count)]
    rng = random.Random(3)
    place: dict[int, str] = {}
    announcements(client, people, place)
    lifetimes = {name: rng.randint(1_000, 1_000 + int(seconds * 1_000)) for name in crowd}
    for part in chunks(crowd):
        people.open_all([(Connection(name, "s1"), Settings(), lifetimes[name]) for name in part])
    sweeper, late, told = Sweeper([people]), [], Counter[str]()
    least = time.monotonic() + seconds + 3
    most = least + 60
    while time.monotonic() < (least if told.total() >= count else most):
        # Without a beat from anybody the silence detector would hold, and rightly.
        people.beat([Beat(name, "s1", TTL_MS) for name in rng.sample(others, 500)])
        sweeper.sweep_once()
        time.sleep(0.25)
        for event in announcements(client, people, place):
            if event["p"]["s"] == "offline":
                told[event["u"]] += 1
                late.append(event["v"] - event["p"]["l"] - lifetimes[event["u"]])
    assert told == Counter(crowd), f"{len(told)} of {count} told, {sum(told.values())} in all"
    return {
        "people": count,
        "late_ms_p50": percentile(late, 0.5),
        "late_ms_p999": percentile(late, 0.999),
    }


def measure_leaving(client: redis.Redis, people: People, crowd: list[str]) -> Result:
    before, told = announced(client, people), 0
    started, ours, cpu = time.perf_counter(), time.process_time(), redis_seconds(client)
    for part in chunks(crowd):
        told += sum(people.close_all_of([(name, "s1") for name in part]))
    passed, used = time.perf_counter() - started, redis_seconds(client) - cpu
    ours = time.process_time() - ours
    assert told == announced(client, people) - before == len(crowd), f"{told} of {len(crowd)}"
    assert people.close_all_of([(name, "s1") for name in crowd[:500]]).count(True) == 0
    return {
        "people": len(crowd),
        "seconds": passed,
        "redis_cpu_seconds": used,
        "python_cpu_seconds": ours,
    }


def measure_seen(client: redis.Redis, people: People, count: int) -> Result:
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
    held = sum(client.zcard(key) for key in keys)
    assert held >= count, f"{held} of {count} are kept"
    whole = int(client.info("memory")["used_memory"])
    return {
        "people": count,
        "bytes_each": (whole - before) / count,
        "redis_bytes": whole,
        "online": people.counts()["online"],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="Presence under load.")
    parser.add_argument("--people", type=int, default=30_000, help="how many are online")
    parser.add_argument("--seconds", type=float, default=5, help="how long beats are measured")
    parser.add_argument("--crashes", type=int, default=2_000, help="how many vanish silently")
    parser.add_argument("--leaving", type=int, default=20_000, help="how many leave at once")
    parser.add_argument("--seen", type=int, default=100_000, help="how many more were seen")
    parser.add_argument("--out", type=Path, default=RESULTS)
    sizes = parser.parse_args()
    with server() as client:
        asked = {name: value for name, value in vars(sizes).items() if name != "out"}
        # Others on the machine: above the cores, times on the wall are theirs, too.
        about = {"machine": machine(client), "load": os.getloadavg()[0], "sizes": asked}
        report = Report(sizes.out, about)
        people = People(client, "bench")
        crowd = names(sizes.people)
        report.take("connect", measure_fill(client, people, crowd))
        report.take("look", measure_look(client, people, crowd))
        report.take("beats", measure_beats(client, people, crowd, sizes.seconds))
        report.take("silence", measure_silent_beats(client, people, crowd))
        report.take("crashes", measure_crashes(client, people, crowd, sizes.crashes, sizes.seconds))
        report.take("seen", measure_seen(client, people, sizes.seen))
        report.take("leaving", measure_leaving(client, people, crowd[: sizes.leaving]))
    report.take("http", presence_http.measure(sizes.seconds))


if __name__ == "__main__":
    main()
