"""Connections: input that was sent ahead, turns, and file descriptors."""

import os
import resource
import socket

import pytest

from dashboard.settings import KEEPALIVE_SECONDS
from dashboard.turns import turns
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
        self.connection = Connection(green, raw, ("127.0.0.1", 1))

    def line(self):
        """The next line that the connection reads."""
        self.connection.read_within(60)
        return self.connection.reader.line(100, AssertionError)

    def _turn(self):
        self.turns += 1


@pytest.fixture
def pair(monkeypatch):
    made = Pair()
    monkeypatch.setattr(turns, "_give_turn", made._turn)
    yield made
    for each in made.sockets:
        each.close()


def test_what_was_sent_ahead_is_known(pair):
    """H7: in the buffer, and in the kernel."""
    assert not pair.connection.has_more()
    pair.client.sendall(b"one\r\ntwo\r\n")
    assert pair.connection.has_more(), "in the kernel"
    assert pair.line() == "one"
    assert pair.connection.has_more(), "in the buffer"
    assert pair.line() == "two"
    assert not pair.connection.has_more()


def test_after_a_pipelined_request_others_have_their_turn(pair, monkeypatch):
    """H7"""
    # Reading also gives turns, if it takes long.
    monkeypatch.setattr("dashboard.turns.STEP_SECONDS", 60.0)
    pair.client.sendall(b"one\r\ntwo\r\n")
    pair.line()
    pair.connection.begin_request()
    pair.connection.end_request()
    assert pair.turns == 1
    pair.line()
    pair.connection.begin_request()
    pair.client.sendall(b"three\r\n")  # sent while the answer to `two` was on its way
    pair.connection.end_request()
    assert pair.turns == 1, "who waits for answers takes no turns"


def test_a_connection_that_ended_has_no_more(pair):
    pair.client.close()
    assert not pair.connection.wait_for_request(60)
    assert not pair.connection.has_more()


@pytest.fixture
def few_descriptors():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    used = len(os.listdir("/proc/self/fd"))
    resource.setrlimit(resource.RLIMIT_NOFILE, (used + 120, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_the_last_descriptors_are_not_for_connections(few_descriptors):
    """H8: SQL and Redis need some, and a reserve remains for when none is left."""
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
        def recv(self, size, *flags):
            raise BlockingIOError

    class Dripping:
        def recv(self, size):
            return b"x"

        def settimeout(self, seconds):
            pass

    pair.connection.raw, pair.connection.green = Nothing(), Dripping()
    pair.connection.read_within(60)

    def drip(number):
        for _ in range(number):
            pair.connection.reader.content(1)

    drip(10)
    assert pauses == [], "a slow line"
    drip(20)
    assert len(pauses) > 10 and min(pauses) >= 0.1
    pair.connection.begin_request()
    pauses.clear()
    drip(10)
    assert pauses == [], "another request"


def test_input_that_is_always_there_is_read_no_longer_than_it_may(pair):
    pair.client.sendall(b"x" * 100)
    pair.connection.read_within(-1)
    with pytest.raises(TimeoutError):
        pair.connection.reader.wait()


def test_an_empty_line_after_a_body_begins_no_request(pair):
    """Some clients send one, and then nothing for a while: the connection is idle, and kept."""
    pair.client.sendall(b"\r\n")
    pair.client.shutdown(socket.SHUT_WR)
    assert not pair.connection.wait_for_request(60)
    assert pair.connection.is_idle


def test_a_connection_without_a_request_is_kept_longer_than_a_balancer_keeps_it(pair):
    """Balancers of AWS and nginx: 60 s. The side that sends requests must end it first."""
    assert KEEPALIVE_SECONDS > 60
    assert not pair.connection.wait_for_request(0)
    assert pair.connection.is_idle
