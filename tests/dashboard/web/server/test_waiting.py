"""Waiting for descriptors: one that is ready at once needs no switch to another green thread."""

import select
import socket
from selectors import EVENT_READ, EVENT_WRITE

import pytest

from dashboard.web.server.readiness import waiter

BOTH = EVENT_READ | EVENT_WRITE


class Waits:
    """Notes each wait of a green thread; nothing comes."""

    def __init__(self) -> None:
        self.seen: list[tuple] = []
        self.ready = waiter(select.poll, self._read, self._select)

    def _read(self, descriptor: int, seconds: float) -> None:
        self.seen.append(("read", descriptor, seconds))
        raise TimeoutError

    def _select(self, reads, writes, errors, seconds):
        self.seen.append(("select", reads, writes, seconds))
        return [], writes, []


@pytest.fixture
def waits() -> Waits:
    return Waits()


@pytest.fixture
def pair():
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    with ours, theirs:
        yield ours, theirs


@pytest.mark.parametrize("events", [EVENT_WRITE, BOTH])
def test_room_to_write_is_seen_without_waiting(waits, pair, events):
    ours, _ = pair
    assert waits.ready(ours.fileno(), events, 5) == EVENT_WRITE
    assert waits.seen == []


def test_what_has_come_is_seen_beside_room_to_write(waits, pair):
    ours, theirs = pair
    theirs.send(b"x")
    assert waits.ready(ours.fileno(), BOTH, 5) == BOTH
    assert waits.ready(ours.fileno(), EVENT_WRITE, 5) == EVENT_WRITE


def test_without_room_it_waits_for_what_was_asked(waits, pair):
    ours, _ = pair
    with pytest.raises(BlockingIOError):
        while True:
            ours.send(b"x" * 65_536)
    descriptor = ours.fileno()
    assert waits.ready(descriptor, BOTH, 5) == EVENT_WRITE
    assert waits.ready(descriptor, EVENT_WRITE, 3) == EVENT_WRITE
    assert waits.seen == [
        ("select", [descriptor], [descriptor], 5),
        ("select", [], [descriptor], 3),
    ]


def test_reading_waits_and_ends_with_the_time(waits, pair):
    ours, _ = pair
    assert waits.ready(ours.fileno(), EVENT_READ, 5) == 0
    assert waits.seen == [("read", ours.fileno(), 5)]


def test_a_connection_that_the_peer_has_closed_is_ready_for_everything(waits, pair):
    ours, theirs = pair
    theirs.close()
    assert waits.ready(ours.fileno(), BOTH, 5) == BOTH
    assert waits.seen == []
