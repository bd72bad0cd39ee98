"""The hub reads what changed, once, and frames it for all its sockets."""

import itertools

import pytest
import redis

from dashboard.live import hub as hub_module
from dashboard.live.calls import ListName
from dashboard.live.hub import ACKNOWLEDGE_SECONDS, BUSY_FRAME_SECONDS, FRAME_SECONDS, Hub
from dashboard.live.status import Status
from dashboard.live.totals import EVERYBODY
from scoring.ranking import Placement, Ranking
from tests.live.outlet import FakeOutlet

ARRIVAL = ListName("arrival", "arrival", "all")
PRIORITY = ListName("arrival", "priority", "all")
PAGES = ("arrival", "not_respond", "history")


class FakeReads:
    def __init__(self):
        self.row_reads = []
        self.stored = []
        self.acts = []

    def rows(self, ids):
        self.row_reads.append(sorted(ids))
        return {id: {"id": id, "name": f"thread {id}"} for id in ids}

    def acts_mark(self, thread_id):
        return len(self.acts)

    def acts_after(self, thread_id, known):
        return self.acts[known:], len(self.acts)

    def messages_after(self, thread_id, message_id):
        return [
            message
            for message in self.stored
            if message["thread_id"] == thread_id and message["id"] > message_id
        ]


class World:
    """A hub over a real ranking, with time and acknowledgements in the test's hands."""

    def __init__(self, client):
        self.client = client
        self.now = 1000.0
        self.late_since = None
        self.reads = FakeReads()
        self.outlet = FakeOutlet()
        self.ranking = Ranking(client)
        status = Status(lambda: self.late_since, lambda: int(self.now * 1000), self.outlet)
        self.hub = Hub(self.ranking, self.reads, status, self.outlet, lambda: self.now)
        self.revisions = itertools.count(1)
        self.rebuild("one")
        self.hub.turn()

    def rebuild(self, epoch, tags=PAGES):
        with self.ranking.begin_rebuild(tags) as rebuild:
            for tag in tags:
                rebuild.swap(tag, epoch)

    def place(self, id, score, enter=("arrival",), leave=()):
        scores = (score,) * len(self.ranking.sorts)
        given = (next(self.revisions), frozenset(leave), frozenset(enter), scores)
        self.ranking.place([Placement(id, *given)])

    def follow(self, sid, list=ARRIVAL):
        head = self.ranking.head("arrival", list.sort, 500)
        self.hub.boards.follow("arrival", sid, list, head.epoch, head.version)
        self.hub.ring(["arrival"])
        self.turn()

    def turn(self, seconds=FRAME_SECONDS):
        self.now += seconds
        self.hub.turn()

    def push(self, id, score, **where):
        """A change, the bell, and the next turn; the frames that went out."""
        self.place(id, score, **where)
        self.hub.ring(["arrival"])
        self.turn()
        return self.frames()

    def frames(self, sid=None):
        return self.outlet.take("list:order", sid)


@pytest.fixture
def world(client):
    return World(client)


def test_a_change_becomes_a_frame_from_the_known_version_to_the_new_one(world):
    world.place(1, 50)
    world.follow("a")
    version = world.ranking.head("arrival", "arrival", 1).version
    [frame] = world.push(2, 40)
    assert frame == {
        "page": "arrival",
        "sort": "arrival",
        "filter": "all",
        "epoch": "one",
        "from": version,
        "version": version + 1,
        "total": 2,
        "set": [[2, 40]],
        "del": [],
        "rows": {"2": {"id": 2, "name": "thread 2"}},
    }


def test_what_changed_between_reading_and_following_is_sent(world):
    head = world.ranking.head("arrival", "arrival", 500)
    world.place(1, 50)
    world.hub.boards.follow("arrival", "a", ARRIVAL, head.epoch, head.version)
    world.hub.ring(["arrival"])
    world.turn()
    assert world.frames()[0]["set"] == [[1, 50]]


def test_without_a_change_there_is_no_frame(world):
    world.follow("a")
    world.hub.ring(None)
    world.turn()
    assert world.frames() == []


def test_who_has_left_the_page_is_deleted(world):
    world.place(1, 50)
    world.follow("a")
    [frame] = world.push(1, 50, enter=("history",), leave=("arrival",))
    assert (frame["del"], frame["set"], frame["total"]) == ([1], [], 0)


def test_a_frame_is_in_order(world):
    world.follow("a")
    for id, score in ((3, 10), (2, 10), (1, 20)):
        world.place(id, score)
    world.hub.ring(["arrival"])
    world.turn()
    assert world.frames()[0]["set"] == [[2, 10], [3, 10], [1, 20]]


