"""A WebSocket over a green connection, with wsproto, for both eventlet and gevent.

Engine.IO's own drivers do not limit the size of a fragmented message (eventlet), or write a large
message in parts, so that another message can get in between (simple-websocket under gevent).
"""

import contextlib
import re
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple
from wsgiref.types import WSGIEnvironment

from wsproto import ConnectionType, WSConnection
from wsproto.events import (
    AcceptConnection,
    BytesMessage,
    CloseConnection,
    Ping,
    Request,
    TextMessage,
)
from wsproto.utilities import LocalProtocolError, RemoteProtocolError

from dashboard.turns import Pace
from dashboard.wsgi_keys import (
    RECEIVE_NOW,
    SEND_NOW,
    SOCKET,
    TAKE_OVER,
    WAIT_READABLE,
    WATCH,
    WEBSOCKET,
)

#: The first byte of a text message in one frame.
TEXT = 0x81
_MASKED = 0x80
_SIZE = 0x7F
#: Stands in place of a size that follows in two bytes; 127 stands for one that follows in eight.
_TWO_BYTES = 126
_MASK_BYTES = 4
#: The longest content that `small_text` reads.
SMALL_BYTES_MAX = 4_096


class SmallText(NamedTuple):
    """A text message, and the index after its end."""

    text: str
    end: int


def small_text(data: bytes, at: int) -> SmallText | None:
    """Returns the text message at this index if one small, complete frame holds it; else None."""
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
    """Finds where messages end in a stream of frames; its pieces may be cut anywhere."""

    def __init__(self) -> None:
        self._head = b""
        self._left = 0
        self._is_in_message = False

    @property
    def is_between_messages(self) -> bool:
        """Whether a new message may begin with the next byte."""
        return not (self._head or self._left or self._is_in_message)

    def follow(self, data: bytes) -> None:
        """Takes the next bytes of the stream."""
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
            # A text, binary or continuation frame: its first bit says whether the message ends.
            self._is_in_message = not head[0] & 0x80
        content = int.from_bytes(head[2:]) if extended else size
        self._left = content + (4 if head[1] & _MASKED else 0)
        self._head = b""


#: A connection is closed if no byte comes for this many seconds: at least the interval of the
#: server's pings and the time to answer one.
IDLE_SECONDS = 45
_RECEIVE_BYTES = 16 * 1024
#: If more bytes than this have come, only the connection's own thread handles them, because it
#: takes turns with the others.
_HANDLED_BYTES_MAX = 512


class Incoming:
    """The input of a WebSocket. Its thread calls `next_text`, `rest`, `receive`, and then again."""

    def __init__(self, environ: WSGIEnvironment, pace: Pace, handles: Callable[[str], bool]):
        """`handles` tries to handle a message; if it returns True, the message is not returned."""
        self._pace = pace
        self._handles = handles
        self._receive_now: Callable[[int], bytes] = environ[RECEIVE_NOW]
        self._wait_readable: Callable[[int, float], object] = environ[WAIT_READABLE]
        self._descriptor: int = environ[SOCKET].fileno()
        self._boundaries = FrameBoundaries()
        self._unread, self._at = b"", 0
        #: False if all input so far has been read.
        self._may_have_more = True
        self._is_waiting = False
        self._woken = threading.Lock()
        self._woken.acquire()
        self._received_at = time.monotonic()
        watch: Callable[..., Callable[[], None]] | None = environ.get(WATCH)
        self._unwatch = watch(self._descriptor, self._on_readable) if watch else None

    def close(self) -> None:
        """Stops watching the connection; call it before the connection is closed."""
        if self._unwatch is not None:
            self._unwatch()

    def next_text(self) -> str | None:
        """Returns the next message that `handles` did not handle, if a small frame holds it."""
        while (text := self._next_small_text()) is not None:
            self._pace.step()
            if not self._handles(text):
                return text
        return None

    def rest(self) -> bytes:
        """Takes the received bytes that are no small frame; the protocol's parser needs them."""
        rest = self._unread[self._at :]
        self._unread, self._at = b"", 0
        self._boundaries.follow(rest)
        return rest

    def receive(self) -> bool:
        """Waits for input; returns False at its end. Raises OSError."""
        while self._at == len(self._unread):
            try:
                data = self._read_now()
            except BlockingIOError:
                self._pace.pay()
                self._wait()
                self._pace.waited()
                continue
            self._pace.long_step()
            if not data:
                return False
            self._take(data)
        return True

    def _read_now(self) -> bytes:
        """Returns the input that has come. Raises BlockingIOError if there is none."""
        if not self._may_have_more:
            raise BlockingIOError
        # `_on_readable` sets it again.
        self._may_have_more = self._unwatch is None
        return self._receive_now(_RECEIVE_BYTES)

    def _take(self, data: bytes) -> None:
        self._unread, self._at = data, 0
        if len(data) == _RECEIVE_BYTES:
            self._may_have_more = True
        self._received_at = time.monotonic()

    def _next_small_text(self) -> str | None:
        if self._at == len(self._unread) or not self._boundaries.is_between_messages:
            return None
        message = small_text(self._unread, self._at)
        if message is None:
            return None
        self._at = message.end
        return message.text

    def _wait(self) -> None:
        """Waits until there is something to read. Raises OSError."""
        if self._unwatch is None:
            self._wait_readable(self._descriptor, IDLE_SECONDS)
            return
        # Input may have come while others had their turn.
        self._is_waiting = not self._may_have_more
        try:
            while self._is_waiting:
                left = self._received_at + IDLE_SECONDS - time.monotonic()
                if left <= 0:
                    raise TimeoutError("the client sends nothing")
                self._woken.acquire(timeout=left)
        finally:
            self._is_waiting = False

    def _on_readable(self) -> bool:
        """Handles the input; wakes the connection's thread if it waits and something is left.
        Returns whether everything is handled."""
        if not self._is_waiting:
            self._may_have_more = True
        elif not self._handle_all():
            self._is_waiting = False
            self._woken.release()
        else:
            return True
        return False

    def _handle_all(self) -> bool:
        """Reads the input; returns whether all of it is handled and the share not overdrawn."""
        self._pace.waited()
        try:
            data = self._receive_now(_RECEIVE_BYTES)
        except BlockingIOError:
            return True
        except OSError:
            data = b""
        if not data:
            # The connection's thread meets the end, or the error, when it reads.
            self._may_have_more = True
            return False
        self._take(data)
        if len(data) > _HANDLED_BYTES_MAX:
            return False
        handled = 0
        while (text := self._next_small_text()) is not None and self._handles(text):
            handled = self._at
        self._at = handled
        return handled == len(data) and not self._pace.is_overdrawn()


