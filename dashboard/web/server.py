"""The HTTP server of a web process: takes the port, serves until a signal, ends in order."""

import contextlib
import errno
import importlib
import resource
import signal
import socket
from collections.abc import Callable
from types import ModuleType

from dashboard.config import AsyncMode
from dashboard.errors import StartError

BACKLOG = 2048
#: After a signal, requests that run are given so long to end.
STOP_SECONDS = 5.0
_STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)


def green(async_mode: AsyncMode) -> ModuleType:
    """What is particular to eventlet or gevent: `start`, `offload`, `poll` and `time_limit`."""
    return importlib.import_module(f"dashboard.web.green_{async_mode}")


def check_port(host: str, port: int) -> None:
    """Raises StartError where the port is taken, also by servers that would share it."""
    listen(host, port).close()


def listen(host: str, port: int, *, reuse_port: bool = False) -> socket.socket:
    """A listening socket; raises StartError. Several may share a port if all of them say so."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (socket.gaierror, UnicodeError):
        raise StartError(f"“{host}” is not an address to listen on.") from None
    family, kind, protocol, _, address = found[0]
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if reuse_port:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        listener.bind(address)
        listener.listen(BACKLOG)
    except (OSError, OverflowError) as error:
        listener.close()
        raise StartError(_why_not(error, host, port)) from None
    return listener


def serve(
    app: Callable,
    host: str,
    port: int,
    async_mode: AsyncMode,
    *,
    reuse_port: bool = False,
    ready: Callable[[], object] = lambda: None,
    stopping: Callable[[], object] = lambda: None,
) -> None:
    """Serves until SIGTERM or SIGINT; the process must be monkey-patched for `async_mode`.

    Calls `ready` when connections are taken, `stopping` before the last ones are waited for.
    Raises StartError where the port cannot be had.
    """
    listener = listen(host, port, reuse_port=reuse_port)
    _raise_descriptor_limit()
    with _signals() as wait_for_stop:
        stop = green(async_mode).start(app, listener)
        ready()
        wait_for_stop()
        stopping()
        stop(STOP_SECONDS)


@contextlib.contextmanager
def _signals():
    """A function that waits for a stop signal.

    A handler cannot wake a hub that waits for sockets; a byte on a socket of its own can.
    """
    reader, writer = socket.socketpair()
    writer.setblocking(False)
    old_descriptor = signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
    old = {number: signal.signal(number, lambda *given: None) for number in _STOP_SIGNALS}

    def wait() -> None:
        while not set(reader.recv(64)) & set(_STOP_SIGNALS):
            pass

    try:
        yield wait
    finally:
        signal.set_wakeup_fd(old_descriptor)
        for number, handler in old.items():
            signal.signal(number, handler)
        reader.close()
        writer.close()


def _raise_descriptor_limit() -> None:
    """Each dashboard is a descriptor, and the usual soft limit is 1,024."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def _why_not(error: Exception, host: str, port: int) -> str:
    number = getattr(error, "errno", None)
    if number == errno.EADDRINUSE:
        return f"Port {port} is taken; choose another one, such as --port {port + 1}."
    if number == errno.EACCES:
        return f"Port {port} may not be used by this user; choose one from 1024 on."
    if number == errno.EADDRNOTAVAIL:
        return f"“{host}” is not an address of this computer."
    return f"Port {port} cannot be listened on."
