"""The listener receives notifications, notices when none come, and keeps running."""

import threading

import pytest
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError
from redis.retry import Retry

from dashboard.live import listener as listener_module
from dashboard.live.listener import Listener
from scoring.keys import NOTIFY_FLAGS, Keys
from tests.drivers.ranking import RankingDriver, placed
from tests.support import wait_until

pytestmark = pytest.mark.real_redis
KEYS = Keys("lineup")


class ListenerDriver:
    """A running listener, and everything that it passed on."""

    def __init__(self, server):
        options = {"socket_timeout": 1, "socket_connect_timeout": 1, "retry": Retry(NoBackoff(), 0)}
        self.list_ids = []
        self.polls = 0
        self.deleted = []
        self.listener = Listener(
            server.client(**options),
            Keys("lineup"),
            self._on_notify,
            on_deleted=self.deleted.append,
        )
        self.thread = threading.Thread(target=self.listener.run)
        self.thread.start()

    def _on_notify(self, list_ids):
        if list_ids is None:
            self.polls += 1
        else:
            self.list_ids += list_ids

    def stop(self):
        self.listener.stop()
        self.thread.join(5)
        assert not self.thread.is_alive(), "the listener did not end"


@pytest.fixture
def server(redis_server):
    client = redis_server.client()
    client.flushall()
    client.config_set("notify-keyspace-events", NOTIFY_FLAGS)
    yield redis_server
    client.config_set("notify-keyspace-events", NOTIFY_FLAGS)


@pytest.fixture
def driver(server, monkeypatch):
    monkeypatch.setattr(listener_module, "CANARY_SECONDS", 0.1)
    monkeypatch.setattr(listener_module, "CANARY_TIMEOUT_SECONDS", 0.5)
    monkeypatch.setattr(listener_module, "POLL_SECONDS", 0.2)
    monkeypatch.setattr(listener_module, "LISTEN_SECONDS", 0.05)
    driver = ListenerDriver(server)
    wait_until(lambda: driver.listener.is_receiving, what="the canary")
    yield driver
    driver.stop()


def is_notified(driver, client, list_id="arrival"):
    driver.list_ids.clear()
    client.zadd(KEYS.changes(list_id), {"000000000001": client.incr("version")})
    wait_until(lambda: list_id in driver.list_ids, what=f"the notification of {list_id}")


def test_a_change_notifies_its_list_id(driver, server):
    for list_id in ("arrival", "history", "not_respond"):
        is_notified(driver, server.client(), list_id)


def test_a_deleted_key_names_its_list_id(driver, server):
    client = server.client()
    key = KEYS.sort("arrival", "priority")
    client.zadd(key, {"000000000001": 1})
    client.delete(key, "{other:arrival}|priority")
    wait_until(lambda: driver.deleted == ["arrival"], what="the deletion")


def test_threads_that_are_placed_together_notify_once(server):
    client = server.client()
    driver = RankingDriver(client)
    driver.open("arrival")
    subscription = client.pubsub()
    subscription.psubscribe(KEYS.changes_pattern())
    assert subscription.get_message(timeout=5)["type"] == "psubscribe"
    driver.ranking.place([placed(id, 1, "arrival", id) for id in range(1, 9)])
    client.zadd(KEYS.changes("history"), {"000000000001": 1})
    channels = [subscription.get_message(timeout=5)["channel"].decode() for _ in range(2)]
    subscription.close()
    assert [KEYS.list_id_of(channel.partition(":")[2]) for channel in channels] == [
        "arrival",
        "history",
    ]


def test_other_keys_notify_nothing(driver, server):
    client = server.client()
    client.zadd(KEYS.sort("arrival", "priority"), {"000000000001": 1})
    client.zadd("{other:arrival}|changes", {"000000000001": 1})
    is_notified(driver, client)
    assert set(driver.list_ids) == {"arrival"}


def test_all_lists_are_read_after_each_subscription(server, monkeypatch):
    """F11: at once, whether or not a canary comes back."""
    for name in ("CANARY_SECONDS", "POLL_SECONDS"):
        monkeypatch.setattr(listener_module, name, 1e9)
    monkeypatch.setattr(listener_module, "LISTEN_SECONDS", 0.05)
    driver, client = ListenerDriver(server), server.client()

    def is_subscribed():
        client.zadd(KEYS.changes("arrival"), {"000000000001": client.incr("version")})
        return driver.list_ids

    try:
        wait_until(is_subscribed, what="the first notification")
        assert driver.polls
        assert not driver.listener.is_receiving, "no canary came"
    finally:
        driver.stop()


