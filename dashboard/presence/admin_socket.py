"""One socket of an admin, as presence knows it."""

from dataclasses import dataclass

from dashboard.transport.caller import Caller
from presence.connections import Connection
from presence.timing import Timing


@dataclass
class AdminSocket:
    """A connected socket; `ping_at` and `hidden_since` in seconds of the worker's monotonic clock.

    `connection` is what Redis holds of it; `idle_ms`: time without input as last reported.
    """

    caller: Caller
    connection: Connection
    ping_at: float
    hidden_since: float | None = None
    idle_ms: int = 0

    def take_report(self, visible: bool, idle_ms: int, now: float) -> None:
        """What the browser reports of its window."""
        self.idle_ms = idle_ms
        if visible:
            self.hidden_since = None
        elif self.hidden_since is None:
            self.hidden_since = now

    def is_active(self, timing: Timing, now: float) -> bool:
        """Whether its admin counts as active now; a hidden window becomes idle by time alone."""
        hidden_ms = 0 if self.hidden_since is None else round((now - self.hidden_since) * 1_000)
        return timing.active(self.hidden_since is None, self.idle_ms, hidden_ms)


def grace_ms(timing: Timing, reason: str, is_draining: bool = False) -> int:
    """How long a disconnected socket may come back before its admin is offline. (R14, R18)

    `reason` is Socket.IO's: the server ended it (signed out), the page was closed or reloaded, or
    the network failed. `is_draining`: the worker stops and has told its clients to leave.
    """
    if reason == "server disconnect":
        return 0
    if is_draining:
        return timing.drain_grace_ms
    if reason == "client disconnect":
        return timing.page_closed_grace_ms
    return timing.dropped_grace_ms