MESSAGE_BYTES_MAX = 64 * 1024
#: Seconds that a close frame may take to be written.
CLOSE_SECONDS = 1
_DRAIN_BYTES = 1024 * 1024
#: Close codes (RFC 6455, section 7.4.1).
_NORMAL, GOING_AWAY, _PROTOCOL_ERROR, _TOO_BIG = 1000, 1001, 1002, 1009
#: Replaces every message that is not a packet: the decoder of packets refuses and counts it.
INVALID_PACKET = "4!"
#: The packets that a client may send: close, pong, message. Engine.IO raises on some others.
_PACKET = re.compile("[13]|4.", re.DOTALL)
#: More values and brackets than any call has. A message of 64 KiB could have 60,000: 8 ms to parse.
_MANY_VALUES = 8_000
_HANDSHAKE_HEADERS = ("HOST", "CONNECTION", "UPGRADE", "SEC_WEBSOCKET_KEY", "SEC_WEBSOCKET_VERSION")


class WebSocket:
    """A driver for Engine.IO, which makes it with a handler and calls it as a WSGI application."""

    def __init__(self, handler: Callable[["WebSocket"], Any], pace: Pace):
        self._handler = handler
        self._pace = pace
        self._protocol = WSConnection(ConnectionType.SERVER)
        self._events: Iterator[Any] = iter(())
        self._writing = threading.Lock()
        self._fragments: list[str] = []
        self._size = 0
        self._open = False
        #: False after a close frame was sent: no message may follow it.
        self._takes_messages = False
        self._is_leaving = False
        #: Called with each message. If it returns True, the message is handled: `wait` skips it.
        self.intercept: Callable[[str], bool] | None = None

    def __call__(self, environ: WSGIEnvironment, start_response: Callable) -> Iterable[bytes]:
        self._connection: socket.socket = environ[SOCKET]
        self._send_now: Callable[[bytes], int] = environ[SEND_NOW]
        environ[TAKE_OVER]()
        environ[WEBSOCKET] = self
        self._connection.settimeout(IDLE_SECONDS)
        with contextlib.suppress(OSError):
            self._connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._incoming = Incoming(environ, self._pace, self._is_handled)
        try:
            self._shake_hands(environ)
            self._handler(self)
        finally:
            self.close()
            self.kill()
            self._incoming.close()
        return []

    def send(self, message: str) -> None:
        """Writes a message after those under way. Raises OSError if the WebSocket is closed."""
        with self._writing:
            if not self._takes_messages:
                raise OSError("the WebSocket is closed")
            self._connection.sendall(_framed(message.encode()))

    def offer(self, messages: Iterable[bytes]) -> bool:
        """Writes the messages without waiting; returns False if nothing was written.

        The part that the socket's buffer does not take is written next, in the background.
        """
        if not self._takes_messages or self._writing.locked():
            return False
        data = b"".join(map(_framed, messages))
        try:
            sent = self._send_now(data)
        except OSError:
            return False
        if sent < len(data):
            # The lock is free: nothing else has run since `locked` was called.
            self._writing.acquire()
            threading.Thread(target=self._send_rest, args=[data[sent:]], daemon=True).start()
        return True

    def wait(self) -> str | None:
        """Waits for the next message; None when the WebSocket is closed.

        Lets others run before it handles a frame that has already come.
        """
        while self._open:
            text = self._incoming.next_text()
            if text is not None:
                return _packet(text)
            event = self._next_event()
            if event is None:
                self._receive()
                continue
            self._pace.step()
            message = self._handle(event)
            if message is not None:
                return message
        return None

    def close(self, code: int = _NORMAL) -> None:
        """Sends a close frame and ends the connection; blocked reads and writes return."""
        if not self._is_leaving:
            self._send_close(code)
            self.kill()

    def leave(self, code: int) -> None:
        """Sends a close frame and nothing after it; the client, or `kill`, ends the connection."""
        if not self._is_leaving:
            self._is_leaving = True
            self._send_close(code)

    def kill(self) -> None:
        """Ends the connection without a close frame: for a client that does not read."""
        self._open = self._takes_messages = False
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)

    def _send_close(self, code: int) -> None:
        if self._open and self._writing.acquire(timeout=CLOSE_SECONDS):
            self._takes_messages = False
            try:
                self._connection.settimeout(CLOSE_SECONDS)
                self._connection.sendall(self._protocol.send(CloseConnection(code=code)))
            except (OSError, LocalProtocolError):
                pass
            finally:
                self._writing.release()

    def _refuse(self, code: int) -> None:
        """Closes with an error code, and reads the remaining input: a reset would lose the code."""
        self._send_close(code)
        left = _DRAIN_BYTES
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_WR)
            while left > 0 and (data := self._connection.recv(_RECEIVE_BYTES)):
                left -= len(data)
        self.kill()

    def _shake_hands(self, environ: WSGIEnvironment) -> None:
        # No extension is offered: permessage-deflate costs 256 KiB a socket, and the size of an
        # inflated message has no limit.
        headers = [
            (name.replace("_", "-").encode(), environ[f"HTTP_{name}"].encode("latin-1"))
            for name in _HANDSHAKE_HEADERS
        ]
        self._protocol.initiate_upgrade_connection(headers, "/")
        assert any(isinstance(event, Request) for event in self._protocol.events())
        self._open = self._takes_messages = True
        self._write(AcceptConnection())

    def _next_event(self) -> Any:
        """Returns the next frame of the received bytes; None if none is left."""
        try:
            return next(self._events, None)
        except RemoteProtocolError as error:
            hint = error.event_hint
            self._refuse(hint.code if isinstance(hint, CloseConnection) else _PROTOCOL_ERROR)
        except LocalProtocolError:
            self.kill()
        return None

    def _receive(self) -> None:
        """Passes bytes that are no small frame to the parser; without any, waits for input."""
        try:
            rest = self._incoming.rest()
            if rest or not self._incoming.receive():
                self._protocol.receive_data(rest or None)
                self._events = self._protocol.events()
        except (OSError, RemoteProtocolError, LocalProtocolError):
            self.kill()

    def _handle(self, event: Any) -> str | None:
        """Handles a frame; returns the message that it completes, unless `intercept` handles it."""
        try:
            if isinstance(event, Ping):
                self._write(event.response())
            elif isinstance(event, CloseConnection):
                self._takes_messages = False
                # No reason is sent back: that of a malformed frame would be an exception's text.
                self._write(CloseConnection(code=event.code))
                self.kill()
            elif isinstance(event, TextMessage | BytesMessage) and self._open:
                return self._receive_fragment(event)
        except OSError:
            self.kill()
        return None

    def _receive_fragment(self, event: TextMessage | BytesMessage) -> str | None:
        self._size += len(event.data)
        if self._size > MESSAGE_BYTES_MAX:
            self._fragments.clear()
            self._refuse(_TOO_BIG)
            return None
        # No packet is binary: bytes become an invalid one. Empty fragments would pile up endlessly.
        if event.data and isinstance(event, TextMessage):
            self._fragments.append(event.data)
        if not event.message_finished:
            return None
        message = "".join(self._fragments)
        self._fragments.clear()
        self._size = 0
        return None if self._is_handled(message) else _packet(message)

    def _is_handled(self, message: str) -> bool:
        return self.intercept is not None and self.intercept(message)

    def _send_rest(self, data: bytes) -> None:
        """Writes the rest of an `offer`. The caller holds the lock, so nothing gets in between."""
        try:
            self._connection.sendall(data)
        except OSError:
            self.kill()
        finally:
            self._writing.release()

    def _write(self, event: Any) -> None:
        with self._writing:
            try:
                data = self._protocol.send(event)
            except LocalProtocolError as error:
                raise OSError("the WebSocket is closed") from error
            self._connection.sendall(data)


def _packet(message: str) -> str:
    """Returns the message if it can be a packet and is quick to parse; else INVALID_PACKET."""
    if len(message) > _MANY_VALUES and sum(map(message.count, "[{,")) > _MANY_VALUES:
        return INVALID_PACKET
    return message if _PACKET.match(message) else INVALID_PACKET


def _framed(data: bytes) -> bytes:
    """Returns a text message as one unmasked frame (RFC 6455, section 5.2)."""
    size = len(data)
    if size < 126:
        return bytes((TEXT, size)) + data
    if size < 65_536:
        return bytes((TEXT, 126)) + size.to_bytes(2) + data
    return bytes((TEXT, 127)) + size.to_bytes(8) + data
