"""The HTTP server of a web process: takes the port, serves until a signal, stops in order."""

import contextlib
import ctypes
import errno
import importlib
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from types import ModuleType

from dashboard.db.database import Database
from dashboard.errors import StartError
from dashboard.settings import KEEPALIVE_SECONDS, AsyncMode, Settings
from dashboard.web.server.descriptors import raise_limit
from dashboard.web.server.state import ServerState

#: Blocks of at least this size, in bytes, are mapped, and so unmapped when they are freed.
MAPPED_BYTES = 1024 * 1024
#: An option of mallopt(3) in glibc.
_M_MMAP_THRESHOLD = -3


def return_large_blocks() -> bool:
    """Makes the C library return large blocks when they are freed; returns whether it can.

    By default glibc raises the limit as large blocks come and go, and keeps them for each thread: a
    password's hash takes 19 MiB, so a hundred sign-ins left a process 290 MiB larger.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return False
    return bool(mallopt(_M_MMAP_THRESHOLD, MAPPED_BYTES))


BACKLOG = 2048
#: Seconds that open requests get to finish after a signal.
STOP_SECONDS = 5.0
SWITCH_SECONDS = 0.001
#: With one process SIGHUP stops, too: by default it would kill the process within an answer.
_STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def green(async_mode: AsyncMode) -> ModuleType:
    """Returns the module of this mode: it has `start`, `offload`, `wait_ready` and `poll`."""
    if async_mode == "gevent":
        return importlib.import_module("dashboard.web.server.gevent_server")
    return importlib.import_module("dashboard.web.server.eventlet_server")


def database_of(settings: Settings) -> Database:
    """Returns the database of a process; its calls let other green threads run."""
    mode = green(settings.async_mode)
    return Database(settings.database_url, wait_ready=mode.wait_ready, offload=mode.offload)


def check_port(host: str, port: int) -> None:
    """Raises StartError if the port is taken."""
    listen(host, port).close()


def bind(host: str, port: int, *, inherited: int | None = None) -> socket.socket:
    """Returns a socket that holds the port: a new one, on which nobody can connect yet, or that of
    an inherited descriptor. Raises StartError."""
    try:
        addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (socket.gaierror, UnicodeError):
        raise StartError(f"“{host}” is not an address to listen on.") from None
    family, kind, protocol, _, address = addresses[0]
    if inherited is not None:
        return socket.socket(family, kind, protocol, fileno=inherited)
    holder = socket.socket(family, kind, protocol)
    try:
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        holder.bind(address)
    except (OSError, OverflowError) as error:
        holder.close()
        raise StartError(_why_not(error, host, port)) from None
    return holder


def listen(host: str, port: int, *, inherited: int | None = None) -> socket.socket:
    """Opens a listening socket: a new one, or that of an inherited descriptor. Raises
    StartError."""
    listener = bind(host, port, inherited=inherited)
    try:
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        raise StartError(_why_not(error, host, port)) from None
    return listener


def serve(
    app: Callable,
    host: str,
    port: int,
    async_mode: AsyncMode,
    *,
    inherited: int | None = None,
    ready: Callable[[], object] = lambda: None,
    stopping: Callable[[], object] = lambda: None,
    state: ServerState | None = None,
    keepalive_seconds: float = KEEPALIVE_SECONDS,
) -> None:
    """Serves until SIGTERM, SIGINT or SIGHUP; the process must be monkey-patched for `async_mode`.

    `ready` is called when connections are accepted; `stopping` when none is accepted any more,
    before open requests are waited for. `inherited` is the descriptor of a socket on the port that
    other processes share; it listens from here on. A second signal ends the process at once; with
    workers that is left to the process that runs them, since a terminal or a service manager may
    signal all of them. Raises StartError if the port cannot be used.
    """
    listener = listen(host, port, inherited=inherited)
    raise_limit()
    return_large_blocks()
    # A thread that parses beside the green threads yields the interpreter after this time.
    sys.setswitchinterval(SWITCH_SECONDS)
    with _signals() as wait_for_stop:
        acceptor = green(async_mode).start(app, listener, state or ServerState(), keepalive_seconds)
        ready()
        wait_for_stop()
        if inherited is None:
            for number in _stop_signals():
                signal.signal(number, signal.SIG_DFL)
        acceptor.stop_accepting()
        stopping()
        acceptor.finish(STOP_SECONDS)


def _stop_signals() -> list[signal.Signals]:
    """Returns the signals that end this process; without SIGHUP if `nohup` has it ignored."""
    return [number for number in _STOP_SIGNALS if signal.getsignal(number) != signal.SIG_IGN]


@contextlib.contextmanager
def _signals() -> Iterator[Callable[[], object]]:
    """Yields a function that waits for a stop signal.

    A signal handler cannot wake a green hub that waits for sockets; a byte on a socket can.
    """
    reader, writer = socket.socketpair()
    writer.setblocking(False)
    old_descriptor = signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
    old = {number: signal.signal(number, lambda *ignored: None) for number in _stop_signals()}

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


def _why_not(error: Exception, host: str, port: int) -> str:
    number = getattr(error, "errno", None)
    if number == errno.EADDRINUSE:
        return f"Port {port} is taken; choose another one, such as --port {port + 1}."
    if number == errno.EACCES:
        return f"Port {port} may not be used by this user; choose one from 1024 on."
    if number == errno.EADDRNOTAVAIL:
        return f"“{host}” is not an address of this computer."
    return f"Port {port} cannot be listened on."
