"""Beats over HTTP: batches of 1,000 at one worker, and how it spends its time."""

import json
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import requests

from bench.processes import cpu_seconds
from dashboard.presence.requests import BEATS_MAX, PresenceBeats
from tests.servers.lineup import LiveServer
from tests.servers.redis import RedisServer, running_redis

PEOPLE = 20_000
#: Posts at the same time: one is answered while the next is sent.
POSTING = 2


def measure(seconds: float) -> dict[str, float]:
    """Returns beats per second of a worker, and processor time: its own, Redis's, for bodies."""
    with (
        tempfile.TemporaryDirectory() as folder,
        running_redis(Path(folder)) as redis_server,
        LiveServer(f"sqlite:///{folder}/lineup.sqlite", redis_server.url) as worker,
    ):
        return _measure(worker, redis_server, seconds)


def _measure(worker: LiveServer, redis_server: RedisServer, seconds: float) -> dict[str, float]:
    key, bodies = worker.create_key(), _bodies()
    for body in bodies:
        _post(worker, key, [body], 0)
    client = redis_server.client()
    assert worker.process is not None
    pid = worker.process.pid
    cpu, redis_cpu, begun = cpu_seconds(pid), _redis_seconds(client), time.perf_counter()
    with ThreadPoolExecutor(POSTING) as pool:
        posts = [pool.submit(_post, worker, key, bodies, seconds) for _ in range(POSTING)]
        beats = sum(post.result() for post in posts)
    passed = time.perf_counter() - begun
    cpu, redis_cpu = cpu_seconds(pid) - cpu, _redis_seconds(client) - redis_cpu
    seen = worker.bot(key).get(f"{worker.url}/api/v1/presence/online", params={"limit": 1}).json()
    assert seen["total"] == PEOPLE, f"{seen['total']} of {PEOPLE} are online"
    reading = _reading_seconds(bodies)
    return {
        "beats_a_second": beats / passed,
        "beats_a_cpu_second": beats / cpu,
        "cpu_us_a_beat": 1e6 * cpu / beats,
        "of_it_reading_the_body": 1e6 * reading / PEOPLE,
        "redis_cpu_us_a_beat": 1e6 * redis_cpu / beats,
    }


def _bodies() -> list[str]:
    beats = [
        {"customer": f"c-{number}", "device": "browser", "type": "web"} for number in range(PEOPLE)
    ]
    return [
        json.dumps({"beats": beats[start : start + BEATS_MAX]})
        for start in range(0, PEOPLE, BEATS_MAX)
    ]


def _post(worker: LiveServer, key: str, bodies: list[str], seconds: float) -> int:
    """Posts all bodies over and over, at least once; returns how many beats were accepted."""
    taken, until = 0, time.monotonic() + seconds
    with requests.Session() as session:
        session.headers["Authorization"] = f"Bearer {key}"
        session.headers["Content-Type"] = "application/json"
        while True:
            for body in bodies:
                answer = session.post(f"{worker.url}/api/v1/presence", data=body)
                assert answer.status_code == 200, answer.text
                taken += answer.json()["accepted"]
            if time.monotonic() >= until:
                return taken


def _reading_seconds(bodies: list[str]) -> float:
    begun = time.process_time()
    for body in bodies:
        PresenceBeats.model_validate(json.loads(body))
    return time.process_time() - begun


def _redis_seconds(client: Any) -> float:
    usage = client.info("cpu")
    return float(usage["used_cpu_user"]) + float(usage["used_cpu_sys"])
