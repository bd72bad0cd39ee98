"""Delivery states go to the sockets of their threads, failing sources to those that see all."""

import pytest

from dashboard.db.outbox.sent_messages import DeliveryUpdate
from dashboard.live.socket_admins import SocketAdmins
from dashboard.live.threads import Conversations, DeliveryUpdates
from dashboard.transport.caller import Caller
from tests.dashboard.live.emitter import FakeEmitter


class FakeReads:
    def __init__(self):
        self.failing = {}
        self.news = []
        self.at = 100_000

    def now(self):
        return self.at

    def failing_sources(self):
        return dict(self.failing)

    def delivery_news(self, thread_ids, since_ms):
        self.since = since_ms
        return [each for each in self.news if each.thread_id in thread_ids]


class DeliveryDriver:
    def __init__(self):
        self.reads = FakeReads()
        self.emitter = FakeEmitter()
        self.conversations = Conversations(self.reads, self.emitter)
        self.admins = SocketAdmins()
        self.delivery_updates = DeliveryUpdates(
            self.reads, self.conversations, self.emitter, self.admins
        )


@pytest.fixture
def driver():
    return DeliveryDriver()


def delivery(state, v):
    return {"state": state, "to": "bot", "attempts": 0, "at": v, "v": v}


def test_each_change_is_sent_once_to_the_sockets_of_the_thread(driver):
    driver.conversations.join("mai", 1)
    driver.conversations.join("ken", 2)
    driver.reads.news = [
        DeliveryUpdate(11, 1, delivery("queued", 1)),
        DeliveryUpdate(31, 3, delivery("queued", 1)),
    ]
    driver.delivery_updates.poll()
    expected = {"thread_id": 1, "message_id": 11, "delivery": delivery("queued", 1)}
    assert driver.emitter.take("thread:delivery", "mai") == [expected]
    driver.delivery_updates.poll()
    driver.reads.news = [DeliveryUpdate(11, 1, delivery("delivered", 2))]
    driver.delivery_updates.poll()
    driver.delivery_updates.poll()
    (again,) = driver.emitter.take("thread:delivery")
    assert again["delivery"]["state"] == "delivered"


def test_changes_while_sql_was_away_are_read_afterwards(driver):
    driver.conversations.join("mai", 1)
    driver.delivery_updates.poll()
    read_at = driver.reads.at
    driver.reads.at += 3_600_000
    driver.delivery_updates.poll()
    assert driver.reads.since < read_at
    driver.delivery_updates.poll()
    assert driver.reads.since > read_at


def test_failing_sources_are_sent_when_they_change_and_to_new_sockets(driver):
    # Admins of some desks are told nothing about faults caused by threads of other desks.
    driver.admins.add("ken", 1)
    driver.admins.add("lan", 2, frozenset({"main"}))
    driver.delivery_updates.poll()
    assert driver.emitter.sent == []
    driver.reads.failing = {"shop": 5}
    driver.delivery_updates.poll()
    driver.delivery_updates.poll()
    expected = {"sources": [{"source": "shop", "since": 5}]}
    assert driver.emitter.take("sources:failing", "ken") == [expected]
    driver.delivery_updates.send_to(Caller("tam", 3, desks=frozenset()))
    assert driver.emitter.sent == []
    driver.delivery_updates.send_to(Caller("mai", 4))
    assert driver.emitter.take("sources:failing", "mai") == [expected]
    driver.reads.failing = {}
    driver.delivery_updates.poll()
    assert driver.emitter.take("sources:failing") == [{"sources": []}]
