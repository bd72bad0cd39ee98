"""Fixtures of the presence tests: the same tests on fakeredis and on a real server."""

from collections.abc import Iterator

import pytest
import redis

from presence.scripts import Client
from tests.presence.servers import Cluster, Server, need_server
from tests.presence.world import World, fake


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    need_server()
    running = Server(tmp_path_factory.mktemp("redis"))
    yield running
    running.kill()


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    need_server()
    running = Cluster(tmp_path_factory.mktemp("cluster"))
    yield running
    running.kill()


@pytest.fixture
def real(server: Server) -> redis.Redis:
    client = server.client()
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
    """For tests in which much time passes: to sweep one shard takes a sixteenth of the work."""
    return World(client, shards=1)
