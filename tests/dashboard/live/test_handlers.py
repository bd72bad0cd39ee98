"""The handlers of calls about lists and open threads."""

import fakeredis
import pytest

from dashboard.errors import Invalid, NotFound
from dashboard.ingest.schema import parse
from dashboard.live.handlers import THREADS_BEYOND
from dashboard.transport.caller import Caller
from tests.dashboard.live.emitter import Wire
from tests.dashboard.live.model import Worker
from tests.dashboard.ordering.order import Order
from tests.support import SettableClock

#: A few more threads than `list:more` gives past a thread.
THREADS = THREADS_BEYOND + 6
ARRIVAL = {"view": "arrival", "sort": "arrival"}


class Dashboard:
    """A socket of a worker, and its calls."""

    def __init__(self, order: Order):
        self.order = order
        self.worker = Worker(order)
        self.caller = Caller("socket", 1)
        self.wire = self.worker.network.wires.setdefault("socket", Wire())

    def call(self, name, **fields):
        return self.worker.call(self.caller, name, fields)

    def take_redis_away(self):
        """Makes Redis count as away: from now on lists are read from SQL."""
        self.worker.broadcaster.status.read_failed()

    def push(self, thread):
        """Posts a message in a thread; returns the frames that it makes."""
        self.order.post(thread)
        self.order.seconds += 1
        self.worker.broadcaster.notify(None)
        self.worker.broadcaster.turn()
        frames = [frame for frame, _ in self.wire.frames]
        for _, acknowledged in self.wire.frames:
            acknowledged()
        self.wire.frames.clear()
        return frames


@pytest.fixture
def dashboard(database):
    order = Order(database, fakeredis.FakeRedis(), SettableClock())
    messages = [
        {
            "id": f"first-{number}",
            "type": "message",
            "occurred_at": f"2026-09-01T09:00:{number:02d}Z",
            "thread": f"t-{number:02d}",
            "customer": {"id": f"c-{number}"},
            "role": "client",
            "body": "Xin chào",
        }
        for number in range(THREADS)
    ]
    order.ingest.accept(order.source_id, [parse(message) for message in messages])
    order.tick()
    return Dashboard(order)


@pytest.fixture(params=["redis", "sql"])
def either(request, dashboard):
    """The dashboard with lists from Redis, and from SQL while Redis is away."""
    if request.param == "sql":
        dashboard.take_redis_away()
    return dashboard


def test_a_list_is_opened_with_its_head_and_its_rows(either):
    """Both stores answer with the same order. (docs/protocol.md)"""
    answer = either.call("list:open", **ARRIVAL, limit=3)
    assert answer["ids"] == [row["id"] for row in answer["rows"]] == [26, 25, 24]
    assert (answer["total"], len(answer["scores"])) == (THREADS, 3)
    assert answer.get("late", False) == (answer["epoch"] is None)


def test_more_of_a_list_follows_an_entry(either):
    opened = either.call("list:open", **ARRIVAL, limit=3)
    after = [opened["scores"][-1], opened["ids"][-1]]
    more = either.call("list:more", **ARRIVAL, after=after, limit=2)
    assert more["ids"] == [23, 22]


@pytest.mark.parametrize("position", [3, 7, THREADS - 1])
def test_more_through_a_thread_says_its_rank_and_goes_past_it(either, position):
    """`list:more` with `through`: 20 threads past it, and its rank from 0. (docs/protocol.md)"""
    opened = either.call("list:open", **ARRIVAL, limit=3)
    after = [opened["scores"][-1], opened["ids"][-1]]
    expected = list(range(THREADS, 0, -1))
    answer = either.call("list:more", **ARRIVAL, after=after, through=expected[position])
    assert answer["rank"] == position
    assert answer["ids"] == expected[3 : position + 1 + THREADS_BEYOND]


def test_more_through_a_thread_that_is_on_another_view_has_no_rank(either):
    opened = either.call("list:open", **ARRIVAL, limit=3)
    after = [opened["scores"][-1], opened["ids"][-1]]
    answer = either.call("list:more", **ARRIVAL, after=after, through=THREADS + 1)
    assert answer["rank"] is None


