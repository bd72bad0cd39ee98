"""All undocumented names of Engine.IO and Socket.IO that Lineup uses.

At start, `missing_names` finds the names for `FastPath` that the installed release lacks; if there
are any, messages are sent by `emit`. Without the name for `replace_driver` the server cannot start.
"""

from typing import Any, Protocol

from engineio import packet as engine_packet
from engineio.socket import Socket
from socketio import Server

from dashboard.errors import StartError
from dashboard.transport.packets import NAMESPACE

#: Names of `server.manager`.
MANAGER_NAMES = ("eio_sid_from_sid",)
#: Names of an Engine.IO socket.
ENGINE_SOCKET_NAMES = ("send", "queue", "closed")


class EngineSocket(Protocol):
    """The part of an Engine.IO socket that Lineup uses."""

    queue: Any
    closed: bool

    def send(self, packet: engine_packet.Packet) -> None: ...


def missing_names(server: Server) -> list[str]:
    """Returns the used names that the installed release lacks, as they are written in code."""
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
    # Copied, because the dictionary itself belongs to the library's module.
    server.eio._async = server.eio._async | {"websocket": driver}


def engine_socket(server: Server, sid: str) -> EngineSocket:
    """Returns the Engine.IO socket under a Socket.IO one. Raises KeyError if it is closed."""
    return server.eio.sockets[server.manager.eio_sid_from_sid(sid, NAMESPACE)]
