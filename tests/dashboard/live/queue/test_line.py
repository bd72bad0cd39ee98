"""Supervisors are told the state of the queue when it changes."""

import pytest

from dashboard.live.queue import LONG_WAIT_MS, QueueLine, QueueNumbers, QueueReader
from dashboard.transport.caller import Caller
from tests.dashboard.live.emitter import FakeEmitter
from tests.dashboard.ordering.order import Order
from tests.drivers.lineup import rfc3339

NUMBERS = QueueNumbers(waiting=3, longest_since=1_000, over=1, here=2)


class Told:
    """The messages of a queue to sockets; the test sets the queue's numbers."""

    def __init__(self) -> None:
        self.numbers: QueueNumbers | None = NUMBERS
        self.reads = 0
        self.emitter = FakeEmitter()
        self.line = QueueLine(self._read, self.emitter)

    def joins(self, sid: str, role: str = "supervisor") -> None:
        self.line.on_ready(Caller(sid, 1, role))

    def told(self) -> dict[str, list]:
        """Returns the messages to each socket in a turn."""
        self.line.turn()
        return {
            sid: self.emitter.take("queue:numbers", sid)
            for sid in dict.fromkeys(sid for sid, _, _ in self.emitter.sent)
        }

    def _read(self) -> QueueNumbers | None:
        self.reads += 1
        return self.numbers


@pytest.fixture
def desk():
    return Told()


def test_a_new_socket_is_told_and_then_all_are_told_changes(desk):
    data = NUMBERS._asdict() | {"over_ms": 1_800_000}
    desk.joins("a")
    assert desk.told() == {"a": [data]}
    desk.joins("b")
    assert desk.told() == {"b": [data]}
    assert desk.told() == {}
    desk.numbers = NUMBERS._replace(over=2)
    assert desk.told() == {sid: [data | {"over": 2}] for sid in "ab"}


def test_nobody_is_told_but_supervisors_and_nothing_is_read_for_nobody(desk):
    desk.joins("a", "admin")
    assert (desk.told(), desk.reads) == ({}, 0)
    desk.line.on_role(Caller("a", 1, "supervisor"))
    assert [*desk.told()] == ["a"]
    desk.line.on_role(Caller("a", 1, "admin"))
    desk.numbers = NUMBERS._replace(waiting=9)
    assert desk.told() == {"a": [None]}, "it shows nothing any more"
    desk.joins("b")
    desk.line.on_disconnect("b", "closed")
    assert desk.told() == {}


def test_nothing_is_told_while_nothing_is_known(desk):
    desk.joins("a")
    desk.numbers = None
    assert desk.told() == {}
    desk.numbers = NUMBERS
    assert [*desk.told()] == ["a"]


def say(order: Order, thread: str, role: str = "client") -> int:
    """Posts a message of now; returns its time."""
    at = order.clock() + 1_000
    order.post(thread, role, occurred_at=rfc3339(at))
    return at


@pytest.fixture
def order(database, client, clock) -> Order:
    return Order(database, client, clock)


def test_the_numbers_are_those_of_the_list(order):
    """Also if only time has changed them."""
    reader = QueueReader(order.ranking, lambda: 4, order.clock)
    assert reader.read() is None, "before the lists are built"
    order.tick()
    assert reader.read() == (0, None, 0, 4)
    first = say(order, "t-1")
    order.clock.advance(60_000)
    second = say(order, "t-2")
    say(order, "t-3")
    say(order, "t-3", role="admin")
    assert reader.read() == (2, first, 0, 4)
    order.clock.advance(first + LONG_WAIT_MS - order.clock())
    assert reader.read() == (2, first, 0, 4), "thirty minutes are not over thirty minutes"
    order.clock.advance(1)
    assert reader.read() == (2, first, 1, 4)
    order.clock.advance(second - first)
    assert reader.read() == (2, first, 2, 4)
    order.client.flushall()
    assert reader.read() is None