def test_at_once_when_all_is_quiet_then_one_frame_each_50_ms(world):
    world.follow("a")
    world.turn(1)
    world.place(1, 1)
    world.hub.ring(["arrival"])
    world.hub.turn()
    assert len(world.frames()) == 1
    world.outlet.acknowledge("a")
    for moment in range(2, 10):
        world.place(moment, moment)
        world.hub.ring(["arrival"])
        world.turn(FRAME_SECONDS / 10)
        assert world.frames() == []
    world.turn(FRAME_SECONDS)
    [frame] = world.frames()
    assert [id for id, _ in frame["set"]] == list(range(2, 10))


def test_a_process_that_pushes_slowly_pushes_less_often(world, monkeypatch):
    world.follow("a")
    send = world.outlet.send

    def slow_send(*given, **named):
        world.now += 0.03
        send(*given, **named)

    monkeypatch.setattr(world.outlet, "send", slow_send)
    begun = world.now + FRAME_SECONDS
    assert len(world.push(1, 1)) == 1
    world.outlet.acknowledge("a")
    world.place(2, 2)
    world.hub.ring(["arrival"])
    world.turn(begun + 0.9 * BUSY_FRAME_SECONDS - world.now)
    assert world.frames() == []
    world.turn(0.2 * BUSY_FRAME_SECONDS)
    assert len(world.frames()) == 1


def test_a_frame_and_the_totals_go_out_in_one_piece(world, monkeypatch):
    world.follow("a")
    world.hub.totals.greet("a", EVERYBODY)
    world.push(1, 1)
    world.outlet.acknowledge("a")
    pieces = []
    monkeypatch.setattr(world.outlet, "send_together", lambda sid, piece: pieces.append(piece))
    world.push(2, 2)
    assert [[message.event for message in piece] for piece in pieces] == [
        ["pages:totals", "list:order"]
    ]


def test_others_get_their_turn_between_frames_and_who_opened_anew_gets_no_old_one(
    world, monkeypatch
):
    for sid in ("a", "b", "c"):
        world.follow(sid)
    turns = []

    def others(seconds):
        turns.append(seconds)
        world.place(2, 2)
        head = world.ranking.head("arrival", "arrival", 500)
        world.hub.boards.follow("arrival", "c", ARRIVAL, head.epoch, head.version)

    monkeypatch.setattr(hub_module, "FRAMES_AT_ONCE", 2)
    monkeypatch.setattr(hub_module.time, "sleep", others)
    assert len(world.push(1, 1)) == 2
    assert turns == [0]
    assert world.outlet.unacknowledged.keys() == {"a", "b"}


def test_who_has_not_acknowledged_gets_one_merged_frame_afterwards(world):
    world.follow("slow")
    world.follow("quick")
    for id in range(1, 6):
        world.push(id, id)
        world.outlet.acknowledge("quick")
    [before] = [frame for frame in [world.push(6, 6)] if frame]
    assert len(before) == 1, "the slow one still owes an acknowledgement"
    world.outlet.acknowledge("quick")
    world.outlet.acknowledge("slow")
    world.turn()
    [merged] = world.frames("slow")
    assert [id for id, _ in merged["set"]] == [2, 3, 4, 5, 6]
    assert world.frames("quick") == []


def test_an_acknowledgement_alone_reads_nothing(world):
    world.follow("a")
    world.push(1, 1)
    world.outlet.acknowledge("a")
    assert not world.hub._rung


def test_who_never_acknowledges_is_hung_up_on(world):
    world.follow("a")
    world.push(1, 1)
    world.turn(ACKNOWLEDGE_SECONDS)
    assert world.outlet.hung_up == []
    world.turn(hub_module.SLOW_TICK_SECONDS)
    assert world.outlet.hung_up == ["a"]


def test_rows_are_read_once_for_all_lists_and_only_those_on_screen_or_on_top(world):
    for id in range(101, 131):
        world.place(id, id)
    world.follow("a")
    world.follow("b", PRIORITY)
    world.hub.screens.watch("b", [1])
    world.reads.row_reads.clear()
    world.place(1, 201)
    world.place(2, 202)
    world.place(103, 50)
    world.hub.ring(["arrival"])
    world.turn()
    frames = world.frames()
    assert len(frames) == 2
    named = {str(id): {"id": id, "name": f"thread {id}"} for id in (1, 103)}
    assert all(frame["rows"] == named for frame in frames)
    assert world.reads.row_reads == [[1, 103]]


def test_another_epoch_makes_browsers_open_anew(world):
    world.place(1, 1)
    world.follow("a")
    world.rebuild("two")
    world.hub.ring(None)
    world.turn()
    [frame] = world.frames()
    assert (frame["epoch"], frame["set"], frame["del"]) == ("two", [], [])
    assert frame["from"] == frame["version"]


