"""An idle connection is checked before each command, without switching green threads."""

import select

import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from dashboard.transport.redis_parser import parser_options


@pytest.fixture
def made(redis_server):
    """Makes a client as the server does; returns it with a list that grows with each poll."""
    looks = []

    def poll():
        looks.append(1)
        return select.poll()

    pool = redis.BlockingConnectionPool.from_url(
        redis_server.url, **parser_options(poll), retry=Retry(NoBackoff(), 0)
    )
    client = redis.Redis.from_pool(pool)
    yield client, looks
    client.close()


def test_an_idle_connection_is_checked_and_used_again(made):
    client, looks = made
    client.set("parser", 1)
    before = len(looks)
    assert client.get("parser") == b"1"
    assert len(looks) == before + 1
    assert len(client.connection_pool._connections) == 1


def test_a_connection_that_was_closed_is_replaced(made, redis_server):
    client, _ = made
    client.ping()
    redis_server.client().client_kill_filter(_type="normal", skipme=True)
    assert client.ping()


def test_unread_answers_are_not_taken_for_later_ones(made):
    client, _ = made
    client.set("parser", "right")
    connection = client.connection_pool.get_connection()
    connection.send_command("ECHO", "left over")
    assert connection.can_read(timeout=5)
    client.connection_pool.release(connection)
    assert client.get("parser") == b"right"


def test_messages_are_waited_for(made):
    client, _ = made
    with client.pubsub(ignore_subscribe_messages=True) as subscription:
        subscription.subscribe("parser")
        subscription.get_message(timeout=1)
        assert subscription.get_message(timeout=0.01) is None
        client.publish("parser", "heard")
        assert subscription.get_message(timeout=5)["data"] == b"heard"
