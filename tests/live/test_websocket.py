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

from dashboard.environ import SEND_NOW, SOCKET, TAKE_OVER, WEBSOCKET
from dashboard.live.websocket import NO_PACKET, WebSocket
from tests.support import wait_until


class Pair:
    """A server's WebSocket that keeps what it hears, and a client that speaks by the book."""

    def __init__(self):
        self.heard = []
        self.ours, theirs = socket.socketpair()
        self.ours.settimeout(5)
        self.protocol = WSConnection(ConnectionType.CLIENT)
        self.ours.sendall(self.protocol.send(Request(host="x", target="/")))
        request = self.ours_said(theirs)
        headers = dict(line.split(": ", 1) for line in request.split("\r\n")[1:] if line)
        named = {f"HTTP_{name.upper().replace('-', '_')}": headers[name] for name in headers}
        self.environ = named | {
            SOCKET: theirs,
            SEND_NOW: lambda data: os.write(theirs.fileno(), data),
            TAKE_OVER: lambda: None,
        }
        self.websocket = WebSocket(self._hear, None)
        self.thread = threading.Thread(
            target=self.websocket, args=[self.environ, None], daemon=True
        )
        self.thread.start()
        self.events = []
        assert isinstance(self.next_event(), AcceptConnection)

    def ours_said(self, theirs):
        text = b""
        while not text.endswith(b"\r\n\r\n"):
            text += theirs.recv(4096)
        return text.decode()

    def _hear(self, websocket):
        while (message := websocket.wait()) is not None:
            self.heard.append(message)

    def say(self, event):
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
    pair.say(TextMessage("42hello"))
    wait_until(lambda: pair.heard == ["42hello"])
    pair.websocket.send("Xin chào")
    assert pair.next_event() == TextMessage("Xin chào", True, True)
    assert pair.environ[WEBSOCKET] is pair.websocket


def test_pieces_are_put_together_with_pings_in_between(pair):
    pair.say(TextMessage("42he", message_finished=False))
    pair.say(Ping(b"?"))
    pair.say(TextMessage("llo"))
    assert pair.next_event() == Pong(b"?")
    wait_until(lambda: pair.heard == ["42hello"])


@pytest.mark.parametrize("text", ["", "x", "0{}", "2", "5", "6", "7", "b4", "4"])
def test_what_engine_io_cannot_take_is_no_packet(pair, text):
    pair.say(TextMessage(text))
    wait_until(lambda: pair.heard == [NO_PACKET])


def test_bytes_are_no_packet(pair):
    pair.say(BytesMessage(b"4abc"))
    wait_until(lambda: pair.heard == [NO_PACKET])


def test_a_close_is_answered(pair):
    pair.say(CloseConnection(1000))
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


def test_who_does_not_read_can_be_ended_all_the_same(pair):
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
    wait_until(lambda: pair.websocket.offer(["42now"]))
    assert pair.next_event() == TextMessage("42now", True, True)


def test_an_offer_that_began_arrives_whole_and_nothing_gets_in_between(pair):
    texts = [str(number % 10) * 300_000 for number in range(100)]
    wait_until(lambda: pair.websocket.offer(["first"]))
    taken = ["first", *(text for text in texts if pair.websocket.offer([text]))]
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
    wait_until(lambda: pair.websocket.offer(["42again"]))


def test_nothing_is_offered_to_who_has_gone(pair):
    pair.websocket.kill()
    assert not pair.websocket.offer(["42late"])


def test_a_settled_message_is_heard_by_nobody_else(pair):
    pair.websocket.settles = lambda message: message.startswith("43")
    for text in ("43/admin,1[]", "42hello"):
        pair.say(TextMessage(text))
    wait_until(lambda: pair.heard == ["42hello"])


@pytest.mark.parametrize("size", [0, 125, 126, 65_535, 65_536])
def test_messages_of_every_length_are_framed_right(pair, size):
    text = "ế" + "x" * (size - 3) if size else ""
    pair.websocket.send(text)
    got = ""
    while True:
        event = pair.next_event()
        got += event.data
        if event.message_finished:
            break
    assert got == text


def test_nothing_is_sent_behind_a_goodbye(pair):
    pair.say(CloseConnection(1000))
    assert pair.next_event().code == 1000
    assert not pair.websocket.offer(["42late"])
    with pytest.raises(OSError):
        pair.websocket.send("42late")
