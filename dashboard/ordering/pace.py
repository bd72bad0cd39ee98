"""How much work that can wait takes at once, and how long it rests in between."""

import time
from collections.abc import Callable

#: Threads of one transaction: at first, at least and at most. In between it is as many as take 20
#: ms: so long the events of these threads wait, and with SQLite all others.
SLICE, SLICE_MIN, SLICE_MAX = 50, 10, 200
SLICE_SECONDS = 0.02
#: Where pauses end late, others wait for the processor: they are longer by so many times as late.
LATE_FACTOR = 4
PAUSE_MAX_SECONDS = 1.0


class Pace:
    """The size of slices, and the pauses between them."""

    def __init__(
        self,
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] = time.sleep,
    ):
        self._monotonic = monotonic
        self._sleep = sleep
        self._late_seconds = 0.0
        #: Threads of the next slice.
        self.size = SLICE

    def now(self) -> float:
        """Seconds, to be given to the methods below."""
        return self._monotonic()

    def written(self, begun: float) -> None:
        """A transaction that began then has ended: sets the size of the next slice."""
        seconds = self._monotonic() - begun
        if seconds > SLICE_SECONDS:
            self.size = max(SLICE_MIN, self.size // 2)
        elif seconds < SLICE_SECONDS / 2:
            self.size = min(SLICE_MAX, self.size * 2)

    def pause(self, begun: float) -> None:
        """Lets others work after a slice that began then: at least half of the time, and more while
        the process is busy."""
        worked_seconds = self._monotonic() - begun
        seconds = min(worked_seconds + LATE_FACTOR * self._late_seconds, PAUSE_MAX_SECONDS)
        paused = self._monotonic()
        self._sleep(seconds)
        self._late_seconds = max(0.0, self._monotonic() - paused - seconds)