@pytest.mark.parametrize("loss", ["delete", "unlink", "rename"])
def test_a_key_that_vanishes_is_notified(driver, server, loss):
    client = server.client()
    client.zadd(KEYS.sort("history", "arrival"), {"000000000001": 1})
    driver.list_ids.clear()
    given = ["elsewhere"] if loss == "rename" else []
    getattr(client, loss)(KEYS.sort("history", "arrival"), *given)
    wait_until(lambda: "history" in driver.list_ids, what="the notification of a lost key")


def test_it_reconnects_however_often_its_connection_is_killed(driver, server):
    client = server.client()
    for _ in range(10):
        polls = driver.polls
        client.execute_command("CLIENT", "KILL", "TYPE", "pubsub")
        wait_until(lambda before=polls: driver.polls > before, what="another look")
    wait_until(lambda: driver.listener.is_receiving, what="the canary")
    is_notified(driver, client)
    assert driver.listener.reconnects >= 1


def test_attempts_while_redis_is_away_are_no_reconnections(driver, server, monkeypatch):
    """Otherwise each restart of Redis would look like many broken connections."""
    was_made = driver.listener.reconnects
    monkeypatch.setattr(driver.listener, "_enable_notifications", fails_to_connect)
    server.client().execute_command("CLIENT", "KILL", "TYPE", "pubsub")
    wait_until(lambda: driver.listener.reconnects > was_made, what="the connection that is lost")
    once, polls = driver.listener.reconnects, driver.polls
    wait_until(lambda: driver.polls > polls + 3, what="attempts")
    assert driver.listener.reconnects == once


def fails_to_connect():
    raise ConnectionError("Error 111 connecting to localhost:6379. Connection refused.")


def test_it_enables_notifications_and_keeps_the_flags_of_others(driver, server):
    client = server.client()
    client.config_set("notify-keyspace-events", "Kl")
    wait_until(
        lambda: set(NOTIFY_FLAGS) <= set(client.config_get()["notify-keyspace-events"]),
        what="the flags being set again",
    )
    assert "l" in client.config_get()["notify-keyspace-events"]
    # The flags are set before the subscription.
    wait_until(lambda: driver.listener.is_receiving, what="the canary")
    is_notified(driver, client)


def test_it_polls_where_notifications_cannot_be_enabled(driver, server, monkeypatch):
    monkeypatch.setattr(driver.listener, "_enable_notifications", lambda: None)
    server.client().config_set("notify-keyspace-events", "")
    wait_until(lambda: not driver.listener.is_receiving, what="the loss being noticed")
    polls = driver.polls
    wait_until(lambda: driver.polls > polls + 3, what="polls")


def test_it_receives_notifications_where_config_is_forbidden(server, monkeypatch):
    client = server.client()
    rights = ["~{lineup*", "&*", "+@all", "-@admin", "-@dangerous", "+info"]
    client.execute_command("ACL", "SETUSER", "app", "on", ">p", *rights)
    monkeypatch.setattr(listener_module, "CANARY_SECONDS", 0.1)
    restricted = server.client(username="app", password="p", socket_timeout=1)
    listener = Listener(restricted, Keys("lineup"), lambda list_ids: None)
    thread = threading.Thread(target=listener.run)
    thread.start()
    try:
        wait_until(lambda: listener.is_receiving, what="the canary")
    finally:
        listener.stop()
        thread.join(5)
        client.execute_command("ACL", "DELUSER", "app")


def test_it_polls_while_redis_is_full(driver, server):
    client = server.client()
    client.config_set("maxmemory", 1)
    try:
        polls, reconnects = driver.polls, driver.listener.reconnects
        wait_until(lambda: driver.polls > polls + 3, what="polls")
        assert driver.listener.reconnects == reconnects
    finally:
        client.config_set("maxmemory", 0)
    is_notified(driver, client)


def test_it_receives_again_after_redis_was_paused(driver, server):
    server.pause()
    try:
        reconnects = driver.listener.reconnects
        wait_until(lambda: driver.listener.reconnects > reconnects, what="the loss being noticed")
    finally:
        server.resume()
    wait_until(lambda: driver.listener.is_receiving, what="the canary")
    is_notified(driver, server.client())
