"""The pool of connections: it distinguishes a queue of callers from a Redis that is away."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import redis

from dashboard.redis_clients import SharedPool
from tests.servers.redis import start_redis
from tests.support import wait_until

pytestmark = pytest.mark.real_redis

WAIT_SECONDS = 0.5


@pytest.fixture
def shared(redis_server):
    """A client with one connection, whose callers wait half a second."""
    redis_server.client().flushall()
    pool = SharedPool.from_url(
        redis_server.url, max_connections=1, timeout=WAIT_SECONDS, socket_timeout=5
    )
    client = redis.Redis.from_pool(pool)
    yield client
    client.close()


@pytest.mark.slow
def test_a_caller_waits_while_callers_before_it_are_answered(shared):
    """Eight calls of 0.2 s on one connection: the last waits longer than the time-out."""
    with ThreadPoolExecutor(8) as callers:
        answers = list(callers.map(lambda number: shared.blpop(f"list-{number}", 0.2), range(8)))
    assert answers == [None] * 8


@pytest.mark.slow
def test_a_caller_gives_up_when_no_call_is_answered(shared, redis_server):
    observer = redis_server.client()
    holder = threading.Thread(target=shared.blpop, args=["never", 4 * WAIT_SECONDS])
    holder.start()
    wait_until(lambda: "blpop" in [each["cmd"] for each in observer.client_list()])
    with pytest.raises(redis.ConnectionError, match="No connection available"):
        shared.ping()
    holder.join()


def test_callers_give_up_when_redis_stops_answering(tmp_path):
    own_server = start_redis(tmp_path)
    pool = SharedPool.from_url(
        own_server.url, max_connections=2, timeout=WAIT_SECONDS, socket_timeout=WAIT_SECONDS
    )
    client = redis.Redis.from_pool(pool)
    assert client.ping()
    own_server.pause()
    try:
        with ThreadPoolExecutor(6) as callers:
            calls = [callers.submit(client.ping) for _ in range(6)]
            errors = [call.exception() for call in calls]
    finally:
        own_server.resume()
    assert all(isinstance(error, redis.ConnectionError | redis.TimeoutError) for error in errors)
    assert client.ping()
    client.close()
    own_server.close()