def test_too_many_changes_make_browsers_open_anew(world, monkeypatch):
    monkeypatch.setattr(hub_module, "CHANGES_MAX", 3)
    world.follow("a")
    for id in range(1, 6):
        world.place(id, id)
    world.hub.ring(["arrival"])
    world.turn()
    [frame] = world.frames()
    assert frame["set"] == [] and frame["from"] == frame["version"]


def test_a_lost_list_is_late_until_it_is_rebuilt(world):
    world.follow("a")
    world.client.flushall()
    world.hub.totals.greet("a", EVERYBODY)
    world.hub.ring(None)
    world.turn()
    assert [status["late"] for status in world.outlet.take("order:status")] == [True]
    assert world.frames() == []
    world.rebuild("two")
    world.turn(hub_module.RETRY_SECONDS)
    assert [status["late"] for status in world.outlet.take("order:status")] == [False]
    assert world.frames()[0]["epoch"] == "two"


def test_redis_away_is_late_and_nothing_is_lost(world, monkeypatch):
    world.follow("a")
    world.place(1, 1)

    def away(*given):
        raise redis.ConnectionError("away")

    with monkeypatch.context() as patched:
        patched.setattr(world.ranking, "since", away)
        world.hub.ring(["arrival"])
        world.turn()
        assert [status["late"] for status in world.outlet.take("order:status")] == [True]
        world.turn(FRAME_SECONDS)
    world.turn(hub_module.RETRY_SECONDS)
    assert [status["late"] for status in world.outlet.take("order:status")] == [False]
    assert world.frames()[0]["set"] == [[1, 1]]


def test_the_slow_tick_finds_what_no_bell_told(world):
    world.follow("a")
    world.place(1, 1)
    world.turn(hub_module.SLOW_TICK_SECONDS)
    assert world.frames()[0]["set"] == [[1, 1]]


def test_totals_come_with_the_change_that_made_them(world):
    world.hub.totals.greet("a", EVERYBODY)
    world.hub.ring(None)
    world.turn()
    world.outlet.sent.clear()
    world.push(1, 1)
    assert world.outlet.take("pages:totals") == [
        {"filter": "all", "arrival": 1, "not_respond": 0, "history": 0}
    ]


def message(id, thread_id=1):
    return {"id": id, "thread_id": thread_id, "body": f"message {id}"}


def test_a_message_of_an_open_thread_is_pushed_once(world):
    world.place(1, 1)
    world.hub.conversations.join("a", 1)
    world.hub.conversations.has_read(1, 0)
    world.turn()
    world.reads.stored = [message(5), message(6, thread_id=2)]
    world.push(1, 2)
    world.push(1, 3)
    pushed = world.outlet.take("thread:message")
    assert pushed == [{"thread_id": 1, "message": message(5)}]


def test_a_message_stored_while_the_thread_was_being_opened_is_pushed(world):
    world.hub.conversations.join("a", 1)
    world.reads.stored = [message(5)]
    world.hub.conversations.has_read(1, 4)
    world.hub.ring(())
    world.turn()
    assert [each["message"]["id"] for each in world.outlet.take("thread:message")] == [5]


def test_messages_are_polled_while_redis_is_away(world):
    world.hub.conversations.join("a", 1)
    world.hub.conversations.has_read(1, 0)
    world.turn()
    world.late_since = 1
    world.turn()
    world.reads.stored = [message(5)]
    world.turn(hub_module.POLL_SECONDS)
    assert [each["message"]["id"] for each in world.outlet.take("thread:message")] == [5]


def test_what_is_done_to_an_open_thread_is_told_once(world):
    world.reads.acts = [{"type": "thread.assigned", "by": {"id": 2, "name": "Ken"}}]
    world.place(1, 1)
    world.hub.conversations.join("a", 1)
    world.hub.conversations.has_read(1, 0)
    world.push(1, 2)
    assert world.outlet.take("thread:act") == [], "it was done before"
    world.reads.acts.append({"type": "thread.closed", "by": {"id": 2, "name": "Ken"}})
    world.push(1, 3)
    world.push(1, 4)
    done = {"thread_id": 1, "type": "thread.closed", "by": {"id": 2, "name": "Ken"}}
    assert world.outlet.take("thread:act") == [done]


def test_nothing_is_left_of_a_socket_that_has_gone(world):
    world.follow("a")
    world.hub.screens.watch("a", [1, 2])
    world.hub.conversations.join("a", 1)
    world.hub.conversations.has_read(1, 0)
    world.hub.totals.greet("a", EVERYBODY)
    world.push(1, 1)
    world.hub.drop("a")
    assert not list(world.hub.boards)
    assert not world.hub.conversations.are_open
    assert world.hub.screens.on_screen([1, 2]) == []
    world.outlet.sent.clear()
    world.push(2, 2)
    assert world.outlet.sent == []
