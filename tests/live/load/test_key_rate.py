"""The rate of an API key, over two servers that share Redis and a database."""

import time

import pytest

from tests.drivers.bot import message
from tests.servers.lineup import LiveServer

pytestmark = pytest.mark.slow
RATE, POSTS = 5, 40


def test_a_key_posts_no_more_at_two_servers_than_at_one(redis_server, tmp_path):
    """Counting alone, each server would let as many pass."""
    redis_server.client().flushall()
    url = f"sqlite:///{tmp_path}/lineup.sqlite"
    with LiveServer(url, redis_server.url) as one, LiveServer(url, redis_server.url) as other:
        key = one.create_key("shop", "--scopes", "events", "--rate", str(RATE))
        bots = [(server.bot(key), server.url) for server in (one, other)]
        begun, taken, refused = time.monotonic(), 0, None
        for at in range(POSTS):
            bot, address = bots[at % 2]
            events = [message() for _ in range(RATE)]
            answer = bot.post(f"{address}/api/v1/events", json={"events": events})
            if answer.status_code == 429:
                refused = answer
            else:
                taken += RATE
        most = RATE * (1 + time.monotonic() - begun)
    assert RATE <= taken <= most
    assert refused is not None and int(refused.headers["Retry-After"]) == 1
