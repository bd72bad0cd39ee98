"""Who has a thread open learns how far its replies have come; everybody, which sources fail."""

import pytest

from dashboard.live.conversations import Conversations
from dashboard.live.way_out import WayOut
from dashboard.store.sent_messages import News
from tests.live.outlet import FakeOutlet


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


class World:
    def __init__(self):
        self.reads = FakeReads()
        self.outlet = FakeOutlet()
        self.conversations = Conversations(self.reads, self.outlet)
        self.way_out = WayOut(self.reads, self.conversations, self.outlet)


@pytest.fixture
def world():
    return World()


def delivery(state, v):
    return {"state": state, "to": "bot", "attempts": 0, "at": v, "v": v}


def test_who_has_the_thread_open_is_told_once_for_each_change(world):
    world.conversations.join("mai", 1)
    world.conversations.join("ken", 2)
    world.reads.news = [News(11, 1, delivery("queued", 1)), News(31, 3, delivery("queued", 1))]
    world.way_out.turn()
    told = {"thread_id": 1, "message_id": 11, "delivery": delivery("queued", 1)}
    assert world.outlet.take("thread:delivery", "mai") == [told]
    world.way_out.turn()
    world.reads.news = [News(11, 1, delivery("delivered", 2))]
    world.way_out.turn()
    world.way_out.turn()
    (again,) = world.outlet.take("thread:delivery")
    assert again["delivery"]["state"] == "delivered"


def test_what_was_written_while_sql_was_away_is_read_afterwards(world):
    world.conversations.join("mai", 1)
    world.way_out.turn()
    read_at = world.reads.at
    world.reads.at += 3_600_000
    world.way_out.turn()
    assert world.reads.since < read_at
    world.way_out.turn()
    assert world.reads.since > read_at


def test_sources_that_fail_are_told_to_everybody_when_that_changes_and_to_who_comes(world):
    world.way_out.turn()
    assert world.outlet.sent == []
    world.reads.failing = {"shop": 5}
    world.way_out.turn()
    world.way_out.turn()
    told = {"sources": [{"source": "shop", "since": 5}]}
    assert world.outlet.take("sources:failing") == [told]
    world.way_out.greet("mai")
    assert world.outlet.take("sources:failing", "mai") == [told]
    world.reads.failing = {}
    world.way_out.turn()
    assert world.outlet.take("sources:failing") == [{"sources": []}]
