"""Serves with the green threads of gevent, and its thread pool."""

import importlib
import socket
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from wsgiref.types import WSGIEnvironment

import gevent
from gevent import monkey, select
from gevent.socket import wait_read

from dashboard.errors import StartError
from dashboard.turns import counted, turns
from dashboard.web.server.readiness import Readiness, waiter
from dashboard.web.server.state import ServerState
from dashboard.wsgi_keys import WAIT_READABLE, WATCH

if TYPE_CHECKING:
    from dashboard.web.server.acceptor import Acceptor

#: Longest time that other green threads run in one turn, in seconds.
TURN_SECONDS_MAX = 0.02

#: Makes a poll object that does not switch to another green thread.
poll = monkey.get_original("select", "poll")
_EPOLL = monkey.get_original("select", "epoll") if sys.platform == "linux" else None


def _offload(work: Callable[..., Any], *arguments: Any) -> Any:
    # The pool would print an exception that reaches it with its stack trace.
    result, error = gevent.get_hub().threadpool.apply(_outcome, (work, arguments))
    if error is not None:
        raise error
    return result


def _outcome(work: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[Any, Exception | None]:
    try:
        return work(*arguments), None
    except Exception as error:
        return None, error


offload = counted(_offload)


def _wait_read(descriptor: int, seconds: float) -> None:
    wait_read(descriptor, timeout=seconds, timeout_exc=TimeoutError())


wait_ready = waiter(poll, _wait_read, select.select)


def leave_out_traces() -> None:
    """Lets the hub print no traces of green threads that failed."""
    gevent.get_hub().exception_stream = None


def give_turn() -> None:
    """Lets every green thread that can run do so, including those with readable connections.

    `sleep(0)` would go on before the loop looks at connections. The loop of a busy worker is never
    idle, so the wait has a limit.
    """
    with gevent.Timeout(TURN_SECONDS_MAX, False):
        gevent.idle()


def start(
    app: Callable, listener: socket.socket, state: ServerState, keepalive_seconds: float
) -> "Acceptor":
    """Serves in the background until the acceptor is stopped. Raises StartError."""
    if not hasattr(listener, "_sock"):
        raise StartError("This release of gevent has no socket._sock: install another one.")
    turns.install(give_turn)
    environ: WSGIEnvironment = {WAIT_READABLE: _wait_read}
    if _EPOLL is not None:
        environ[WATCH] = Readiness(_EPOLL, wait_read).watch
    # Imported here: commands need green threads, but no web server.
    acceptor = importlib.import_module("dashboard.web.server.acceptor")
    web = importlib.import_module("dashboard.web.server.http_connection")
    server = web.HttpServer(app, listener.getsockname(), state, keepalive_seconds, environ)
    green = acceptor.Green(gevent.spawn, give_turn, lambda sock: sock._sock)
    return acceptor.Acceptor(listener, server.serve, green, state)
