"""The pace of work that can wait: the size of its slices, and the pauses between them."""

import random
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from dashboard.db.id_ranges import Stride

#: Threads of one transaction: at first, at least and at most. In between it is as many as take 20
#: ms: so long the events of these threads wait, and with SQLite all others.
SLICE, SLICE_MIN, SLICE_MAX = 50, 10, 200
SLICE_SECONDS = 0.02
#: Where pauses end late, others wait for the processor: they are longer by so many times as late.
LATE_FACTOR = 4
PAUSE_MAX_SECONDS = 1.0
#: Each process takes one of so many slices, so that two seldom work at the same threads.
SLICES_AHEAD = 8

Result = TypeVar("Result")


class Pace:
    """The size of slices, and the pauses between them."""

    def __init__(
        self,
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] = time.sleep,
        first: int | None = None,
        pause_max_seconds: float | None = None,
        slice_seconds: float | None = None,
    ):
        """`first`: threads of the first slice; `slice_seconds`: as much as one should take."""
        self._pause_max_seconds = pause_max_seconds or PAUSE_MAX_SECONDS
        self._monotonic = monotonic
        self._sleep = sleep
        self._late_seconds = 0.0
        self._stride = Stride(
            first or SLICE, SLICE_MIN, SLICE_MAX, slice_seconds or SLICE_SECONDS, monotonic
        )

    @property
    def size(self) -> int:
        """The number of threads that the next slice should have."""
        return self._stride.size

    @property
    def ahead(self) -> int:
        """The number of threads to ask for; `one_slice` takes some of them."""
        return self.size * SLICES_AHEAD

    def one_slice(self, ids: Sequence[int]) -> Sequence[int]:
        """The threads of the next transaction."""
        begin = random.randrange(0, len(ids), self.size)
        return ids[begin : begin + self.size]

    def take_up(self, work: Callable[[], Result], place: Callable[[Result], object]) -> Result:
        """Works on a slice in a transaction, places what that gives, and lets others work."""
        begun = self._monotonic()
        with self._stride.timed():
            done = work()
        self._stride.adapt()
        place(done)
        self._pause(begun)
        return done

    def _pause(self, begun: float) -> None:
        """At least as long as the slice took, and longer while the process is busy."""
        worked_seconds = self._monotonic() - begun
        seconds = min(worked_seconds + LATE_FACTOR * self._late_seconds, self._pause_max_seconds)
        paused = self._monotonic()
        self._sleep(seconds)
        self._late_seconds = max(0.0, self._monotonic() - paused - seconds)
