"""Where everything that is pushed goes out: the sockets of this worker, by their ids."""

from collections.abc import Callable
from typing import Protocol

from dashboard.live.packets import Fragment

Acknowledged = Callable[..., None]


class Outlet(Protocol):
    """Implemented by the Socket.IO side; a socket that has gone is silently passed over."""

    def send(
        self, sid: str, event: str, data: Fragment, acknowledged: Acknowledged | None = None
    ) -> None: ...

    def broadcast(self, event: str, data: Fragment) -> None:
        """To every socket whose connect is over."""

    def hang_up(self, sid: str) -> None:
        """Ends a connection that does not read any more."""
