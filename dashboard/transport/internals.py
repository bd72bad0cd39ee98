"""All names of Engine.IO, Socket.IO and redis-py that are used without being documented.

`missing_names` tells at start which of those that `FastPath` uses this release does not have; then
messages go out by `emit`. Without that of `replace_driver` nothing is served.

`Parser` lets redis-py look for unread data without letting other green threads run: before each
command redis-py checks whether the connection was closed meanwhile. With a green `select` all other
threads run first, which costs a busy process more than the command itself.
"""

import logging
import select
from collections.abc import Callable
from functools import cache, partial
from typing import Any, Protocol

from engineio import packet as engine_packet
from engineio.socket import Socket
from redis import connection
from redis.exceptions import ConnectionError
from socketio import Server

from dashboard.errors import StartError
from dashboard.transport.packets import NAMESPACE

#: Names of `server.manager`.
MANAGER_NAMES = ("eio_sid_from_sid",)
#: Names of an Engine.IO socket.
ENGINE_SOCKET_NAMES = ("send", "queue", "closed")


class EngineSocket(Protocol):
    """The part of an Engine.IO socket that is used."""

    queue: Any
    closed: bool

    def send(self, packet: engine_packet.Packet) -> None: ...


def missing_names(server: Server) -> list[str]:
    """The used names that the installed release lacks, as they are written in code."""
    missing = [f"manager.{name}" for name in MANAGER_NAMES if not hasattr(server.manager, name)]
    if not hasattr(server.eio, "sockets"):
        missing.append("eio.sockets")
    engine_socket = Socket(server.eio, "probe")
    missing += [
        f"Socket.{name}" for name in ENGINE_SOCKET_NAMES if not hasattr(engine_socket, name)
    ]
    return missing


def replace_driver(server: Server, driver: Any) -> None:
    """Makes Engine.IO open WebSockets with `driver(handler, server)`. Raises StartError."""
    if "websocket" not in getattr(server.eio, "_async", {}):
        raise StartError("This release of Engine.IO has no _async['websocket']: install another.")
    # A copy: the dictionary itself belongs to the library's module.
    server.eio._async = server.eio._async | {"websocket": driver}


def engine_socket(server: Server, sid: str) -> EngineSocket:
    """The Engine.IO socket under a Socket.IO one. Raises KeyError where it is closed."""
    return server.eio.sockets[server.manager.eio_sid_from_sid(sid, NAMESPACE)]


log = logging.getLogger(__name__)

#: What the parser uses of `redis.connection.DefaultParser`, which redis-py does not document.
PARSER_NAMES = ("on_connect", "can_read")
#: Set by `on_connect`.
CONNECTED_NAMES = ("_sock", "_reader")

_Default: Any = getattr(connection, "DefaultParser", object)


def parser_options(poll: Callable[[], Any]) -> dict[str, Any]:
    """Options of a redis-py connection pool that make it use `Parser`.

    `poll` makes a poll object that blocks the whole process, as `select.poll` does unpatched.
    Where redis-py lacks what `Parser` needs, there are no options and one warning is logged.
    """
    missing = [name for name in PARSER_NAMES if not hasattr(_Default, name)]
    if missing:
        _warn_once(*missing)
        return {}
    return {"parser_class": partial(Parser, poll)}


class Parser(_Default):
    """Checks an idle connection with a poll that does not switch to another green thread."""

    #: False once a connection turned out to lack what is used; then redis-py's own way is taken.
    is_usable = True

    def __init__(self, poll: Callable[[], Any], socket_read_size: int):
        super().__init__(socket_read_size=socket_read_size)
        self._poll = poll

    def on_connect(self, connection: Any, **options: Any) -> None:
        super().on_connect(connection, **options)
        missing = [name for name in CONNECTED_NAMES if not hasattr(self, name)]
        if Parser.is_usable and not missing and not hasattr(self._reader, "has_data"):
            missing.append("_reader.has_data")
        if Parser.is_usable and missing:
            Parser.is_usable = False
            _warn_once(*missing)

    def can_read(self, timeout: float = 0) -> bool:
        """Whether there is unread data, or the connection was closed. Raises ConnectionError."""
        if not Parser.is_usable or timeout != 0 or hasattr(self._sock, "pending"):
            # To wait is to let other threads run; and TLS keeps decrypted data to itself.
            return super().can_read(timeout)
        if not self._reader:
            raise ConnectionError("The connection is closed.")
        return self._reader.has_data() or self._is_readable()

    def _is_readable(self) -> bool:
        poll = self._poll()
        poll.register(self._sock.fileno(), select.POLLIN)
        return bool(poll.poll(0))


@cache
def _warn_once(*missing: str) -> None:
    """Logs a warning; a process has several connection pools."""
    log.warning(
        "this release of redis-py lacks %s: its own parser is used, which takes more CPU time",
        ", ".join(missing),
    )
