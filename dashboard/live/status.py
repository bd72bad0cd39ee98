"""Tells every socket whether lists may be out of date, and whether SQL takes writes."""

from collections.abc import Callable

from dashboard.transport.emitter import Emitter
from dashboard.transport.packets import EncodedJson, encode


class Status:
    """Lists count as late while ordering says so, or this worker cannot read them from Redis."""

    def __init__(
        self,
        late_since: Callable[[], int | None],
        clock: Callable[[], int],
        emitter: Emitter,
        is_read_only: Callable[[], bool] = lambda: False,
    ):
        self._is_read_only = is_read_only
        self._late_since = late_since
        self._clock = clock
        self._emitter = emitter
        self._unread_since: int | None = None
        self._announced = (False, False)

    @property
    def since(self) -> int | None:
        """The time (ms since 1970) from which lists may be old; None while they are right."""
        times = [at for at in (self._late_since(), self._unread_since) if at is not None]
        return min(times, default=None)

    @property
    def is_unreadable(self) -> bool:
        """Whether the last read failed; then calls read from SQL without trying Redis first."""
        return self._unread_since is not None

    def read_failed(self) -> None:
        if self._unread_since is None:
            self._unread_since = self._clock()
        self.announce()

    def read_succeeded(self) -> None:
        self._unread_since = None

    def send_to(self, sid: str) -> None:
        self._emitter.send(sid, "order:status", self._data())

    def announce(self) -> None:
        """Sends the status to all sockets if it has changed."""
        state = self.since is not None, self._is_read_only()
        if state != self._announced:
            self._emitter.broadcast("order:status", self._data())
        self._announced = state

    def _data(self) -> EncodedJson:
        since = self.since
        read_only = self._is_read_only()
        return EncodedJson(
            encode({"late": since is not None, "since": since, "read_only": read_only})
        )
