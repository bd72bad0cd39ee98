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
    #: The socket's name in presence, and the browser's.
    connection: str = ""
    device: str = ""
    #: The kind of device: `web` (a computer), `mobile` or `tablet`.
    type: str = "web"
    desks: Desks = None


#: Answers one call from the arguments that the browser sent. Raises Problem.
Handler = Callable[[Caller, tuple[Any, ...]], Answer]


class SocketObserver(Protocol):
    """Follows each socket from its connect to its disconnect."""

    def on_connect(self, caller: Caller) -> None:
        """The socket connects. Nothing can be sent to it yet."""

    def on_ready(self, caller: Caller) -> None:
        """The connect was answered: from now on the socket can be sent to."""

    def on_role(self, caller: Caller) -> None:
        """The role of the socket's admin has changed; `caller` has the new one."""

    def on_message(self, sid: str) -> None:
        """The socket made a call that is known and allowed."""

    def on_disconnect(self, sid: str, reason: str) -> None:
        """The socket is closed; `reason` is Socket.IO's text."""
