"""Redis for the tests of the order: each runs on fakeredis and on a real server."""

from collections.abc import Iterator

import fakeredis
import pytest
import redis

from tests.redis_server import RedisServer, start_redis
from tests.scoring.desk import TAGS, Desk

ON_BOTH = [pytest.param("fake"), pytest.param("real", marks=pytest.mark.real_redis)]


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    server = start_redis(tmp_path_factory.mktemp("redis"))
    yield server
    server.close()


@pytest.fixture(params=ON_BOTH)
def client(request: pytest.FixtureRequest) -> Iterator[redis.Redis]:
    """An empty Redis."""
    if request.param == "fake":
        yield fakeredis.FakeRedis()
        return
    real = request.getfixturevalue("redis_server").client()
    real.flushall()
    yield real
    real.close()


@pytest.fixture
def desk(client: redis.Redis) -> Desk:
    opened = Desk(client)
    opened.open(*TAGS)
    return opened
