"""A WebSocket over a pair of sockets."""

import os
import socket
import threading

import pytest
from wsproto import ConnectionType, WSConnection
from wsproto.events import (
    AcceptConnection,
    BytesMessage,
    CloseConnection,
    Ping,
    Pong,
    Request,
    TextMessage,
)

from dashboard.transport.websocket import INVALID_PACKET, WebSocket
from dashboard.turns import Pace, Share, Turns
from dashboard.wsgi_keys import RECEIVE_NOW, SEND_NOW, SOCKET, TAKE_OVER, WAIT_READABLE, WEBSOCKET
from tests.support import wait_until


class Pair:
    """A server's WebSocket that keeps what it receives, and a wsproto client."""

    def __init__(self):
        self.received = []
        self.ours, theirs = socket.socketpair()
        self.ours.settimeout(5)
        self.protocol = WSConnection(ConnectionType.CLIENT)
        self.ours.sendall(self.protocol.send(Request(host="x", target="/")))
        self.theirs = theirs
        self.is_slow = self.has_waited = False
        request = self._request(theirs)
        headers = dict(line.split(": ", 1) for line in request.split("\r\n")[1:] if line)
        named = {f"HTTP_{name.upper().replace('-', '_')}": headers[name] for name in headers}
        self.environ = named | {
            SOCKET: theirs,
            SEND_NOW: lambda data: os.write(theirs.fileno(), data),
            RECEIVE_NOW: self._receive_now,
            WAIT_READABLE: self._wait_readable,
            TAKE_OVER: lambda: None,
        }
        self.turns = []
        turns = Turns()
        turns._give_turn = lambda: self.turns.append(len(self.received))
        pace = Pace(Share(), turns)
        self.websocket = WebSocket(self._receive, pace)
        self.thread = threading.Thread(
            target=self.websocket, args=[self.environ, None], daemon=True
        )
        self.thread.start()
        self.events = []
        assert isinstance(self.next_event(), AcceptConnection)

    def _request(self, theirs):
        text = b""
        while not text.endswith(b"\r\n\r\n"):
            text += theirs.recv(4096)
        return text.decode()

    def _receive_now(self, size):
        if self.is_slow and not self.has_waited:
            raise BlockingIOError
        self.has_waited = False
        return self.theirs.recv(size, socket.MSG_DONTWAIT)

    def _wait_readable(self, descriptor, seconds):
        self.theirs.recv(1, socket.MSG_PEEK)
        self.has_waited = True

    def _receive(self, websocket):
        while (message := websocket.wait()) is not None:
            self.received.append(message)

    def send(self, event):
        self.ours.sendall(self.protocol.send(event))

    def next_event(self):
        while not self.events:
            self.protocol.receive_data(self.ours.recv(65536) or None)
            self.events += self.protocol.events()
        return self.events.pop(0)


@pytest.fixture
def pair():
    made = Pair()
    yield made
    made.ours.close()
    made.thread.join(5)
    assert not made.thread.is_alive(), "the server's side did not end"


def test_messages_go_both_ways(pair):
    pair.send(TextMessage("42hello"))
    wait_until(lambda: pair.received == ["42hello"])
    pair.websocket.send("Xin chào")
    assert pair.next_event() == TextMessage("Xin chào", True, True)
    assert pair.environ[WEBSOCKET] is pair.websocket


def test_fragments_are_joined_with_pings_in_between(pair):
    pair.send(TextMessage("42he", message_finished=False))
    pair.send(Ping(b"?"))
    pair.send(TextMessage("llo"))
    assert pair.next_event() == Pong(b"?")
    wait_until(lambda: pair.received == ["42hello"])


@pytest.mark.parametrize("text", ["", "x", "0{}", "2", "5", "6", "7", "b4", "4"])
def test_text_that_engine_io_cannot_take_becomes_an_invalid_packet(pair, text):
    pair.send(TextMessage(text))
    wait_until(lambda: pair.received == [INVALID_PACKET])


def test_bytes_become_an_invalid_packet(pair):
    pair.send(BytesMessage(b"4abc"))
    wait_until(lambda: pair.received == [INVALID_PACKET])


def test_a_close_is_answered(pair):
    pair.send(CloseConnection(1000))
    assert pair.next_event().code == 1000
    pair.thread.join(5)
    assert not pair.thread.is_alive()
    with pytest.raises(OSError):
        pair.websocket.send("too late")


