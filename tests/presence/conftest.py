"""Fixtures of the presence tests: the same tests on fakeredis and on a real server."""

from collections.abc import Iterator

import pytest
import redis

from lua_scripts.servers import Client
from tests.presence.world import World, fake
from tests.servers.redis import RedisServer
from tests.servers.redis_cluster import RedisClusterServer


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisClusterServer]:
    running = RedisClusterServer(tmp_path_factory.mktemp("cluster"))
    yield running
    running.close()


@pytest.fixture
def real(redis_server: RedisServer) -> redis.Redis:
    client = redis_server.client()
    client.flushall()
    return client


@pytest.fixture(params=["fake", pytest.param("real", marks=pytest.mark.real_redis)])
def client(request: pytest.FixtureRequest) -> Client:
    if request.param == "fake":
        return fake()
    real: redis.Redis = request.getfixturevalue("real")
    return real


@pytest.fixture
def world(client: Client) -> World:
    return World(client)


@pytest.fixture
def one_shard(client: Client) -> World:
    """One shard, for tests in which much time passes: sweeping takes a sixteenth of the work."""
    return World(client, shards=1)
