"""One clock for all processes: the clock of a server that they share."""

import logging
import threading
import time
from collections.abc import Callable
from typing import NamedTuple

log = logging.getLogger(__name__)

#: Seconds between readings of the shared clock.
READ_SECONDS = 5.0
#: A machine with a clock that differs by more milliseconds is reported.
OFF_MS = 2_000
#: Most readings in a row; the quickest one, which is the most exact, is used. A reading that is
#: exact enough ends the row.
_READINGS = 3
_EXACT_MS = 1.0
#: A step back by less than this is hidden; a greater one means that the shared clock was set.
_HELD_MS = 1_000
#: Time since the machine started; setting its clock does not change this. If the system can tell,
#: the time during which the machine was suspended is included.
_TICKING = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


def now_ms() -> int:
    """Returns the time of this machine's clock, in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def ticks_ms() -> float:
    """Returns milliseconds since some moment before this process started."""
    return time.clock_gettime_ns(_TICKING) / 1e6


def time_limit(seconds: float, monotonic: Callable[[], float]) -> Callable[[], bool]:
    """Returns a function that tells whether `seconds` have passed since this call."""
    end = monotonic() + seconds
    return lambda: monotonic() > end


class _Reading(NamedTuple):
    """The lead of the shared clock over the ticks, and its possible error, in ms."""

    ahead_ms: float
    error_ms: float


class SharedClock:
    """Milliseconds since 1970 by a clock that all processes share (H25).

    Receipts, stamps and leases of several machines are compared, and their clocks may differ.
    `read` asks the shared clock, in milliseconds; `ticks` counts the time between two readings.
    Until the first reading the clock of this machine, `own`, is used.
    """

    def __init__(
        self,
        read: Callable[[], float],
        *,
        own: Callable[[], int] = now_ms,
        ticks: Callable[[], float] = ticks_ms,
    ):
        self._read = read
        self._own = own
        self._ticks = ticks
        self._ahead_ms: float | None = None
        self._last = 0
        self._was_off = False
        self._reading = threading.Lock()

    def __call__(self) -> int:
        """Returns the time. A step back by less than a second is hidden: the time stands still."""
        if self._ahead_ms is None:
            return self._own()
        now = int(self._ticks() + self._ahead_ms)
        if self._last - _HELD_MS < now < self._last:
            return self._last
        self._last = now
        return now

    @property
    def own_ahead_ms(self) -> int:
        """The lead of this machine's clock in ms; negative if it is behind, 0 before a reading."""
        if self._ahead_ms is None:
            return 0
        return round(self._own() - self._ticks() - self._ahead_ms)

    @property
    def is_off(self) -> bool:
        """Whether the clock of this machine is wrong by more than 2 s."""
        return abs(self.own_ahead_ms) > OFF_MS

    def adjust(self) -> None:
        """Reads the shared clock, and logs when this machine's clock begins or ceases to be wrong.

        Raises the errors of `read`; the clock then goes on as before.
        """
        with self._reading:
            reading = self._take()
            for _ in range(_READINGS - 1):
                if reading.error_ms > _EXACT_MS:
                    reading = min(reading, self._take(), key=lambda reading: reading.error_ms)
            ahead_ms = self._ahead_ms
            # To avoid jitter, only a reading that proves the clock wrong changes it.
            if ahead_ms is None or abs(reading.ahead_ms - ahead_ms) > reading.error_ms:
                self._ahead_ms = reading.ahead_ms
            self._report()

    def _take(self) -> _Reading:
        before = self._ticks()
        shared = self._read()
        after = self._ticks()
        return _Reading(shared - (before + after) / 2, (after - before) / 2)

    def _report(self) -> None:
        if self.is_off == self._was_off:
            return
        self._was_off = self.is_off
        if self._was_off:
            seconds = self.own_ahead_ms / 1000
            log.warning(
                "The clock of this machine is %.1f s %s; the clock of the shared server is used.",
                abs(seconds),
                "ahead" if seconds > 0 else "behind",
            )
        else:
            log.warning("The clock of this machine is correct again.")
