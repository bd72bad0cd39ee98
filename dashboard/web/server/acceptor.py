"""Accepts connections, keeps those that are open, and ends them in order."""

import errno
import logging
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

from dashboard.errors import Problem
from dashboard.web.http import bodies
from dashboard.web.server.connections import Connection
from dashboard.web.server.descriptors import Descriptors
from dashboard.web.server.http_connection import refusal
from dashboard.web.server.state import ServerState

log = logging.getLogger(__name__)

#: Pause of the accept loop while there are no descriptors, in seconds.
PAUSE_SECONDS = 0.05
#: Seconds that a connection without a request gets to send one after the server began to stop.
IDLE_SECONDS = 1.0
_POLL_SECONDS = 0.02
#: When the server stops, it still accepts queued connections: for at most this many seconds,
#: because other workers may share the queue, and until none comes for `_LAST_WAIT_SECONDS`.
_LAST_SECONDS = 0.2
_LAST_WAIT_SECONDS = 0.001
#: Seconds that a refused connection may take to send its request.
_REFUSAL_SECONDS = 1.0
#: The same while no descriptor is left: meanwhile no other connection is accepted.
_RESERVE_SECONDS = 0.02
_EXHAUSTED = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
_CLOSED = frozenset({errno.EBADF, errno.EINVAL, errno.ENOTSOCK})
_REFUSALS_MAX = 16
#: Connections that are accepted before open ones have their turn: while a queue is there, accepting
#: never waits by itself. `_GONE_IN_ONE` connections that the client has already left count as one.
ACCEPTED_TOGETHER = 16
_GONE_IN_ONE = 16


class Green(NamedTuple):
    """The differences between the kinds of green threads."""

    #: Runs a function in the background; the result has `kill()`.
    spawn: Callable[..., Any]
    give_turn: Callable[[], object]
    #: Returns the socket under a green one.
    raw: Callable[[Any], socket.socket]


class Acceptor:
    """Accepts connections. `serve(connection)` answers the requests of one and closes it."""

    def __init__(
        self,
        listener: socket.socket,
        serve: Callable[[Connection], object],
        green: Green,
        state: ServerState,
    ):
        self._listener = listener
        self._serve = serve
        self._green = green
        self._state = state
        self._descriptors = Descriptors()
        self._open: set[Connection] = set()
        self._refusals = 0
        self._is_short = False
        state.watch(self._descriptors.are_left)
        self._loop = green.spawn(self._run)

    def _run(self) -> None:
        load = 0.0
        while True:
            if load >= ACCEPTED_TOGETHER:
                load = 0.0
                self._green.give_turn()
            try:
                accepted = self._listener.accept()
            except OSError as error:
                if error.errno in _CLOSED:
                    return
                if error.errno in _EXHAUSTED:
                    self._answer_from_reserve()
                    time.sleep(PAUSE_SECONDS)
                # All other errors concern this connection (accept(2)): the next one may be good.
            else:
                load += self._take(*accepted)

    def _take(self, accepted: Any, address: Any) -> float:
        """Serves or refuses a connection; returns how many this counts for."""
        raw = self._green.raw(accepted)
        if _has_gone(raw):
            accepted.close()
            return 1 / _GONE_IN_ONE
        if accepted.fileno() >= self._descriptors.first_kept:
            self._note_shortage()
            if self._refusals >= _REFUSALS_MAX:
                accepted.close()
                time.sleep(PAUSE_SECONDS)
            else:
                self._refusals += 1
                self._green.spawn(self._refuse, accepted)
            return 1
        self._is_short = False
        connection = Connection(accepted, raw, address)
        self._open.add(connection)
        self._green.spawn(self._run_connection, connection)
        return 1

    def _run_connection(self, connection: Connection) -> None:
        try:
            self._serve(connection)
        except OSError:
            log.debug("a connection broke off", exc_info=True)
        finally:
            self._open.discard(connection)
            with suppress(OSError):
                connection.green.close()

    def _refuse(self, accepted: Any) -> None:
        try:
            _answer_unavailable(accepted, _REFUSAL_SECONDS)
        finally:
            self._refusals -= 1

    def _answer_from_reserve(self) -> None:
        """Answers one connection with the reserved descriptor when no other one is left."""
        self._note_shortage()
        if not self._descriptors.free_reserve():
            self._descriptors.keep_reserve()
            return
        self._listener.settimeout(0)
        try:
            accepted, _ = self._listener.accept()
            _answer_unavailable(accepted, _RESERVE_SECONDS)
        except OSError:
            pass
        finally:
            self._listener.settimeout(None)
            self._descriptors.keep_reserve()

    def _note_shortage(self) -> None:
        self._state.refused += 1
        if not self._is_short:
            self._is_short = True
            log.error(
                "out of file descriptors (%d connections): new ones are answered 503;"
                " raise the limit of the process (ulimit -n)",
                len(self._open),
            )

    def stop_accepting(self) -> None:
        """Accepts the queued connections, closes the port; connections end after their answer."""
        self._state.is_stopping = True
        self._loop.kill()
        # Not 0: eventlet would then accept sockets that are not green.
        self._listener.settimeout(_LAST_WAIT_SECONDS)
        until = time.monotonic() + _LAST_SECONDS
        with suppress(OSError):
            while time.monotonic() < until:
                self._take(*self._listener.accept())
        self._listener.close()

    def finish(self, seconds: float) -> None:
        """Waits until every request is answered, for at most this time."""
        started = time.monotonic()
        while self._open and time.monotonic() - started < seconds:
            if time.monotonic() - started >= IDLE_SECONDS:
                for connection in tuple(self._open):
                    if connection.is_idle and not connection.has_more():
                        connection.end()
            time.sleep(_POLL_SECONDS)


def _has_gone(raw: socket.socket) -> bool:
    """Whether the client has closed the connection without sending anything."""
    try:
        return not raw.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
    except BlockingIOError:
        return False
    except OSError:
        return True


def _answer_unavailable(accepted: Any, seconds: float) -> None:
    """Answers 503, and reads the request: closing with unread bytes would reset the connection."""
    detail = "The server has no room for another connection."
    headers = {"Retry-After": "1"}
    answer = refusal(Problem(503, "overloaded", detail, headers=headers))
    with suppress(OSError):
        accepted.settimeout(seconds)
        with suppress(TimeoutError):
            accepted.recv(bodies.HEADERS_BYTES)
        accepted.sendall(answer)
        accepted.shutdown(socket.SHUT_WR)
        with suppress(TimeoutError):
            while accepted.recv(bodies.HEADERS_BYTES):
                pass
    with suppress(OSError):
        accepted.close()
