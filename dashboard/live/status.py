"""Whether the order may be late, told to every socket when that changes."""

from collections.abc import Callable

from dashboard.live.outlet import Outlet
from dashboard.live.packets import Fragment, encode


class Status:
    """Late while the way in says so, or while the way out cannot read the order itself."""

    def __init__(
        self,
        late_since: Callable[[], int | None],
        clock: Callable[[], int],
        outlet: Outlet,
    ):
        self._late_since = late_since
        self._clock = clock
        self._outlet = outlet
        self._unread_since: int | None = None
        self._told: int | None = None

    @property
    def since(self) -> int | None:
        """Since when the order may be late, in ms; None while it is right."""
        known = [at for at in (self._late_since(), self._unread_since) if at is not None]
        return min(known, default=None)

    @property
    def is_unread(self) -> bool:
        """Whether the last reading failed: others need not wait for Redis to learn that again."""
        return self._unread_since is not None

    def could_not_read(self) -> None:
        if self._unread_since is None:
            self._unread_since = self._clock()
        self.tell()

    def could_read(self) -> None:
        self._unread_since = None

    def greet(self, sid: str) -> None:
        self._outlet.send(sid, "order:status", self._data())

    def tell(self) -> None:
        """Tells everybody, if it has changed."""
        if (self.since is None) != (self._told is None):
            self._outlet.broadcast("order:status", self._data())
        self._told = self.since

    def _data(self) -> Fragment:
        return Fragment(encode({"late": self.since is not None, "since": self.since}))
