"""A Lineup that may be stopped, with the admin Mai."""

from collections.abc import Iterator

import pytest

from tests.drivers.admin import AdminDriver
from tests.servers.lineup import LiveServer
from tests.servers.redis import start_redis


@pytest.fixture
def server(tmp_path) -> Iterator[LiveServer]:
    redis = start_redis(tmp_path)
    url = f"sqlite:///{tmp_path / 'lineup.sqlite'}"
    with LiveServer(url, redis.url, LINEUP_WEBHOOK_PRIVATE="1") as made:
        yield made
    redis.close()


@pytest.fixture
def mai(server) -> AdminDriver:
    return AdminDriver(server.url, server.sign_in(server.create_admin("Mai")))
