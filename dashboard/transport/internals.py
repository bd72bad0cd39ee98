"""All names of Engine.IO and Socket.IO that are used without being documented.

`FastPath` and `Driver` use them. `missing_names` tells at start which of them this release does
not have; then messages go out by `emit`, and WebSockets are those of Engine.IO.
"""

from typing import Any, Protocol

from engineio import packet as engine_packet
from engineio.socket import Socket
from socketio import Server

from dashboard.transport.packets import NAMESPACE

#: Names of `server.manager`.
MANAGER_NAMES = ("eio_sid_from_sid",)
#: Names of an Engine.IO socket.
ENGINE_SOCKET_NAMES = ("send", "queue", "closed")


class EngineSocket(Protocol):
    """What is used of an Engine.IO socket."""

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
    if "websocket" not in getattr(server.eio, "_async", {}):
        missing.append("eio._async['websocket']")
    return missing


def replace_driver(server: Server, driver: Any) -> Any:
    """Makes Engine.IO open WebSockets with `driver(handler, server)`; returns its own driver."""
    ordinary = server.eio._async["websocket"]
    # A copy: the dictionary itself belongs to the library's module.
    server.eio._async = server.eio._async | {"websocket": driver}
    return ordinary


def engine_socket(server: Server, sid: str) -> EngineSocket:
    """The Engine.IO socket under a Socket.IO one. Raises KeyError where it is closed."""
    return server.eio.sockets[server.manager.eio_sid_from_sid(sid, NAMESPACE)]