@pytest.mark.parametrize("fields", [{}, {"limit": 5, "through": 1}], ids=["none", "both"])
def test_more_takes_either_a_limit_or_a_thread(dashboard, fields):
    with pytest.raises(Invalid) as raised:
        dashboard.call("list:more", **ARRIVAL, after=[0, 1], **fields)
    assert [(error.pointer, error.code) for error in raised.value.errors] == [
        ("/limit", "missing_field")
    ]


def test_a_closed_list_gets_no_more_frames(dashboard):
    """`list:close` ends what `list:open` began, for this list alone. (docs/protocol.md)"""
    priority = ARRIVAL | {"sort": "priority"}
    for list in (ARRIVAL, priority):
        dashboard.call("list:open", **list, limit=3)
    assert sorted(frame["sort"] for frame in dashboard.push("t-05")) == ["arrival", "priority"]
    assert dashboard.call("list:close", **ARRIVAL) == {"ok": True}
    assert [frame["sort"] for frame in dashboard.push("t-06")] == ["priority"]
    dashboard.call("list:close", **priority)
    assert dashboard.push("t-07") == []
    assert not [*dashboard.worker.broadcaster.subscriptions]


def test_sync_gives_what_changed_since_a_version(dashboard):
    opened = dashboard.call("list:open", **ARRIVAL, limit=3)
    dashboard.order.post("t-05")
    known = {"epoch": opened["epoch"], "version": opened["version"]}
    answer = dashboard.call("list:sync", **ARRIVAL, **known)
    assert (answer["resync"], answer["from"]) == (False, opened["version"])
    assert [id for id, _ in answer["set"]] == [6]
    other = dashboard.call("list:sync", **ARRIVAL, **known | {"epoch": "another"})
    assert other == {"ok": True, "resync": True}


def test_after_a_sync_the_socket_gets_the_frames_that_follow(dashboard):
    """Case B3: a page that comes back is a new socket, which has opened nothing."""
    held = dashboard.call("list:open", **ARRIVAL, limit=3)
    dashboard.worker.broadcaster.drop("socket")
    assert dashboard.push("t-05") == []
    known = {"epoch": held["epoch"], "version": held["version"]}
    synced = dashboard.call("list:sync", **ARRIVAL, **known)
    [frame] = dashboard.push("t-06")
    assert (frame["from"], [id for id, _ in frame["set"]]) == (synced["version"], [7])


@pytest.mark.parametrize(
    ("call", "fields"),
    [("open", {"limit": 3}), ("more", {"after": [0, 1], "limit": 3})],
)
def test_while_redis_is_known_to_be_away_it_is_not_asked(dashboard, monkeypatch, call, fields):
    """F2: each call would wait for a timeout."""
    dashboard.take_redis_away()
    for name in ("head", "after"):
        monkeypatch.setattr(dashboard.order.ranking, name, None)
    assert dashboard.call(f"list:{call}", **ARRIVAL, **fields)["late"]


def test_a_socket_that_has_closed_meanwhile_gets_no_versions(dashboard):
    worker = dashboard.worker
    versioned = worker.live_lists.view_totals._versioned
    dashboard.call("views:totals")
    assert not versioned and not worker.broadcaster.totals._versioned
    worker.broadcaster.admins.add("socket", 1)
    dashboard.call("views:totals")
    assert versioned == worker.broadcaster.totals._versioned == {"socket"}


def test_a_missing_thread_is_not_opened(dashboard):
    """`thread:open` of a thread that does not exist is 404, and nothing is subscribed."""
    with pytest.raises(NotFound) as raised:
        dashboard.call("thread:open", id=THREADS + 1)
    assert (raised.value.status, raised.value.code) == (404, "not_found")
    assert not dashboard.worker.broadcaster.conversations.has_readers


def test_a_thread_is_opened_with_its_messages_until_it_is_closed(dashboard):
    answer = dashboard.call("thread:open", id=6)
    assert [message["body"] for message in answer["messages"]] == ["Xin chào"]
    assert (answer["thread_id"], answer["row"]["id"], answer["more"]) == (6, 6, False)
    conversations = dashboard.worker.broadcaster.conversations
    assert conversations.readers_of(6) == ["socket"]
    dashboard.call("thread:close", id=6)
    assert conversations.readers_of(6) == []
