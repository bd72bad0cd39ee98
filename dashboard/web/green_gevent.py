"""Serving with gevent: its WSGI server under our limits, and its thread pool."""

import http.client
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import gevent
from gevent import monkey, pywsgi

from dashboard.environ import CLOSE, SEND_NOW, SOCKET, TAKE_OVER
from dashboard.web import limits
from dashboard.web.body import BodyReader, hang_up

#: gevent knows this limit by its name alone.
pywsgi.MAX_REQUEST_LINE = limits.REQUEST_LINE_BYTES

#: Looks without letting others run.
poll = monkey.get_original("select", "poll")


def offload(work: Callable[..., Any], *given: Any) -> Any:
    return gevent.get_hub().threadpool.apply(work, given)


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raises TimeoutError inside when the time is over."""
    with gevent.Timeout(seconds, TimeoutError()):
        yield


class _Handler(pywsgi.WSGIHandler):
    def __init__(self, sock: Any, address: Any, server: Any, rfile: Any = None):
        sock.settimeout(limits.REQUEST_SECONDS)
        # Head and body are written one after the other: without this the second one would wait
        # some 40 ms until the first is acknowledged.
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        super().__init__(sock, address, server, rfile)

    def read_requestline(self) -> str:
        with time_limit(limits.KEEPALIVE_SECONDS):
            return super().read_requestline()

    def handle_one_request(self) -> Any:
        answer = super().handle_one_request()
        if isinstance(answer, tuple) and answer[0] == "414":
            return self._refuse(limits.url_too_long())
        return answer

    def read_request(self, raw_requestline: str) -> bool:
        with time_limit(limits.REQUEST_SECONDS):
            self.requestline = raw_requestline
            return super().read_request(raw_requestline)

    def MessageClass(self, *given: Any) -> Any:
        """The headers, checked as they were sent: gevent itself drops one of two that conflict."""
        headers = super().MessageClass(*given)
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
        hang_up(self.socket, time_limit)

    def get_environ(self) -> dict[str, Any]:
        return super().get_environ() | {
            SOCKET: self.socket,
            SEND_NOW: self.socket._sock.send,
            CLOSE: self._close_after_this,
            TAKE_OVER: self._hand_over,
        }

    def _close_after_this(self) -> None:
        self.close_connection = True

    def _hand_over(self) -> None:
        self.close_connection = True


def start(app: Callable, listener: socket.socket) -> Callable[[float], None]:
    """Serves in the background; gives a function that stops, waiting so long for what runs."""
    server = pywsgi.WSGIServer(
        listener,
        BodyReader(app, time_limit),
        handler_class=_Handler,
        log=None,
        error_log=None,
    )
    server.start()
    return lambda seconds: server.stop(timeout=seconds)
