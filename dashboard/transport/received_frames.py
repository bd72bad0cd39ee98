"""Reads small frames at once, and follows where frames end (RFC 6455, section 5.2).

What dashboards send are acknowledgements of a few bytes and calls of some hundred, which take the
parser of the protocol eight times as long. What this does not read is left to that parser.
"""

from typing import NamedTuple

#: The first byte of a text message in one frame.
TEXT = 0x81
_MASKED = 0x80
_SIZE = 0x7F
#: Instead of a size that fits: it follows in two bytes, or (127) in eight.
_TWO_BYTES = 126
_MASK_BYTES = 4
#: The longest content that is read here.
SMALL_BYTES_MAX = 4_096


class SmallText(NamedTuple):
    """A text message, and where what follows it begins."""

    text: str
    end: int


def small_text(data: bytes, at: int) -> SmallText | None:
    """The message of a whole frame at this place; None for any other frame, or a part of one."""
    mask_at = at + 2
    if len(data) < mask_at + _MASK_BYTES or data[at] != TEXT or not data[at + 1] & _MASKED:
        return None
    size = data[at + 1] & _SIZE
    if size >= _TWO_BYTES:
        size = int.from_bytes(data[at + 2 : at + 4]) if size == _TWO_BYTES else 0
        mask_at += 2
        if not _TWO_BYTES <= size <= SMALL_BYTES_MAX:
            return None
    start = mask_at + _MASK_BYTES
    end = start + size
    if end > len(data):
        return None
    mask = int.from_bytes((data[mask_at:start] * (size // _MASK_BYTES + 1))[:size])
    try:
        return SmallText((int.from_bytes(data[start:end]) ^ mask).to_bytes(size).decode(), end)
    except UnicodeDecodeError:
        return None


class FrameBoundaries:
    """Follows a stream of frames; they may be cut anywhere."""

    def __init__(self) -> None:
        self._head = b""
        self._left = 0
        self._is_in_message = False

    @property
    def is_between_messages(self) -> bool:
        """Whether a new message may begin with the next byte."""
        return not (self._head or self._left or self._is_in_message)

    def follow(self, data: bytes) -> None:
        """The next bytes of the stream."""
        at = 0
        while at < len(data):
            if self._left:
                passed = min(self._left, len(data) - at)
                self._left -= passed
                at += passed
                continue
            self._head += data[at : at + 1]
            at += 1
            self._read_head()

    def _read_head(self) -> None:
        head = self._head
        if len(head) < 2:
            return
        size = head[1] & _SIZE
        extended = {126: 2, 127: 8}.get(size, 0)
        if len(head) < 2 + extended:
            return
        if not head[0] & 0x08:
            # A text, binary or continuation frame: the message ends with that which says so.
            self._is_in_message = not head[0] & 0x80
        content = int.from_bytes(head[2:]) if extended else size
        self._left = content + (4 if head[1] & _MASKED else 0)
        self._head = b""
