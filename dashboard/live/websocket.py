"""A WebSocket on a green connection, the same under eventlet and gevent; wsproto speaks for it.

The drivers that Engine.IO brings do not bound a message sent in pieces (eventlet), or send part
of a large one and mix two (simple-websocket under gevent).
"""

import contextlib
import re
import socket
import threading
from collections.abc import Callable, Iterable
from typing import Any

from wsproto import ConnectionType, WSConnection
from wsproto.connection import ConnectionState
from wsproto.events import (
    AcceptConnection,
    BytesMessage,
    CloseConnection,
    Ping,
    Request,
    TextMessage,
)
from wsproto.utilities import LocalProtocolError, RemoteProtocolError

from dashboard.environ import SEND_NOW, SOCKET, TAKE_OVER, WEBSOCKET

MESSAGE_BYTES_MAX = 64 * 1024
#: The server's pings are answered sooner; who neither sends nor reads for so long is gone.
SILENCE_SECONDS = 45
#: A goodbye that does not get out in this time is not said.
GOODBYE_SECONDS = 1
_RECEIVE_BYTES = 16 * 1024
_DRAIN_BYTES = 1024 * 1024
#: Codes of closing (RFC 6455).
_NORMAL, GOING_AWAY, _PROTOCOL_ERROR, _TOO_BIG = 1000, 1001, 1002, 1009
#: The first byte of a text message in one frame.
_TEXT = 0x81
#: Stands for what is no packet of ours: text that the decoder of packets refuses and counts.
NO_PACKET = "4!"
#: What Engine.IO can take from a client: close, pong, message. It breaks off over some others.
_PACKET = re.compile("[13]|4.", re.DOTALL)
_HANDSHAKE_HEADERS = ("HOST", "CONNECTION", "UPGRADE", "SEC_WEBSOCKET_KEY", "SEC_WEBSOCKET_VERSION")


