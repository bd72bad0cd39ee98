"""Acknowledgements are read at once, and everything comes as the protocol's parser reads it."""

import socket
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wsproto.frame_protocol import FrameProtocol, Opcode

from dashboard.transport.received_frames import FrameBoundaries, small_text
from dashboard.transport.websocket import WebSocket
from dashboard.turns import Pace, TimeBudget
from dashboard.wsgi_keys import RECEIVE_NOW, SEND_NOW, SOCKET, TAKE_OVER, WAIT_READABLE

HANDSHAKE = {
    "HTTP_HOST": "x",
    "HTTP_CONNECTION": "Upgrade",
    "HTTP_UPGRADE": "websocket",
    "HTTP_SEC_WEBSOCKET_KEY": "dGhlIHNhbXBsZSBub25jZQ==",
    "HTTP_SEC_WEBSOCKET_VERSION": "13",
}
SIZES = st.one_of(st.integers(0, 5), st.sampled_from([119, 120, 121, 200, 20_000]))
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


def received(pieces: list[bytes]) -> tuple[list[str], list[str]]:
    """(what `wait` returned, what was intercepted) of these pieces, each read by itself."""
    left = [*pieces, b""]
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
        WAIT_READABLE: lambda: None,
        TAKE_OVER: lambda: None,
    }
    with ours, theirs:
        WebSocket(handle, Pace(TimeBudget(), lambda: None))(environ, lambda *given: None)
    return returned, intercepted


@given(
    st.lists(st.tuples(TEXTS, st.integers(1, 3)), max_size=8),
    st.sets(st.integers(0, 100_000), max_size=6),
)
def test_messages_come_in_order_however_they_are_cut(sent, places):
    data = b"".join(part for text, parts in sent for part in message(text, parts))
    texts = [text for text, _ in sent]
    returned, intercepted = received(cut_at(data, places))
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
    others = (frame("43", is_last=False), frame(b"43", Opcode.BINARY), frame("x" * 126))
    for other in (unmasked, invalid, *others):
        assert small_text(other, 0) is None
