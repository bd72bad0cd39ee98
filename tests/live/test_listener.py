"""The listener hears the bell, knows when it does not, and never dies."""

import threading

import pytest
from redis.backoff import NoBackoff
from redis.retry import Retry

from dashboard.live import listener as listener_module
from dashboard.live.listener import Listener
from scoring.keys import BELL_FLAGS, Keys
from tests.scoring.desk import Desk, placed
from tests.support import wait_until

pytestmark = pytest.mark.real_redis
KEYS = Keys("lineup")


class Heard:
    """A running listener, and what it told."""

    def __init__(self, server):
        options = {"socket_timeout": 1, "socket_connect_timeout": 1, "retry": Retry(NoBackoff(), 0)}
        self.tags = []
        self.looks = 0
        self.listener = Listener(server.client(**options), "lineup", self._ring)
        self.thread = threading.Thread(target=self.listener.run)
        self.thread.start()

    def _ring(self, tags):
        if tags is None:
            self.looks += 1
        else:
            self.tags += tags

    def stop(self):
        self.listener.stop()
        self.thread.join(5)
        assert not self.thread.is_alive(), "the listener did not end"


@pytest.fixture
def server(redis_server):
    client = redis_server.client()
    client.flushall()
    client.config_set("notify-keyspace-events", BELL_FLAGS)
    yield redis_server
    client.config_set("notify-keyspace-events", BELL_FLAGS)


@pytest.fixture
def heard(server, monkeypatch):
    monkeypatch.setattr(listener_module, "CANARY_SECONDS", 0.1)
    monkeypatch.setattr(listener_module, "DEAF_SECONDS", 0.5)
    monkeypatch.setattr(listener_module, "POLL_SECONDS", 0.2)
    monkeypatch.setattr(listener_module, "LISTEN_SECONDS", 0.05)
    heard = Heard(server)
    wait_until(lambda: heard.listener.is_hearing, what="the canary")
    yield heard
    heard.stop()


def rings(heard, client, tag="arrival"):
    heard.tags.clear()
    client.zadd(KEYS.changes(tag), {"000000000001": client.incr("version")})
    wait_until(lambda: tag in heard.tags, what=f"the bell of {tag}")


def test_a_change_rings_its_tag(heard, server):
    for tag in ("arrival", "history:unassigned", "not_respond:mine:7"):
        rings(heard, server.client(), tag)


def test_threads_that_are_placed_together_ring_once(server):
    client = server.client()
    desk = Desk(client)
    desk.open("arrival")
    bell = client.pubsub()
    bell.psubscribe(KEYS.changes_pattern())
    assert bell.get_message(timeout=5)["type"] == "psubscribe"
    desk.ranking.place([placed(id, 1, "arrival", id) for id in range(1, 9)])
    client.zadd(KEYS.changes("history"), {"000000000001": 1})
    rung = [bell.get_message(timeout=5)["channel"].decode() for _ in range(2)]
    bell.close()
    assert [KEYS.tag_of(channel.partition(":")[2]) for channel in rung] == ["arrival", "history"]


def test_other_keys_ring_nothing(heard, server):
    client = server.client()
    client.zadd(KEYS.sort("arrival", "priority"), {"000000000001": 1})
    client.zadd("{other:arrival}|changes", {"000000000001": 1})
    rings(heard, client)
    assert set(heard.tags) == {"arrival"}


def test_everything_is_looked_at_after_each_subscription(heard):
    assert heard.looks >= 1


@pytest.mark.parametrize("loss", ["delete", "unlink", "rename"])
def test_a_key_that_vanishes_rings(heard, server, loss):
    client = server.client()
    client.zadd(KEYS.sort("history", "arrival"), {"000000000001": 1})
    heard.tags.clear()
    given = ["elsewhere"] if loss == "rename" else []
    getattr(client, loss)(KEYS.sort("history", "arrival"), *given)
    wait_until(lambda: "history" in heard.tags, what="the bell of a lost key")


def test_it_comes_back_however_often_its_connection_is_killed(heard, server):
    client = server.client()
    for _ in range(10):
        looks = heard.looks
        client.execute_command("CLIENT", "KILL", "TYPE", "pubsub")
        wait_until(lambda before=looks: heard.looks > before, what="another look")
    rings(heard, client)
    assert heard.listener.reconnects >= 1


def test_without_notifications_it_asks_for_them_keeping_those_of_others(heard, server):
    client = server.client()
    client.config_set("notify-keyspace-events", "Kl")
    wait_until(
        lambda: set(BELL_FLAGS) <= set(client.config_get()["notify-keyspace-events"]),
        timeout_seconds=10,
        what="the flags being set again",
    )
    assert "l" in client.config_get()["notify-keyspace-events"]
    # It asks before it subscribes.
    wait_until(lambda: heard.listener.is_hearing, what="the canary")
    rings(heard, client)


def test_where_it_may_not_ask_it_looks_every_so_often(heard, server, monkeypatch):
    monkeypatch.setattr(heard.listener, "_ask_for_notifications", lambda: None)
    server.client().config_set("notify-keyspace-events", "")
    wait_until(lambda: not heard.listener.is_hearing, what="its noticing")
    looks = heard.looks
    wait_until(lambda: heard.looks > looks + 3, what="looks")


def test_a_forbidden_config_is_no_trouble(server, monkeypatch):
    client = server.client()
    rights = ["~*", "&*", "+@all", "-config", "-@dangerous"]
    client.execute_command("ACL", "SETUSER", "app", "on", ">p", *rights)
    monkeypatch.setattr(listener_module, "CANARY_SECONDS", 0.1)
    restricted = server.client(username="app", password="p", socket_timeout=1)
    listener = Listener(restricted, "lineup", lambda tags: None)
    thread = threading.Thread(target=listener.run)
    thread.start()
    try:
        wait_until(lambda: listener.is_hearing, what="the canary")
    finally:
        listener.stop()
        thread.join(5)
        client.execute_command("ACL", "DELUSER", "app")


def test_a_full_redis_does_not_make_it_deaf(heard, server):
    client = server.client()
    client.config_set("maxmemory", 1)
    try:
        looks, reconnects = heard.looks, heard.listener.reconnects
        wait_until(lambda: heard.looks > looks + 3, what="looks")
        assert heard.listener.reconnects == reconnects
    finally:
        client.config_set("maxmemory", 0)
    rings(heard, client)


def test_a_paused_server_is_only_a_pause(heard, server):
    server.pause()
    try:
        reconnects = heard.listener.reconnects
        wait_until(lambda: heard.listener.reconnects > reconnects, what="its noticing")
    finally:
        server.resume()
    wait_until(lambda: heard.listener.is_hearing, what="the canary")
    rings(heard, server.client())
