"""A ranking for the tests of the order: each runs on fakeredis and on a real server."""

import pytest
import redis

from tests.drivers.ranking import LIST_IDS, RankingDriver


@pytest.fixture
def driver(client: redis.Redis) -> RankingDriver:
    opened = RankingDriver(client)
    opened.open(*LIST_IDS)
    return opened
