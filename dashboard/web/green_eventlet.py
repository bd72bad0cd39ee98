"""Serving with eventlet: its WSGI server under our limits, and its thread pool."""

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import eventlet
from eventlet import patcher, tpool, wsgi
from eventlet.support import greenlets

from dashboard.environ import CLOSE, SEND_NOW, SOCKET, TAKE_OVER
from dashboard.web import limits
from dashboard.web.body import BodyReader, hang_up

CONNECTIONS_MAX = 20_000

#: eventlet knows this limit by its name alone; its own 8 KiB are answered without a type.
wsgi.MAX_HEADER_LINE = limits.HEADER_LINE_BYTES
wsgi.RESPONSE_414 = limits.url_too_long().response()

offload = tpool.execute
#: Looks without letting others run.
poll = patcher.original("select").poll


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raises TimeoutError inside when the time is over."""
    with eventlet.Timeout(seconds, TimeoutError()):
        yield


class _Protocol(wsgi.HttpProtocol):
    def _read_request_line(self) -> bytes:
        try:
            with time_limit(limits.KEEPALIVE_SECONDS):
                return super()._read_request_line()
        except TimeoutError:
            return b""

    def parse_request(self) -> bool:
        try:
            with time_limit(limits.REQUEST_SECONDS):
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
        """What the standard library's parser calls where it refuses; its text is not shown."""
        self._refuse(limits.headers_too_large() if code == 431 else limits.bad_request())

    def _refuse(self, refused: limits.Refused) -> None:
        self.close_connection = True
        self.wfile.write(refused.response())
        self.wfile.flush()
        hang_up(self.connection, time_limit)

    def get_environ(self) -> dict[str, Any]:
        return super().get_environ() | {
            SOCKET: self.connection,
            SEND_NOW: self.connection.fd.send,
            CLOSE: self._close_after_this,
            TAKE_OVER: self._hand_over,
        }

    def _close_after_this(self) -> None:
        self.close_connection = True

    def _hand_over(self) -> None:
        self.close_connection = True
        # No answer is expected, and a stop need not wait for it.
        wsgi.WSGI_LOCAL.already_handled = True
        self.conn_state[2] = wsgi.STATE_IDLE


def start(app: Callable, listener: socket.socket) -> Callable[[float], None]:
    """Serves in the background; gives a function that stops, waiting so long for what runs."""
    server = eventlet.spawn(
        wsgi.server,
        listener,
        BodyReader(app, time_limit),
        protocol=_Protocol,
        environ={"wsgi.input_terminated": True},
        max_size=CONNECTIONS_MAX,
        url_length_limit=limits.REQUEST_LINE_BYTES,
        keepalive=limits.KEEPALIVE_SECONDS,
        socket_timeout=limits.REQUEST_SECONDS,
        log_output=False,
        debug=False,
    )

    def stop(seconds: float) -> None:
        eventlet.kill(server)
        # It ends with the exception that ended it.
        with eventlet.Timeout(seconds, False), suppress(greenlets.GreenletExit):
            server.wait()

    return stop
