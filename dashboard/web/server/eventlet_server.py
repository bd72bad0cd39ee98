"""Serves with the green threads of eventlet, and its thread pool."""

import importlib
import socket
import sys
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any
from wsgiref.types import WSGIEnvironment

import eventlet
from eventlet import hubs, patcher, tpool
from eventlet.green import select
from eventlet.green import socket as green_socket

from dashboard.errors import StartError
from dashboard.turns import counted, turns
from dashboard.web.server.readiness import Readiness, waiter
from dashboard.web.server.state import ServerState
from dashboard.wsgi_keys import WAIT_READABLE, WATCH

if TYPE_CHECKING:
    from dashboard.web.server.acceptor import Acceptor

offload = counted(tpool.execute)
_look_up = patcher.original("socket").getaddrinfo
_EPOLL = patcher.original("select").epoll if sys.platform == "linux" else None
#: Makes a poll object that does not switch to another green thread.
poll = patcher.original("select").poll


def _wait_read(descriptor: int, seconds: float) -> None:
    hubs.trampoline(descriptor, read=True, timeout=seconds, timeout_exc=TimeoutError)


wait_ready = waiter(poll, _wait_read, select.select)


def leave_out_traces() -> None:
    """Lets the hub print no traces of green threads that failed."""
    hubs.get_hub().debug_exceptions = False


def give_turn() -> None:
    """Lets every green thread that can run do so, including those with readable connections."""
    eventlet.sleep(0)


def getaddrinfo(
    host: Any, port: Any, family: int = 0, type: int = 0, proto: int = 0, flags: int = 0
) -> list[tuple[Any, ...]]:
    """Looks up like `socket.getaddrinfo`, without stopping other green threads meanwhile."""
    try:
        # An IP address needs no thread.
        return _look_up(host, port, family, type, proto, flags | socket.AI_NUMERICHOST)
    except socket.gaierror:
        return offload(_look_up, host, port, family, type, proto, flags)


def start(
    app: Callable, listener: socket.socket, state: ServerState, keepalive_seconds: float
) -> "Acceptor":
    """Serves in the background until the acceptor is stopped. Raises StartError."""
    socket.getaddrinfo = green_socket.getaddrinfo = getaddrinfo
    if not hasattr(listener, "fd"):
        raise StartError("This release of eventlet has no GreenSocket.fd: install another one.")
    turns.install(give_turn)
    environ: WSGIEnvironment = {WAIT_READABLE: _wait_read}
    if _EPOLL is not None:
        environ[WATCH] = Readiness(_EPOLL, partial(hubs.trampoline, read=True)).watch
    # Imported here: commands need green threads, but no web server.
    acceptor = importlib.import_module("dashboard.web.server.acceptor")
    web = importlib.import_module("dashboard.web.server.http_connection")
    server = web.HttpServer(app, listener.getsockname(), state, keepalive_seconds, environ)
    green = acceptor.Green(eventlet.spawn, give_turn, lambda sock: sock.fd)
    return acceptor.Acceptor(listener, server.serve, green, state)
