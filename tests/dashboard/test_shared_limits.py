"""Token buckets that all workers share, on Redis, and each worker's own without it."""

import random

import fakeredis
import pytest
from redis.cluster import RedisCluster
from redis.exceptions import ConnectionError

from dashboard.rate_limits import (
    BREAK_SECONDS,
    RateLimit,
    RateLimiter,
    RateLimitExceeded,
    SharedLimiter,
)
from tests.servers.redis_cluster import RedisClusterServer
from tests.support import SettableClock

THREE_A_SECOND = RateLimit(3, 1, "{size} a second; try in {seconds} s.")


class Workers:
    """Two processes; `seconds` is the time that only grows, `clock` the shared one in ms."""

    def __init__(self, one, other):
        self.clock, self.seconds = SettableClock(), 50.0
        self.limiters = [
            SharedLimiter(client, "lineup", self.clock, lambda: self.seconds)
            for client in (one, other)
        ]

    def take(self, worker: int, cost: int = 1, caller: str = "events|1", limit=THREE_A_SECOND):
        """Returns None, or the answer to a refused call."""
        try:
            return self.limiters[worker].require(limit, caller, cost)
        except RateLimitExceeded as refused:
            return refused.headers["Retry-After"], refused.detail


@pytest.fixture
def workers(client) -> Workers:
    return Workers(client, client)


def test_all_workers_take_from_one_bucket(workers):
    assert [workers.take(at % 2) for at in range(3)] == [None] * 3
    refused = ("1", "3 a second; try in 1 s.")
    assert [workers.take(0), workers.take(1)] == [refused] * 2
    workers.clock.advance(333)
    assert workers.take(0) == refused
    workers.clock.advance(1)
    assert (workers.take(1), workers.take(0)) == (None, refused)


def test_callers_have_buckets_of_their_own(workers):
    assert workers.take(0, 3, "events|1") is workers.take(1, 3, "events|2") is None
    assert workers.take(0, 1, "events|2") is not None


def test_a_call_that_is_too_large_takes_nothing_and_says_so(workers):
    workers.take(0, 2)
    assert workers.take(1, 2) is not None
    assert workers.take(0, 1) is None
    wait, detail = workers.take(0, 4)
    assert wait == "1" and detail.endswith("A call of 4 is more than it may ever make at once.")


def test_a_long_limit_says_the_whole_time_to_wait(workers):
    limit = RateLimit(10, 60, "Wait {seconds} s.")
    assert workers.take(0, 10, limit=limit) is None
    workers.clock.advance(500)
    assert workers.take(1, 7, limit=limit) == ("42", "Wait 42 s.")


def test_a_bucket_that_is_full_again_is_not_kept(workers, client):
    workers.take(0)
    assert 0 < client.pttl("{lineup|rate|events|1}") <= 1_000


def test_a_clock_that_is_behind_fills_nothing_and_keeps_nobody_out(workers):
    assert workers.take(0, 3) is None
    workers.clock.advance(-60_000)
    assert workers.take(1) is not None
    workers.clock.advance(60_000 + 400)
    assert workers.take(1) is None


def test_random_calls_are_answered_as_by_the_limiter_of_one_process(workers):
    rng, limit = random.Random(4), RateLimit(7, 2, "{size} {seconds}")
    alone = RateLimiter(lambda: workers.clock() / 1_000)
    for _ in range(300):
        workers.clock.advance(rng.choice((0, 0, 13, 250, 900)))
        cost, answer = rng.randrange(1, 9), None
        try:
            alone.require(limit, "x", cost)
        except RateLimitExceeded as refused:
            answer = refused.headers["Retry-After"], refused.detail
        assert workers.take(rng.randrange(2), cost, "x", limit) == answer


def test_without_redis_each_worker_counts_for_itself_and_does_not_wait():
    """F2: after a failure Redis is not asked for a second."""
    servers = [fakeredis.FakeServer(), fakeredis.FakeServer()]
    workers = Workers(*(fakeredis.FakeRedis(server=server) for server in servers))
    asked = []
    for at, server in enumerate(servers):
        server.connected = False
        limiter = workers.limiters[at]
        shared = limiter._take_shared

        def counted(*given, shared=shared):
            asked.append(given)
            return shared(*given)

        limiter._take_shared = counted
    for at in (0, 1):
        assert [workers.take(at) for _ in range(3)] == [None] * 3
        assert workers.take(at) is not None
    assert len(asked) == 2
    for server in servers:
        server.connected = True
    assert workers.take(0) is not None and len(asked) == 2
    workers.seconds += BREAK_SECONDS
    assert workers.take(0) is None and len(asked) == 3


def test_an_error_of_redis_refuses_nobody(workers, monkeypatch):
    def away(*given):
        raise ConnectionError("away")

    monkeypatch.setattr(workers.limiters[0]._lua, "run", away)
    assert workers.take(0) is None


@pytest.mark.slow
@pytest.mark.real_redis
def test_a_cluster_keeps_each_bucket_on_one_of_its_primaries(tmp_path):
    """One key a call, in no common slot."""
    cluster = RedisClusterServer(tmp_path)
    try:
        client = cluster.client()
        workers = Workers(client, cluster.client())
        for key in range(30):
            assert workers.take(key % 2, 3, f"events|{key}") is None
            assert workers.take(1 - key % 2, 1, f"events|{key}") is not None
        sizes = client.dbsize(target_nodes=RedisCluster.PRIMARIES)
        assert sum(sizes.values() if isinstance(sizes, dict) else [sizes]) <= 30
    finally:
        cluster.close()
