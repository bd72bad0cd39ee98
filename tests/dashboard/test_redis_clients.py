"""Clients of a cluster and of a master that Sentinels name, where these are away or change."""

import pytest
import redis
from redis.sentinel import MasterNotFoundError

from dashboard.redis_clients import FOLLOW_SECONDS, RedisClients, SentinelPool
from tests.servers.ports import free_port
from tests.servers.redis import RedisServer
from tests.servers.redis_proxy import RedisProxy
from tests.support import wait_until


def test_a_cluster_that_is_away_is_a_connection_error():
    """The client is made all the same, and whatever is asked of it fails as one server would."""
    client = RedisClients(f"redis+cluster://127.0.0.1:{free_port()}/").new()
    calls = [
        client.ping,
        client.time,
        lambda: client.get("key"),
        lambda: client.get_node_from_key("key"),
        lambda: client.pipeline(transaction=True).incr("key").execute(),
        lambda: client.pipeline().zcard("key").execute(),
        lambda: client.lock("key").acquire(blocking=False),
    ]
    for call in calls:
        with pytest.raises(redis.ConnectionError):
            call()
    client.close()


def test_sentinels_that_are_away_are_a_connection_error():
    client = RedisClients(f"redis+sentinel://127.0.0.1:{free_port()}/m").new()
    with pytest.raises(MasterNotFoundError, match="no Sentinel knows a master “m”"):
        client.ping()


class Watched:
    """A server behind two addresses; Sentinels name one of them as the master."""

    def __init__(self, server: RedisServer):
        self.first, self.second = RedisProxy(server), RedisProxy(server)
        self.named: RedisProxy | None = self.first
        self.now = 0.0
        self.asked = 0
        self.pool = SentinelPool(
            "m", self._discover, lambda: self.now, max_connections=2, timeout=5, socket_timeout=5
        )
        self.client = redis.Redis.from_pool(self.pool)

    def fail_over(self) -> None:
        self.named = self.second

    def later(self) -> None:
        self.now += FOLLOW_SECONDS

    def close(self) -> None:
        self.client.close()
        self.first.close()
        self.second.close()

    def _discover(self) -> tuple[str, int]:
        self.asked += 1
        if self.named is None:
            raise MasterNotFoundError("none is known")
        return "127.0.0.1", int(self.named.url.rpartition(":")[2])


@pytest.fixture
def watched(redis_server):
    made = Watched(redis_server)
    yield made
    made.close()


def connections_of(pool: SentinelPool) -> int:
    """The number of connections that the pool keeps, in whatever state."""
    return sum(count for count, _ in pool.get_connection_count())


def test_calls_while_no_sentinel_has_ever_answered_leave_nothing_behind():
    def nobody() -> tuple[str, int]:
        raise MasterNotFoundError("none is known")

    pool = SentinelPool("m", nobody, max_connections=2)
    client = redis.Redis.from_pool(pool)
    for _ in range(20):
        with pytest.raises(MasterNotFoundError):
            client.ping()
    assert connections_of(pool) <= 2


@pytest.mark.real_redis
def test_failovers_leave_nothing_behind(watched):
    for _ in range(5):
        in_use = watched.pool.get_connection()
        watched.named = watched.second if watched.named is watched.first else watched.first
        watched.later()
        assert watched.client.ping()
        watched.pool.release(in_use)
    assert connections_of(watched.pool) <= 2


@pytest.mark.real_redis
def test_the_old_master_is_left_within_a_second_of_a_failover(watched):
    assert watched.client.ping()
    watched.fail_over()
    watched.later()
    assert watched.client.ping()
    wait_until(lambda: (watched.first.connections, watched.second.connections) == (0, 1))


@pytest.mark.real_redis
def test_a_connection_that_was_in_use_does_not_return_to_the_old_master(watched):
    in_use = watched.pool.get_connection()
    watched.fail_over()
    watched.later()
    assert watched.client.ping()
    assert watched.first.connections == 1, "its call may end"
    watched.pool.release(in_use)
    wait_until(lambda: watched.first.connections == 0)
    for _ in range(3):
        assert watched.client.ping()
    assert watched.first.connections == 0


@pytest.mark.real_redis
def test_the_last_master_counts_while_no_sentinel_knows_one(watched):
    assert watched.client.ping()
    watched.named = None
    watched.later()
    assert watched.client.ping()
    assert watched.first.connections == 1


@pytest.mark.real_redis
def test_sentinels_are_asked_once_a_second_at_most(watched):
    for _ in range(5):
        assert watched.client.ping()
    assert watched.asked == 1
