"""Connections are told once about new input, over a real epoll."""

import logging
import select
import socket
import sys
from unittest import mock

import pytest

from dashboard.web.server.readiness import GATHER_SECONDS, Readiness

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="this system has no epoll")


class Told:
    """Connections under test, and how often each was told about input."""

    def __init__(self):
        self.rounds, self.paused = 0, []
        self.readiness = Readiness(select.epoll, self._wait, self.paused.append)
        self.times = {}
        self.sockets = []
        self.unwatch = {}

    def _wait(self, descriptor):
        if not self.rounds:
            raise StopIteration
        self.rounds -= 1

    def run(self, rounds):
        """Runs as the green thread does, so many times."""
        self.rounds = rounds
        with pytest.raises(StopIteration):
            self.readiness._run()

    def open(self, name, fails=False, handles=True):
        ours, theirs = socket.socketpair()
        self.sockets += [ours, theirs]
        self.times[name] = 0

        def on_readable():
            self.times[name] += 1
            if fails:
                raise ValueError("broken")
            return handles

        self.unwatch[name] = self.readiness.watch(theirs.fileno(), on_readable)
        return ours


@pytest.fixture
def told(monkeypatch):
    # Here the test reports input itself.
    monkeypatch.setattr("dashboard.web.server.readiness.threading.Thread", mock.MagicMock())
    made = Told()
    yield made
    for each in made.sockets:
        each.close()


def test_each_is_told_once_of_what_has_come(told):
    first, second = told.open("first"), told.open("second")
    first.sendall(b"x")
    told.readiness.tell()
    told.readiness.tell()
    assert told.times == {"first": 1, "second": 0}
    first.sendall(b"unread bytes do not matter")
    second.close()
    told.readiness.tell()
    assert told.times == {"first": 2, "second": 1}


def test_what_came_before_it_was_watched_is_told(told):
    ours, theirs = socket.socketpair()
    told.sockets += [ours, theirs]
    ours.sendall(b"x")
    times = []
    told.readiness.watch(theirs.fileno(), lambda: times.append(1))
    told.readiness.tell()
    assert times == [1]


def test_who_is_watched_no_longer_is_not_told(told):
    ours = told.open("one")
    told.unwatch["one"]()
    told.unwatch["one"]()
    ours.sendall(b"x")
    told.readiness.tell()
    assert told.times == {"one": 0}


def test_one_that_fails_does_not_keep_the_others_from_being_told(told, caplog):
    for name in ("first", "second"):
        told.open(name, fails=True).sendall(b"x")
    with caplog.at_level(logging.ERROR):
        told.readiness.tell()
    assert told.times == {"first": 1, "second": 1}
    assert "could not be told" in caplog.text


def test_many_are_told_in_parts(told):
    for number in range(100):
        told.open(number).sendall(b"x")
    told.readiness.tell()
    assert 0 < sum(told.times.values()) < 100
    told.readiness.tell()
    assert set(told.times.values()) == {1}


def test_after_acknowledgements_alone_others_are_gathered(told):
    for name in ("first", "second"):
        told.open(name).sendall(b"x")
    told.run(1)
    assert told.paused == [GATHER_SECONDS]


def test_after_anything_else_the_next_ones_are_told_at_once(told):
    told.open("calls", handles=False).sendall(b"x")
    told.open("acknowledges").sendall(b"x")
    told.run(1)
    assert told.times == {"calls": 1, "acknowledges": 1}
    assert told.paused == []


def test_where_there_are_more_they_are_told_at_once(told):
    for number in range(100):
        told.open(number).sendall(b"x")
    told.run(1)
    assert told.paused == []
    told.run(1)
    assert told.paused == [GATHER_SECONDS]
