"""The pace of work that can wait: the size of its slices, and the pauses between them."""

import random
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from dashboard.db.id_ranges import Stride

#: Threads in one transaction: at first, at least and at most. The number adapts so that one takes
#: 20 ms, for events of these threads wait until its end, and with SQLite all events.
SLICE, SLICE_MIN, SLICE_MAX = 50, 10, 200
SLICE_SECONDS = 0.02
#: A pause that ends late shows a busy processor: the next is longer by this multiple of the delay.
LATE_FACTOR = 4
PAUSE_MAX_SECONDS = 1.0
#: Each process takes a random one of this many slices: so two seldom work on the same threads.
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
        """`first`: threads in the first slice; `slice_seconds`: how long a slice should take."""
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
        """Returns the threads of the next transaction, a random slice."""
        begin = random.randrange(0, len(ids), self.size)
        return ids[begin : begin + self.size]

    def take_up(self, work: Callable[[], Result], place: Callable[[Result], object]) -> Result:
        """Calls `work` for a slice, `place` with its result, and pauses; returns the result."""
        begun = self._monotonic()
        with self._stride.timed():
            done = work()
        self._stride.adapt()
        place(done)
        self._pause(begun)
        return done

    def _pause(self, begun: float) -> None:
        """Sleeps as long as the slice took, longer while the process is busy, up to the maximum."""
        worked_seconds = self._monotonic() - begun
        seconds = min(worked_seconds + LATE_FACTOR * self._late_seconds, self._pause_max_seconds)
        paused = self._monotonic()
        self._sleep(seconds)
        self._late_seconds = max(0.0, self._monotonic() - paused - seconds)
