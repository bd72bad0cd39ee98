"""Acknowledgements are read at once, and everything comes as the protocol's parser reads it."""

import socket
import threading
from collections.abc import Callable
from typing import Any
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wsproto.frame_protocol import FrameProtocol, Opcode

from dashboard.transport.websocket import FrameBoundaries, WebSocket, small_text
from dashboard.turns import Pace, Share
from dashboard.wsgi_keys import RECEIVE_NOW, SEND_NOW, SOCKET, TAKE_OVER, WAIT_READABLE, WATCH

HANDSHAKE = {
    "HTTP_HOST": "x",
    "HTTP_CONNECTION": "Upgrade",
    "HTTP_UPGRADE": "websocket",
    "HTTP_SEC_WEBSOCKET_KEY": "dGhlIHNhbXBsZSBub25jZQ==",
    "HTTP_SEC_WEBSOCKET_VERSION": "13",
}
SIZES = st.one_of(st.integers(0, 5), st.sampled_from([38, 39, 40, 200, 1_362, 1_363, 20_000]))
TEXTS = st.one_of(
    st.integers(1, 9_999).map(lambda number: f"43/admin,{number}[]"),
    SIZES.map(lambda size: "42/admin," + "ế" * size),
)


def frame(text: str | bytes, opcode: Opcode = Opcode.TEXT, is_last: bool = True) -> bytes:
    protocol = FrameProtocol(client=True, extensions=[])
    data = text.encode() if isinstance(text, str) else text
    return bytes(protocol._serialize_frame(opcode, data, is_last))


def message(text: str, parts: int) -> list[bytes]:
    """The frames of a message in so many parts, with a ping between them."""
    if parts == 1 or len(text) < parts:
        return [frame(text)]
    size = len(text) // parts
    cut = [text[at * size : (at + 1) * size] for at in range(parts - 1)]
    cut.append(text[(parts - 1) * size :])
    frames = [frame(cut[0], is_last=False)]
    for at, part in enumerate(cut[1:], start=1):
        frames += [frame(b"?", Opcode.PING), frame(part, Opcode.CONTINUATION, at == parts - 1)]
    return frames


def cut_at(data: bytes, places: set[int]) -> list[bytes]:
    ends = [*sorted(place % (len(data) + 1) for place in places), len(data)]
    pieces = [data[start:end] for start, end in zip([0, *ends], ends, strict=False)]
    return [piece for piece in pieces if piece]


class Watcher:
    """Reports the next piece in the connection's thread, whenever that waits."""

    def __init__(self, left: list[bytes]):
        self._left = left
        self._has_come = False
        self.on_readable: Callable[[], None] = lambda: None

    def watch(self, descriptor: int, on_readable: Callable[[], None]) -> Callable[[], None]:
        self.on_readable = on_readable
        return lambda: None

    def receive_now(self, size: int) -> bytes:
        if not self._has_come:
            raise BlockingIOError
        # The end of the connection can be read any number of times.
        self._has_come = len(self._left) == 1
        return self._left[0] if self._has_come else self._left.pop(0)

    def tell(self) -> None:
        self._has_come = True
        self.on_readable()


class TellingLock:
    """A lock that lets the watcher report the next piece before a caller waits for it."""

    def __init__(self, watcher: Watcher):
        self._watcher = watcher
        self._lock = threading.Lock()
        self.release = self._lock.release

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        if self._lock.acquire(blocking=False):
            return True
        self._watcher.tell()
        return self._lock.acquire(blocking=False)

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(self, *ignored: object) -> None:
        self.release()


def received(pieces: list[bytes], is_watched: bool) -> tuple[list[str], list[str]]:
    """(what `wait` returned, what was intercepted) of these pieces, each read by itself."""
    left = [*pieces, b""]
    watcher = Watcher(left)
    returned: list[str] = []
    intercepted: list[str] = []

    def intercept(text: str) -> bool:
        if not text.startswith("43"):
            return False
        intercepted.append(text)
        return True

    def handle(websocket: WebSocket) -> None:
        websocket.intercept = intercept
        while (text := websocket.wait()) is not None:
            returned.append(text)

    ours, theirs = socket.socketpair()
    environ: dict[str, Any] = HANDSHAKE | {
        SOCKET: theirs,
        SEND_NOW: len,
        RECEIVE_NOW: lambda size: left.pop(0),
        WAIT_READABLE: lambda descriptor, seconds: None,
        TAKE_OVER: lambda: None,
    }
    if is_watched:
        environ |= {WATCH: watcher.watch, RECEIVE_NOW: watcher.receive_now}
    locks = mock.patch("dashboard.transport.websocket.threading")
    with ours, theirs, locks as patched:
        patched.Lock = lambda: TellingLock(watcher)
        WebSocket(handle, Pace(Share()))(environ, lambda *given: None)
    return returned, intercepted


@given(
    st.lists(st.tuples(TEXTS, st.integers(1, 3)), max_size=8),
    st.sets(st.integers(0, 100_000), max_size=6),
    st.booleans(),
)
def test_messages_come_in_order_however_they_are_cut(sent, places, is_watched):
    data = b"".join(part for text, parts in sent for part in message(text, parts))
    texts = [text for text, _ in sent]
    returned, intercepted = received(cut_at(data, places), is_watched)
    assert returned == [text for text in texts if text.startswith("42")]
    assert intercepted == [text for text in texts if text.startswith("43")]


@given(st.lists(st.tuples(TEXTS, st.integers(1, 3)), max_size=4))
def test_it_is_known_at_every_byte_whether_a_message_may_begin(sent):
    ends, data = {0}, b""
    for text, parts in sent:
        data += b"".join(message(text[:300], parts))
        ends.add(len(data))
    boundaries = FrameBoundaries()
    for at in range(len(data) + 1):
        assert boundaries.is_between_messages == (at in ends), at
        boundaries.follow(data[at : at + 1])


@pytest.mark.parametrize("size", [0, 125, 126, 65_535, 65_536, 70_000])
def test_a_frame_of_every_size_ends_where_it_ends(size):
    boundaries = FrameBoundaries()
    data = frame("x" * size)
    boundaries.follow(data[:-1])
    assert not boundaries.is_between_messages
    boundaries.follow(data[-1:] + frame("next"))
    assert boundaries.is_between_messages


def test_what_is_no_small_whole_text_is_left_to_the_parser():
    whole = frame("43/admin,1[]")
    assert small_text(b"xx" + whole, 2) == ("43/admin,1[]", 2 + len(whole))
    assert all(small_text(whole[:size], 0) is None for size in range(len(whole)))
    unmasked = bytes((0x81, 2)) + b"43 more"
    invalid = frame(b"\xff\xfe", Opcode.TEXT)
    too_long = bytes((0x81, 0x80 | 126, 0, 2)) + bytes(4) + b"43"
    others = (frame("43", is_last=False), frame(b"43", Opcode.BINARY), frame("x" * 4_097))
    for other in (unmasked, invalid, too_long, *others):
        assert small_text(other, 0) is None


@pytest.mark.parametrize("size", [0, 1, 125, 126, 127, 4_096])
def test_small_texts_of_every_size_are_read(size):
    whole = frame("x" * size)
    assert small_text(whole, 0) == ("x" * size, len(whole))
    assert all(small_text(whole[:part], 0) is None for part in range(len(whole)))
