"""Serves with gevent: its WSGI server with stricter limits, and its thread pool."""

import http.client
import logging
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import gevent
from gevent import monkey, pywsgi, select
from gevent.socket import wait_read

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

#: Names that gevent does not document.
HANDLER_NAMES = (
    "read_requestline",
    "handle_one_request",
    "read_request",
    "MessageClass",
    "_handle_client_error",
    "get_environ",
    "finalize_headers",
)

#: Longest time that other green threads run in one turn, in seconds.
TURN_SECONDS_MAX = 0.02

#: There is no option for this.
pywsgi.MAX_REQUEST_LINE = limits.REQUEST_LINE_BYTES

#: Makes a poll object that does not switch to another green thread.
poll = monkey.get_original("select", "poll")
_EPOLL = monkey.get_original("select", "epoll") if sys.platform == "linux" else None


def offload(work: Callable[..., Any], *arguments: Any) -> Any:
    # An exception that reaches the pool is printed with its stack trace.
    result, error = gevent.get_hub().threadpool.apply(_outcome, (work, arguments))
    if error is not None:
        raise error
    return result


def _outcome(work: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[Any, Exception | None]:
    try:
        return work(*arguments), None
    except Exception as error:
        return None, error


def _wait_read(descriptor: int, seconds: float) -> None:
    wait_read(descriptor, timeout=seconds, timeout_exc=TimeoutError())


wait_ready = waiter(poll, _wait_read, select.select)


def give_turn() -> None:
    """Lets every green thread that can run do so, also those whose connections can be read.

    `sleep(0)` would go on before the loop looks at connections. The loop of a busy worker is never
    idle, so the wait has an end.
    """
    with gevent.Timeout(TURN_SECONDS_MAX, False):
        gevent.idle()


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raises TimeoutError inside the block when the time is over."""
    with gevent.Timeout(seconds, TimeoutError()):
        yield


class Handler(pywsgi.WSGIHandler):
    """HTTP with limits on time and headers; refusals are problems (RFC 9457)."""

    def __init__(self, accepted: Connection, server: Any):
        self._accepted = accepted
        sock = accepted.green
        sock.settimeout(limits.REQUEST_SECONDS)
        # Head and body are written separately: with Nagle's algorithm the body would wait about
        # 40 ms until the head is acknowledged.
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        super().__init__(sock, accepted.address, server, accepted.reader)

    def read_requestline(self) -> str:
        try:
            self._accepted.wait_for_request()
            with time_limit(self._accepted.head_seconds()):
                return super().read_requestline()
        finally:
            self._accepted.is_idle = False

    def handle_one_request(self) -> Any:
        answer = super().handle_one_request()
        self._accepted.end_request()
        if answer is None and not self._accepted.is_taken and self._accepted.has_more():
            # Closing with unread bytes would reset the connection, and the answer could be lost.
            close_gracefully(self.socket, time_limit)
        if isinstance(answer, tuple) and answer[0] == "414":
            return self._refuse(limits.url_too_long())
        return answer

    def read_request(self, raw_requestline: str) -> bool:
        with time_limit(self._accepted.head_seconds()):
            self.requestline = raw_requestline
            return super().read_request(raw_requestline)

    def MessageClass(self, *arguments: Any) -> Any:
        """Checks the headers as they were sent: gevent drops one of two that conflict."""
        headers = super().MessageClass(*arguments)
        if headers.status:
            raise limits.headers_too_large()
        limits.check_headers(headers)
        return headers

    def _handle_client_error(self, ex: Exception) -> Any:
        if isinstance(ex, limits.Refused):
            return self._refuse(ex)
        if isinstance(ex, TimeoutError):
            return self._refuse(limits.Refused(limits.request_timeout()))
        if isinstance(ex, http.client.HTTPException):
            return self._refuse(limits.headers_too_large())
        return self._refuse(limits.bad_request())

    def _refuse(self, refused: limits.Refused) -> None:
        self.socket.sendall(refused.response())
        close_gracefully(self.socket, time_limit)

    def get_environ(self) -> dict[str, Any]:
        raw = self.socket._sock
        return super().get_environ() | {
            SOCKET: self.socket,
            SEND_NOW: raw.send,
            RECEIVE_NOW: raw.recv,
            WAIT_READABLE: partial(self.socket._wait, self.socket._read_event),
            GIVE_TURN: give_turn,
            CONNECTION: self._accepted,
            TARGET: self.path,
            CLOSE: self._close_after_this,
            TAKE_OVER: self._hand_over,
        }

    def finalize_headers(self) -> None:
        super().finalize_headers()
        if self.close_connection and self.request_version == "HTTP/1.1":
            self.response_headers.append((b"Connection", b"close"))

    def _close_after_this(self) -> None:
        self.close_connection = True

    def _hand_over(self) -> None:
        self.close_connection = True
        self._accepted.is_taken = True


def missing_names(listener: socket.socket) -> list[str]:
    """The used names that the installed release lacks, as they are written in code."""
    missing = [
        f"WSGIHandler.{name}" for name in HANDLER_NAMES if not hasattr(pywsgi.WSGIHandler, name)
    ]
    if not hasattr(pywsgi, "MAX_REQUEST_LINE"):
        missing.append("pywsgi.MAX_REQUEST_LINE")
    missing += [
        f"socket.{name}"
        for name in ("_sock", "_wait", "_read_event")
        if not hasattr(listener, name)
    ]
    return missing


def start(app: Callable, listener: socket.socket, state: ServerState) -> Acceptor:
    """Serves in the background until the acceptor is stopped."""
    missing = missing_names(listener)
    if missing:
        log.warning(
            "this release of gevent lacks %s: requests have its own limits", ", ".join(missing)
        )
    # It is never started: the acceptor does what it would.
    server = pywsgi.WSGIServer(
        listener, BodyReader(Guard(app, state), time_limit), log=None, error_log=None
    )
    server.update_environ()
    if _EPOLL is not None:
        server.environ[WATCH] = Readiness(_EPOLL, wait_read).watch

    def serve(connection: Connection) -> None:
        if missing:
            server.handle(connection.green, connection.address)
        else:
            Handler(connection, server).handle()

    return Acceptor(listener, serve, Green(gevent.spawn, give_turn, lambda sock: sock._sock), state)
