"""Where everything that is pushed goes out: the sockets of this worker, by their ids."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from dashboard.live.packets import Fragment

Acknowledged = Callable[..., None]


class Message(NamedTuple):
    """What a socket is told; `acknowledged` is called when it says that it has heard."""

    event: str
    data: Fragment
    acknowledged: Acknowledged | None = None


class Sender(Protocol):
    def send(
        self, sid: str, event: str, data: Fragment, acknowledged: Acknowledged | None = None
    ) -> None: ...


class Outlet(Sender, Protocol):
    """Implemented by the Socket.IO side; a socket that has gone is silently passed over."""

    def send_together(self, sid: str, messages: Sequence[Message]) -> None:
        """In this order, in one piece where the connection takes it."""

    def broadcast(self, event: str, data: Fragment) -> None:
        """To every socket whose connect is over."""

    def hang_up(self, sid: str) -> None:
        """Ends a connection that does not read any more."""


class Parcels:
    """Gathers what there is for each socket, and sends it together."""

    def __init__(self, outlet: Outlet):
        self._outlet = outlet
        self._messages: dict[str, list[Message]] = {}

    def send(
        self, sid: str, event: str, data: Fragment, acknowledged: Acknowledged | None = None
    ) -> None:
        """Goes out when it is delivered."""
        self._messages.setdefault(sid, []).append(Message(event, data, acknowledged))

    def deliver(self, sid: str) -> None:
        """What there is for this socket."""
        if messages := self._messages.pop(sid, None):
            self._outlet.send_together(sid, messages)

    def deliver_all(self) -> None:
        for sid in tuple(self._messages):
            self.deliver(sid)
