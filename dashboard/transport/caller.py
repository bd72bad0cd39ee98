"""The socket behind a call, the handlers of calls, and the observers of sockets."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

from dashboard.db.accounts.admin_desks import Desks
from dashboard.transport.packets import EncodedJson

Answer = Mapping[str, object] | EncodedJson


class Caller(NamedTuple):
    """A connected socket and the admin who is signed in on it.

    The admin sees the threads at `desks`; None: all threads.
    """

    sid: str
    admin_id: int
    role: str = "admin"
    #: The names of the socket and of the browser in presence.
    connection: str = ""
    device: str = ""
    #: The kind of device: `web` (a computer), `mobile` or `tablet`.
    type: str = "web"
    desks: Desks = None
    #: The window as it connected: whether it was visible, and ms since its last input.
    visible: bool = True
    idle_ms: int = 0


#: Answers one call from the arguments that the browser sent. Raises Problem.
Handler = Callable[[Caller, tuple[Any, ...]], Answer]


class SocketObserver(Protocol):
    """Follows each socket from its connect to its disconnect."""

    def on_connect(self, caller: Caller) -> None:
        """Takes a socket that connects. Nothing can be sent to it yet."""

    def on_ready(self, caller: Caller) -> None:
        """Called after the connect was answered: from now on messages can be sent to the socket."""

    def on_role(self, caller: Caller) -> None:
        """Called after the role of the socket's admin has changed; `caller` has the new one."""

    def on_message(self, sid: str) -> None:
        """Called for each call of the socket that is known and allowed, before it is handled."""

    def on_disconnect(self, sid: str, reason: str) -> None:
        """Called after the socket was closed; `reason` is Socket.IO's text."""
