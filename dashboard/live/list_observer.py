"""What the lists do when a socket connects and disconnects."""

from collections.abc import Callable, Sequence
from typing import Protocol

from dashboard.live.handlers import ListHandlers
from dashboard.transport.caller import Caller


class Dropper(Protocol):
    """Keeps something for sockets."""

    def drop(self, sid: str) -> None:
        """Removes all that was kept for a closed socket."""


class ListObserver:
    """Sends a new socket its first messages, and drops what is kept for one that is gone.

    `send_status(sid)` sends what other parts have for every new socket.
    """

    def __init__(
        self,
        handlers: ListHandlers,
        droppers: Sequence[Dropper],
        send_status: Callable[[str], object],
    ):
        self._handlers = handlers
        self._droppers = droppers
        self._send_status = send_status

    def on_connect(self, caller: Caller) -> None:
        """Nothing is kept for a socket before it opens a list."""

    def on_ready(self, caller: Caller) -> None:
        self._handlers.on_ready(caller)
        self._send_status(caller.sid)

    def on_role(self, caller: Caller) -> None:
        """Lists are the same for every role."""

    def on_message(self, sid: str) -> None:
        """Lists do not depend on when a socket last called."""

    def on_disconnect(self, sid: str, reason: str) -> None:
        for each in self._droppers:
            each.drop(sid)
