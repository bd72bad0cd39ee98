"""Acknowledgements are handled in the thread that reports input; the connection's gets the rest."""

import socket
import threading
import time
from unittest import mock

import pytest
from wsproto.frame_protocol import FrameProtocol, Opcode

from dashboard.transport import websocket
from dashboard.transport.websocket import Incoming
from dashboard.turns import BURST_SECONDS, Pace, Share, Turns, Work
from dashboard.wsgi_keys import RECEIVE_NOW, SOCKET, WAIT_READABLE, WATCH
from tests.support import wait_until


def frame(text):
    return bytes(FrameProtocol(True, [])._serialize_frame(Opcode.TEXT, text.encode()))


class Connection:
    """A thread that reads what a client sends; the test itself reports input."""

    def __init__(self):
        self.ours, self.theirs = socket.socketpair()
        self.handled, self.texts, self.paused, self.error = [], [], [], None
        self.while_paused = lambda: None
        self.is_watched = True
        environ = {
            SOCKET: self.theirs,
            RECEIVE_NOW: lambda size: self.theirs.recv(size, socket.MSG_DONTWAIT),
            WAIT_READABLE: lambda descriptor, seconds: None,
            WATCH: self._watch,
        }
        self.now = 0.0
        self.share = Share(lambda: self.now)
        self.turns = Turns(lambda: self.now, wait=lambda lock, seconds: self._pause(seconds))
        self.turns._give_turn = lambda: None
        self.incoming = Incoming(environ, Pace(self.share, self.turns), self._handles)
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _watch(self, descriptor, on_readable):
        self.tell = on_readable
        return lambda: setattr(self, "is_watched", False)

    def _handles(self, text):
        if text.startswith("43"):
            self.handled.append((text, threading.current_thread() is self.thread))
            self.now += 0.001
        return text.startswith("43")

    def is_behind(self):
        """Uses up the connection's share while somebody else has a request under way."""
        self.share.spend(BURST_SECONDS + 0.1)
        self.turns._works["somebody else"] = Work(None, self.now)

    def _pause(self, seconds):
        self.paused.append(seconds)
        self.turns._works.clear()
        self.while_paused()

    def _run(self):
        try:
            while True:
                while (text := self.incoming.next_text()) is not None:
                    self.texts.append(text)
                if not self.incoming.rest() and not self.incoming.receive():
                    return
        except OSError as error:
            self.error = error

    def waits(self):
        wait_until(lambda: self.incoming._is_waiting)

    def send(self, *texts):
        self.waits()
        self.ours.sendall(b"".join(map(frame, texts)))
        return self.tell()


@pytest.fixture
def connection():
    made = Connection()
    yield made
    made.waits() if made.thread.is_alive() else None
    made.ours.close()
    made.tell()
    made.thread.join(30)
    assert not made.thread.is_alive(), "the end was not read"
    made.theirs.close()


def test_acknowledgements_do_not_wake_the_thread(connection):
    assert connection.send("43/admin,1[]", "43/admin,2[]"), "nothing is left"
    assert connection.handled == [("43/admin,1[]", False), ("43/admin,2[]", False)]
    assert connection.incoming._is_waiting


def test_a_call_wakes_it_and_what_follows_is_handled_after_the_call(connection):
    assert not connection.send("43/admin,1[]", "42/admin,7[]", "43/admin,2[]")
    connection.waits()
    assert connection.texts == ["42/admin,7[]"]
    assert connection.handled == [("43/admin,1[]", False), ("43/admin,2[]", True)]


def test_many_bytes_at_once_are_left_to_the_thread_which_gives_turns(connection):
    texts = [f"43/admin,{number}[]" for number in range(100)]
    connection.send(*texts)
    connection.waits()
    assert connection.handled == [(text, True) for text in texts]


def test_who_has_used_up_the_share_goes_behind_the_others(connection):
    connection.waits()
    connection.is_behind()
    connection.send("43/admin,1[]")
    connection.waits()
    assert connection.handled == [("43/admin,1[]", False)]
    assert len(connection.paused) == 1


def test_input_that_comes_while_the_thread_is_busy_is_read_before_it_waits(connection):
    connection.waits()
    go_on = threading.Event()

    def handles(text):
        if threading.current_thread() is connection.thread:
            go_on.wait()
        return False

    connection.incoming._handles = handles
    connection.send("42/admin,1[]")
    connection.ours.sendall(frame("42/admin,2[]"))
    assert not connection.tell(), "the thread reads it"
    go_on.set()
    wait_until(lambda: connection.texts == ["42/admin,1[]", "42/admin,2[]"])


def test_input_that_comes_while_the_thread_is_paused_is_read_before_it_waits(connection):
    connection.waits()
    connection.is_behind()

    def send():
        connection.while_paused = lambda: None
        connection.ours.sendall(frame("42/admin,1[]"))
        connection.tell()

    connection.while_paused = send
    connection.send("43/admin,1[]")
    wait_until(lambda: connection.texts == ["42/admin,1[]"])


def test_more_than_one_reading_takes_is_read_without_being_told_again(connection):
    # Frames of 32 bytes: no reading ends within one.
    texts = [f"42/admin,{number:015}[]" for number in range(1_500)]
    assert len(frame(texts[0])) == 32
    connection.send(*texts)
    wait_until(lambda: connection.texts == texts)


def test_being_told_without_input_changes_nothing(connection):
    connection.waits()
    connection.tell()
    assert connection.incoming._is_waiting


def test_a_client_that_sends_nothing_is_given_up(connection, monkeypatch):
    connection.waits()
    monkeypatch.setattr(websocket, "IDLE_SECONDS", 0)
    connection.send("42/admin,1[]")
    connection.thread.join(30)
    assert isinstance(connection.error, TimeoutError)


@pytest.mark.parametrize("text", ["42/admin,1[]", "43/admin,1[]"])
def test_a_client_that_sends_something_is_not_given_up(connection, monkeypatch, text):
    connection.waits()
    clock = mock.Mock(monotonic=lambda: time.monotonic() + websocket.IDLE_SECONDS)
    monkeypatch.setattr(websocket, "time", clock)
    connection.send(text)
    connection.send("42/admin,2[]")
    wait_until(lambda: connection.texts[-1:] == ["42/admin,2[]"])
    connection.waits()


def test_an_error_is_met_by_the_thread(connection):
    connection.waits()

    def fail(size):
        raise ConnectionResetError

    connection.incoming._receive_now = fail
    connection.tell()
    connection.thread.join(30)
    assert isinstance(connection.error, ConnectionResetError)


def test_it_is_watched_no_longer_than_it_is_open(connection):
    connection.incoming.close()
    assert not connection.is_watched
