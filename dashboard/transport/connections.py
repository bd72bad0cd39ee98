"""Connected sockets."""

from dataclasses import dataclass

from dashboard.transport.caller import Caller
from dashboard.transport.fast_path import EmitPath, FastPath
from dashboard.transport.websocket import WebSocket


@dataclass(eq=False)
class Connection:
    """A socket that has connected; times in monotonic seconds."""

    caller: Caller
    #: Hash of the session that the socket was opened with.
    session: bytes
    path: FastPath | EmitPath
    #: None where Engine.IO's own driver opened it.
    websocket: WebSocket | None
    #: Whether it is being disconnected; further calls are not answered.
    is_leaving: bool = False
    session_valid_until: float = float("-inf")


#: By the ids of their sockets.
Connections = dict[str, Connection]
