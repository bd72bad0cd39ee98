"""Presence under load: many people connect, send heartbeats, time out and leave at once.

Data: people with one connection each, in one namespace of 16 shards, on their own redis-server
without persistence. Method: one driver process sends batches, so that Redis and not Python limits
the rates; Redis's share of a core is its own `used_cpu_*` divided by the elapsed time. Each
measurement checks its result (counts, announcements, no duplicates, none missing) and fails if
it is wrong.
"""

import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import redis

from bench.presence.report import Result
from lua_scripts.runner import text_of
from presence.people import Beat, Connection, People
from presence.settings import Settings
from presence.states import Viewer, parsed
from presence.sweeper import Sweeper
from tests.servers.redis import RedisServer

TTL_MS = 90_000
BEAT_PERIOD_SECONDS = 30
CHUNK = 2_000
#: The beginning of a row's score in the first group: see presence/lua/state/groups.lua.
FIRST_GROUP = 2**42


@contextmanager
def server() -> Iterator[redis.Redis]:
    """Yields a client of a redis-server without keyspace notifications, which ends afterwards."""
    with TemporaryDirectory() as folder:
        running = RedisServer(Path(folder), "--notify-keyspace-events", "")
        try:
            yield running.start().client(socket_timeout=60)
        finally:
            running.close()


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
    """Returns the number of announcements so far."""
    return sum(int(client.hget(people.space.people(shard).meta, "n") or 0) for shard in range(16))


def announcements(client: redis.Redis, people: People, after: dict[int, str]) -> list[dict]:
    """Returns all announcements since the last call; `after` keeps the position in each shard."""
    found = []
    for shard in range(people.space.shards):
        stream = people.space.people(shard).events
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
        client.memory_usage(people.space.people(shard).events, samples=0) or 0
        for shard in range(people.space.shards)
    )
    return {
        "people": len(crowd),
        "a_second": len(crowd) / passed,
        "bytes_a_person": used / len(crowd),
        "bytes_without_streams": (used - streams) / len(crowd),
    }


def measure_beats(client: redis.Redis, people: People, crowd: list[str], seconds: float) -> Result:
    """Measures beats: a thirtieth of the crowd beats each second; of these, one in 33 changes."""
    rng = random.Random(1)
    a_second = max(20, len(crowd) // BEAT_PERIOD_SECONDS)
    changes = max(1, a_second // 33 // 20)
    before = announced(client, people)
    active = dict.fromkeys(crowd, True)
    sent = counted = 0
    started, cpu = time.perf_counter(), redis_seconds(client)
    for tick in range(int(seconds * 20)):
        part = [crowd[(sent + step) % len(crowd)] for step in range(a_second // 20)]
        beats = [Beat(name, "s1", TTL_MS) for name in part]
        for name in rng.sample(crowd, changes):
            active[name] = not active[name]
            beats.append(Beat(name, "s1", TTL_MS, active[name]))
        assert not people.beat(beats), "a connection got lost"
        sent, counted = sent + len(part), counted + changes
        time.sleep(max(0.0, started + (tick + 1) / 20 - time.perf_counter()))
    passed, used = time.perf_counter() - started, redis_seconds(client) - cpu
    assert announced(client, people) - before == counted, "not every change was announced once"
    return {
        "beats_a_second": sent / passed,
        "changes_a_second": counted / passed,
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
    """Looks up 100 people in one round trip."""
    rng, took = random.Random(2), []
    ours, cpu = time.process_time(), redis_seconds(client)
    for _ in range(rounds):
        asked = rng.sample(crowd, 100)
        started = time.perf_counter()
        states = people.look_up(asked, Viewer())
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
    """Lets people vanish while others beat, and measures how late each is reported."""
    crowd = [f"crash/{number}" for number in range(count)]
    rng = random.Random(3)
    place: dict[int, str] = {}
    announcements(client, people, place)
    lifetimes = {name: rng.randint(1_000, 1_000 + int(seconds * 1_000)) for name in crowd}
    for part in chunks(crowd):
        people.open_all([(Connection(name, "s1"), Settings(), lifetimes[name]) for name in part])
    sweeper, late, counted = Sweeper([people]), [], Counter[str]()
    least = time.monotonic() + seconds + 3
    most = least + 60
    while time.monotonic() < (least if counted.total() >= count else most):
        # Without any beat, the outage detector would rightly hold everyone back.
        people.beat([Beat(name, "s1", TTL_MS) for name in rng.sample(others, 500)])
        sweeper.sweep_once()
        time.sleep(0.25)
        for event in announcements(client, people, place):
            if event["p"]["s"] == "offline":
                counted[event["u"]] += 1
                late.append(event["v"] - event["p"]["l"] - lifetimes[event["u"]])
    assert counted == Counter(crowd), f"{len(counted)} of {count}: {counted.total()}"
    return {
        "people": count,
        "late_ms_p50": percentile(late, 0.5),
        "late_ms_p999": percentile(late, 0.999),
    }


def measure_leaving(client: redis.Redis, people: People, crowd: list[str]) -> Result:
    before, counted = announced(client, people), 0
    started, ours, cpu = time.perf_counter(), time.process_time(), redis_seconds(client)
    for part in chunks(crowd):
        counted += sum(people.close_all_of([(name, "s1") for name in part]))
    passed, used = time.perf_counter() - started, redis_seconds(client) - cpu
    ours = time.process_time() - ours
    assert counted == announced(client, people) - before == len(crowd), f"{counted} of {len(crowd)}"
    assert people.close_all_of([(name, "s1") for name in crowd[:500]]).count(True) == 0
    return {
        "people": len(crowd),
        "seconds": passed,
        "redis_cpu_seconds": used,
        "python_cpu_seconds": ours,
    }


def measure_seen(client: redis.Redis, people: People, count: int) -> Result:
    """Measures rows of last seen, one for each person who left."""
    before = int(client.info("memory")["used_memory"])
    now = int(time.time() * 1_000)
    keys = [people.space.people(shard).seen for shard in range(16)]
    for start in range(0, count, 20_000):
        with client.pipeline(transaction=False) as pipeline:
            rows: dict[str, dict[str, int]] = {key: {} for key in keys}
            for number in range(start, min(start + 20_000, count)):
                name = f"acme/s-{number:08}"
                rows[keys[people.space.shard_of(name)]][name] = FIRST_GROUP + now - number
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