class WebSocket:
    """What Engine.IO expects of a driver: made for a handler, called as a WSGI application."""

    def __init__(self, handler: Callable[["WebSocket"], Any], server: Any):
        self._handler = handler
        self._protocol = WSConnection(ConnectionType.SERVER)
        self._writing = threading.Lock()
        self._messages: list[str] = []
        self._pieces: list[str] = []
        self._size = 0
        self._open = False
        #: Whether a message is settled by this, and nobody need be woken up for it.
        self.settles: Callable[[str], bool] | None = None

    def __call__(self, environ: dict[str, Any], start_response: Callable) -> Iterable[bytes]:
        self._connection: socket.socket = environ[SOCKET]
        self._send_now: Callable[[bytes], int] = environ[SEND_NOW]
        environ[TAKE_OVER]()
        environ[WEBSOCKET] = self
        self._connection.settimeout(SILENCE_SECONDS)
        with contextlib.suppress(OSError):
            self._connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            self._shake_hands(environ)
            self._handler(self)
        finally:
            self.close()
        return []

    def send(self, message: str) -> None:
        """Raises OSError where nobody is there any more."""
        with self._writing:
            self._check_open()
            self._connection.sendall(_framed(message))

    def offer(self, messages: Iterable[str]) -> bool:
        """Sends all at once, and does not wait; False where it cannot be, and nothing was sent."""
        data = b"".join(map(_framed, messages))
        if not self._writing.acquire(blocking=False):
            return False
        sent = 0
        try:
            self._check_open()
            sent = self._send_now(data)
        except OSError:
            pass
        if 0 < sent < len(data):
            threading.Thread(target=self._send_rest, args=[data[sent:]], daemon=True).start()
        else:
            self._writing.release()
        return sent > 0

    def wait(self) -> str | None:
        """The next message; None when there will be no more."""
        while self._open and not self._messages:
            self._receive()
        return self._messages.pop(0) if self._messages else None

    def close(self, code: int = _NORMAL) -> None:
        """Says goodbye and ends the connection, which wakes up whoever reads or writes there."""
        self._say_goodbye(code)
        self.kill()

    def kill(self) -> None:
        """Ends the connection at once, for who does not read would not hear a goodbye either."""
        self._open = False
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)

    def _say_goodbye(self, code: int) -> None:
        if self._open and self._writing.acquire(timeout=GOODBYE_SECONDS):
            try:
                self._connection.settimeout(GOODBYE_SECONDS)
                self._connection.sendall(self._protocol.send(CloseConnection(code=code)))
            except (OSError, LocalProtocolError):
                pass
            finally:
                self._writing.release()

    def _refuse(self, code: int) -> None:
        """Closes over what was received, and reads some more: who is still writing hears why."""
        self._say_goodbye(code)
        left = _DRAIN_BYTES
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_WR)
            while left > 0 and (data := self._connection.recv(_RECEIVE_BYTES)):
                left -= len(data)
        self.kill()

    def _shake_hands(self, environ: dict[str, Any]) -> None:
        # No extension is offered: deflating costs a quarter of a megabyte a socket, and what
        # it inflates has no bound.
        headers = [
            (name.replace("_", "-").encode(), environ[f"HTTP_{name}"].encode("latin-1"))
            for name in _HANDSHAKE_HEADERS
        ]
        self._protocol.initiate_upgrade_connection(headers, "/")
        assert any(isinstance(event, Request) for event in self._protocol.events())
        self._open = True
        self._write(AcceptConnection())

    def _receive(self) -> None:
        try:
            data = self._connection.recv(_RECEIVE_BYTES)
            self._protocol.receive_data(data or None)
            for event in self._protocol.events():
                self._take(event)
        except RemoteProtocolError as error:
            hint = error.event_hint
            self._refuse(hint.code if isinstance(hint, CloseConnection) else _PROTOCOL_ERROR)
        except (OSError, LocalProtocolError):
            self.kill()

    def _take(self, event: Any) -> None:
        if isinstance(event, Ping):
            self._write(event.response())
        elif isinstance(event, CloseConnection):
            with contextlib.suppress(LocalProtocolError):
                self._write(event.response())
            self.kill()
        elif isinstance(event, TextMessage | BytesMessage) and self._open:
            self._take_piece(event)

    def _take_piece(self, event: TextMessage | BytesMessage) -> None:
        self._size += len(event.data)
        if self._size > MESSAGE_BYTES_MAX:
            self._pieces.clear()
            self._refuse(_TOO_BIG)
            return
        # Nothing of ours is binary.
        self._pieces.append(event.data if isinstance(event, TextMessage) else "")
        if event.message_finished:
            message = "".join(self._pieces)
            if self.settles is None or not self.settles(message):
                self._messages.append(message if _PACKET.match(message) else NO_PACKET)
            self._pieces.clear()
            self._size = 0

    def _send_rest(self, data: bytes) -> None:
        """Ends what `offer` has begun, and until then nobody else writes."""
        try:
            self._connection.sendall(data)
        except OSError:
            self.kill()
        finally:
            self._writing.release()

    def _check_open(self) -> None:
        if not self._open or self._protocol.state is not ConnectionState.OPEN:
            raise OSError("the WebSocket is closed")

    def _write(self, event: Any) -> None:
        with self._writing:
            try:
                data = self._protocol.send(event)
            except LocalProtocolError as error:
                raise OSError("the WebSocket is closed") from error
            self._connection.sendall(data)


def _framed(message: str) -> bytes:
    """A message in one frame, as servers write it (RFC 6455, section 5.2)."""
    data = message.encode()
    size = len(data)
    if size < 126:
        return bytes((_TEXT, size)) + data
    if size < 65_536:
        return bytes((_TEXT, 126)) + size.to_bytes(2) + data
    return bytes((_TEXT, 127)) + size.to_bytes(8) + data
