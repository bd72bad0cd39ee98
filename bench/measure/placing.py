"""Placing threads in Redis, compared with equal pipelines of bare ZADDs; memory per thread."""

import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import redis

from bench.measure import ranking as order
from bench.processes import resident_bytes
from scoring.ranking import Ranking
from tests.servers.redis import RedisServer


@dataclass(frozen=True)
class Placing:
    threads: int = 100_000
    rounds: int = 3
    batches: tuple[int, ...] = order.BATCHES


def run(placing: Placing, folder: Path, templates: Path, deadline: float) -> dict[str, Any]:
    folder.mkdir(parents=True)
    server = RedisServer(folder)
    rounds: list[dict[str, Any]] = []
    try:
        server.start()
        client = server.client()
        ranking = Ranking(client, "bench")
        for number in range(placing.rounds):
            if number and time.monotonic() > deadline:
                break
            rounds.append(
                {
                    str(batch): {
                        "place": order.place(ranking, "a", batch),
                        "zadd": order.bare_zadd(client, ranking, "a", batch),
                    }
                    for batch in placing.batches
                }
            )
        memory = _memory_a_thread(client, ranking, placing.threads, server)
    finally:
        server.close()
    return {
        "bench": "placing",
        "scenario": asdict(placing),
        "rounds": rounds,
        "broken": {},
        "memory": memory,
    }


def _memory_a_thread(
    client: redis.Redis, ranking: Ranking, count: int, server: RedisServer
) -> dict[str, float]:
    """Returns bytes of a thread on one list id: six sorts, the log and the revisions."""
    client.flushall()
    before = client.info("memory")["used_memory"]
    seconds = order.fill(ranking, "b", order.rows(count, seed=5))
    used = client.info("memory")["used_memory"] - before
    assert server.process is not None
    return {
        "bytes_a_thread_and_list_id": used / count,
        "resident_mib": resident_bytes(server.process.pid) / 2**20,
        "fill_seconds": seconds,
    }
