"""Serves with eventlet: its WSGI server with stricter limits, and its thread pool."""

import logging
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from inspect import signature
from typing import Any

import eventlet
from eventlet import hubs, patcher, tpool, wsgi
from eventlet.green import select
from eventlet.green import socket as green_socket

from dashboard.web.http import limits
from dashboard.web.server.acceptor import Acceptor, Green
from dashboard.web.server.body_reader import BodyReader, close_gracefully
from dashboard.web.server.connections import Connection
from dashboard.web.server.guard import Guard
from dashboard.web.server.readiness import Readiness
from dashboard.web.server.state import ServerState
from dashboard.web.server.waiting import waiter
from dashboard.wsgi_keys import (
    CLOSE,
    CONNECTION,
    GIVE_TURN,
    RECEIVE_NOW,
    SEND_NOW,
    SOCKET,
    TAKE_OVER,
    TARGET,
    WAIT_READABLE,
    WATCH,
)

log = logging.getLogger(__name__)

#: Names of `eventlet.wsgi` and of its `HttpProtocol` that eventlet does not document.
WSGI_NAMES = (
    "MAX_HEADER_LINE",
    "RESPONSE_414",
    "STATE_IDLE",
    "Server",
    "WSGI_LOCAL",
    "HeaderLineTooLong",
    "HeadersTooLarge",
)
PROTOCOL_NAMES = (
    "setup",
    "handle_one_request",
    "finish",
    "_read_request_line",
    "parse_request",
    "send_error",
    "get_environ",
)

#: There is no option for these. At eventlet's own 8 KiB the answer has no content type.
wsgi.MAX_HEADER_LINE = limits.HEADER_LINE_BYTES
wsgi.RESPONSE_414 = limits.url_too_long().response()

offload = tpool.execute
_look_up = patcher.original("socket").getaddrinfo
_EPOLL = patcher.original("select").epoll if sys.platform == "linux" else None
#: Makes a poll object that does not switch to another green thread.
poll = patcher.original("select").poll


def _wait_read(descriptor: int, seconds: float) -> None:
    hubs.trampoline(descriptor, read=True, timeout=seconds, timeout_exc=TimeoutError)


wait_ready = waiter(poll, _wait_read, select.select)


def give_turn() -> None:
    """Lets every green thread that can run do so, also those whose connections can be read."""
    eventlet.sleep(0)


def getaddrinfo(
    host: Any, port: Any, family: int = 0, type: int = 0, proto: int = 0, flags: int = 0
) -> list[tuple[Any, ...]]:
    """As that of `socket`, which stops no other green thread while a server is asked."""
    try:
        # An address needs no thread.
        return _look_up(host, port, family, type, proto, flags | socket.AI_NUMERICHOST)
    except socket.gaierror:
        return offload(_look_up, host, port, family, type, proto, flags)


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raises TimeoutError inside the block when the time is over."""
    with eventlet.Timeout(seconds, TimeoutError()):
        yield


class Protocol(wsgi.HttpProtocol):
    """HTTP with limits on time and headers; refusals are problems (RFC 9457)."""

    def __init__(self, accepted: Connection, server: wsgi.Server):
        self._accepted = accepted
        super().__init__([accepted.address, accepted.green, wsgi.STATE_IDLE], server)

    def setup(self) -> None:
        super().setup()
        self.rfile.close()  # type: ignore[has-type]
        self.rfile = self._accepted.reader

    def handle_one_request(self) -> None:
        super().handle_one_request()
        self._accepted.end_request()

    def finish(self) -> None:
        # Closing with unread bytes would reset the connection, and the answer could be lost.
        if not self._accepted.is_taken and self._accepted.has_more():
            with suppress(OSError):
                self.wfile.flush()
            close_gracefully(self.connection, time_limit)
        super().finish()

    def _read_request_line(self) -> bytes:
        try:
            self._accepted.wait_for_request()
            with time_limit(self._accepted.head_seconds()):
                return super()._read_request_line()
        except TimeoutError:
            return b""
        finally:
            self._accepted.is_idle = False

    def parse_request(self) -> bool:
        try:
            with time_limit(self._accepted.head_seconds()):
                if not super().parse_request():
                    return False
            limits.check_headers(self.headers)
            return True
        except limits.Refused as refused:
            self._refuse(refused)
        except (wsgi.HeaderLineTooLong, wsgi.HeadersTooLarge):
            self._refuse(limits.headers_too_large())
        except TimeoutError:
            self._refuse(limits.Refused(limits.request_timeout()))
        return False

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Called by the standard library's parser of requests; `message` may quote the request."""
        self._refuse(limits.headers_too_large() if code == 431 else limits.bad_request())

    def _refuse(self, refused: limits.Refused) -> None:
        self.close_connection = True
        self.wfile.write(refused.response())
        self.wfile.flush()
        close_gracefully(self.connection, time_limit)

    def get_environ(self) -> dict[str, Any]:
        raw = self.connection.fd
        return super().get_environ() | {
            SOCKET: self.connection,
            SEND_NOW: raw.send,
            RECEIVE_NOW: raw.recv,
            WAIT_READABLE: self.connection._read_trampoline,
            GIVE_TURN: give_turn,
            CONNECTION: self._accepted,
            TARGET: self.requestline.split()[1],
            CLOSE: self._close_after_this,
            TAKE_OVER: self._hand_over,
        }

    def _close_after_this(self) -> None:
        self.close_connection = True

    def _hand_over(self) -> None:
        self.close_connection = True
        self._accepted.is_taken = True
        # No answer is expected.
        wsgi.WSGI_LOCAL.already_handled = True


def missing_names(listener: socket.socket) -> list[str]:
    """The used names that the installed release lacks, as they are written in code."""
    missing = [f"wsgi.{name}" for name in WSGI_NAMES if not hasattr(wsgi, name)]
    missing += [
        f"HttpProtocol.{name}" for name in PROTOCOL_NAMES if not hasattr(wsgi.HttpProtocol, name)
    ]
    if "conn_state" not in signature(wsgi.HttpProtocol.__init__).parameters:
        missing.append("HttpProtocol.conn_state")
    if not hasattr(listener, "fd"):
        missing.append("GreenSocket.fd")
    if not hasattr(listener, "_read_trampoline"):
        missing.append("GreenSocket._read_trampoline")
    return missing


def start(app: Callable, listener: socket.socket, state: ServerState) -> Acceptor:
    """Serves in the background until the acceptor is stopped."""
    socket.getaddrinfo = green_socket.getaddrinfo = getaddrinfo
    missing = missing_names(listener)
    if missing:
        log.warning(
            "this release of eventlet lacks %s: requests have its own limits", ", ".join(missing)
        )
    environ: dict[str, Any] = {"wsgi.input_terminated": True}
    if _EPOLL is not None:
        environ[WATCH] = Readiness(_EPOLL, partial(hubs.trampoline, read=True)).watch
    server = wsgi.Server(
        listener,
        listener.getsockname(),
        BodyReader(Guard(app, state), time_limit),
        environ=environ,
        url_length_limit=limits.REQUEST_LINE_BYTES,
        keepalive=limits.KEEPALIVE_SECONDS,
        socket_timeout=limits.REQUEST_SECONDS,
        log_output=False,
        debug=False,
    )

    def serve(connection: Connection) -> None:
        connection.green.settimeout(limits.REQUEST_SECONDS)
        if missing:
            server.process_request([connection.address, connection.green, "idle"])
        else:
            Protocol(connection, server)

    return Acceptor(listener, serve, Green(eventlet.spawn, give_turn, lambda sock: sock.fd), state)
