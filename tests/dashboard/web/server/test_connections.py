"""Connections: what was read of them, turns, and descriptors."""

import os
import resource
import socket

import pytest

from dashboard.turns import Pace, TimeBudget
from dashboard.web.server import connections
from dashboard.web.server.connections import Connection
from dashboard.web.server.descriptors import Descriptors


class Pair:
    """A connection whose other end is `client`; `turns` counts the turns of the others."""

    def __init__(self):
        self.client, green = socket.socketpair()
        raw = socket.socket(fileno=os.dup(green.fileno()))
        raw.setblocking(False)
        green.setblocking(True)
        self.turns = 0
        self.sockets = (self.client, green, raw)
        self.connection = Connection(green, raw, ("127.0.0.1", 1), self._turn)

    def _turn(self):
        self.turns += 1


@pytest.fixture
def pair():
    made = Pair()
    yield made
    for each in made.sockets:
        each.close()


def test_what_was_sent_ahead_is_known(pair):
    """H7: in the buffer, and in the kernel."""
    assert not pair.connection.has_more()
    pair.client.sendall(b"one\ntwo\n")
    assert pair.connection.has_more(), "in the kernel"
    assert pair.connection.reader.readline() == b"one\n"
    assert pair.connection.has_more(), "in the buffer"
    assert pair.connection.reader.readline() == b"two\n"
    assert not pair.connection.has_more()


def test_after_a_pipelined_request_others_have_their_turn(pair, monkeypatch):
    """H7"""
    # Reading gives turns by the clock, too, where the machine stands still meanwhile.
    monkeypatch.setattr("dashboard.turns.STEP_SECONDS", 60.0)
    pair.client.sendall(b"one\ntwo\n")
    pair.connection.reader.readline()
    pair.connection.begin_request()
    pair.connection.end_request()
    assert pair.turns == 1
    pair.connection.reader.readline()
    pair.connection.begin_request()
    pair.client.sendall(b"three\n")  # sent while the answer to `two` was on its way
    pair.connection.end_request()
    assert pair.turns == 1, "who waits for answers takes no turns"


def test_who_waits_for_each_answer_owes_nothing_however_long_requests_take(pair):
    """The next request is often there before the server reads again."""
    now, paused = 0.0, []
    pace = Pace(TimeBudget(lambda: now), pair._turn, paused.append, lambda: now)
    pair.connection._pace = pair.connection._source._pace = pace
    pair.client.sendall(b"one\n")
    for _ in range(100):
        pair.connection.wait_for_request()
        assert pair.connection.reader.readline() == b"one\n"
        pair.connection.begin_request()
        now += 0.05
        pair.client.sendall(b"one\n")
        pair.connection.end_request()
    assert (paused, pair.turns) == ([], 0)


def test_a_connection_that_ended_has_no_more(pair):
    pair.client.close()
    assert pair.connection.reader.readline() == b""
    assert not pair.connection.has_more()


@pytest.fixture
def few_descriptors():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    used = len(os.listdir("/proc/self/fd"))
    resource.setrlimit(resource.RLIMIT_NOFILE, (used + 120, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_the_last_descriptors_are_not_for_connections(few_descriptors):
    """H8: SQL and Redis need some, and the reserve is there when there is none."""
    descriptors = Descriptors()
    taken = []
    assert descriptors.are_left()
    while descriptors.are_left():
        taken.append(os.open(os.devnull, os.O_RDONLY))
    kept = []
    with pytest.raises(OSError, match="Too many open files"):
        while True:
            kept.append(os.open(os.devnull, os.O_RDONLY))
    assert len(kept) > 8
    assert not descriptors.are_left()
    assert descriptors.free_reserve() and not descriptors.free_reserve()
    kept.append(os.open(os.devnull, os.O_RDONLY))
    for each in kept + taken:
        os.close(each)
    descriptors.keep_reserve()
    assert descriptors.free_reserve()


def test_a_request_that_comes_byte_by_byte_is_read_a_few_times_a_second(pair, monkeypatch):
    """H7: with 300 such connections each byte would wake the worker."""
    pauses = []
    monkeypatch.setattr(connections.time, "sleep", pauses.append)

    class Nothing:
        def recv_into(self, buffer):
            raise BlockingIOError

    class Dripping:
        def recv_into(self, buffer):
            buffer[:1] = b"x"
            return 1

    pair.connection._source._raw, pair.connection._source._sock = Nothing(), Dripping()

    def drip(number):
        for _ in range(number):
            pair.connection.reader.read(1)

    drip(10)
    assert pauses == [], "a slow line"
    drip(20)
    assert len(pauses) > 10 and min(pauses) >= 0.1
    pair.connection.begin_request()
    pauses.clear()
    drip(10)
    assert pauses == [], "another request"
