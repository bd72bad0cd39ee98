"""The drivers' own code for Socket.IO and heads of lists does the same as a browser's."""

import pytest

from bench.drive.head import Head
from bench.drive.wire import Socket


@pytest.fixture
def socket():
    texts: list[bytes] = []
    made = Socket(b"GET /", texts.append)
    made.texts = texts
    made.data_received(b"HTTP/1.1 101 Switching Protocols\r\n\r\n")
    return made


def frame(text: bytes) -> bytes:
    size = len(text)
    if size < 126:
        return bytes((0x81, size)) + text
    if size < 65_536:
        return b"\x81\x7e" + size.to_bytes(2) + text
    return b"\x81\x7f" + size.to_bytes(8) + text


@pytest.mark.parametrize("size", [0, 1, 125, 126, 65_535, 65_536, 200_000])
def test_frames_of_every_size_come_through_in_whatever_pieces(socket, size):
    data = frame(b"x" * size) + frame(b"end")
    for first in range(0, len(data), 70_001):
        socket.data_received(data[first : first + 70_001])
    assert socket.texts == [b"x" * size, b"end"]


def test_only_what_comes_behind_the_handshake_is_counted(socket):
    socket.data_received(frame(b"hello"))
    assert socket.received == 7


def test_a_refused_upgrade_says_why():
    refused = Socket(b"GET /", lambda text: None)
    with pytest.raises(ConnectionError, match="401"):
        refused.data_received(b"HTTP/1.1 401 Unauthorized\r\n\r\n")


def test_a_head_moves_what_a_frame_names_and_lets_go_what_falls_behind_its_end():
    head = Head([1, 2, 3], [10, 20, 30], whole=False)
    head.apply([[3, 5], [9, 15], [1, 99]], [2])
    assert head.entries() == [(5, 3), (15, 9)]


def test_a_whole_list_keeps_what_goes_to_its_end():
    head = Head([1, 2], [10, 20], whole=True)
    head.apply([[1, 99]], [])
    assert head.entries() == [(20, 2), (99, 1)]