def test_a_large_message_arrives_whole_while_others_write(pair):
    texts = [str(number) * 200_000 for number in range(5)]
    writers = [threading.Thread(target=pair.websocket.send, args=[text]) for text in texts]
    for writer in writers:
        writer.start()
    got, piece = [], ""
    while len(got) < 5:
        event = pair.next_event()
        piece += event.data
        if event.message_finished:
            got.append(piece)
            piece = ""
    assert sorted(got) == texts


def test_a_client_that_does_not_read_can_be_disconnected(pair):
    ended = threading.Event()

    def write_for_ever():
        with pytest.raises(OSError):
            while True:
                pair.websocket.send("x" * 100_000)
        ended.set()

    writer = threading.Thread(target=write_for_ever, daemon=True)
    writer.start()
    assert not ended.wait(0.2), "the buffers are not full yet"
    pair.websocket.kill()
    assert ended.wait(5)


def test_an_offer_is_sent_at_once(pair):
    wait_until(lambda: pair.websocket.offer([b"42now"]))
    assert pair.next_event() == TextMessage("42now", True, True)


def test_a_partly_written_offer_is_completed_before_other_messages(pair):
    texts = [str(number % 10) * 300_000 for number in range(100)]
    wait_until(lambda: pair.websocket.offer([b"first"]))
    taken = ["first", *(text for text in texts if pair.websocket.offer([text.encode()]))]
    assert len(taken) <= len(texts), "the buffers are not full yet"
    after = threading.Thread(target=pair.websocket.send, args=["after"], daemon=True)
    after.start()
    got, piece = [], ""
    while got[-1:] != ["after"]:
        event = pair.next_event()
        piece += event.data
        if event.message_finished:
            got.append(piece)
            piece = ""
    assert got == [*taken, "after"]
    wait_until(lambda: pair.websocket.offer([b"42again"]))


def test_an_offer_to_a_closed_websocket_is_refused(pair):
    pair.websocket.kill()
    assert not pair.websocket.offer([b"42late"])


def test_an_intercepted_message_is_not_returned_by_wait(pair):
    pair.websocket.intercept = lambda message: message.startswith("43")
    for text in ("43/admin,1[]", "42hello"):
        pair.send(TextMessage(text))
    wait_until(lambda: pair.received == ["42hello"])


@pytest.mark.parametrize("size", [0, 125, 126, 65_535, 65_536])
def test_messages_of_every_length_are_framed_correctly(pair, size):
    text = "ế" + "x" * (size - 3) if size else ""
    pair.websocket.send(text)
    got = ""
    while True:
        event = pair.next_event()
        got += event.data
        if event.message_finished:
            break
    assert got == text


def test_nothing_is_sent_after_a_close_frame(pair):
    pair.send(CloseConnection(1000))
    assert pair.next_event().code == 1000
    assert not pair.websocket.offer([b"42late"])
    with pytest.raises(OSError):
        pair.websocket.send("42late")


def test_others_have_their_turn_before_each_frame_that_is_there_already(pair):
    """H7: many frames in one segment, for none of which the client waits."""
    messages = [f"42{number}" for number in range(20)]
    pair.ours.sendall(b"".join(pair.protocol.send(TextMessage(text)) for text in messages))
    wait_until(lambda: pair.received == messages)
    assert pair.turns[-1] == 19 and len(set(pair.turns)) >= 19


def test_a_message_that_is_waited_for_takes_no_turn(pair):
    """H7: the path of acknowledgements must be fast."""
    pair.is_slow = True
    pair.send(TextMessage("42first"))
    wait_until(lambda: pair.received == ["42first"])
    pair.turns.clear()
    for number in range(3):
        pair.send(TextMessage(f"42{number}"))
        wait_until(lambda number=number: len(pair.received) == number + 2)
    assert pair.turns == []


def test_a_message_of_more_values_than_any_call_has_is_no_packet(pair):
    """H7: 64 KiB of small objects would take 8 ms to parse."""
    pair.send(TextMessage("42[" + "{}," * 15_000 + "1]"))
    wait_until(lambda: pair.received == [INVALID_PACKET])


def test_empty_fragments_take_no_memory(pair):
    """H7: a message that never ends, in fragments without content."""
    pair.send(TextMessage("4", message_finished=False))
    for _ in range(100):
        pair.send(TextMessage("", message_finished=False))
    pair.send(TextMessage("2x"))
    wait_until(lambda: pair.received == ["42x"])
    assert pair.websocket._fragments == []
