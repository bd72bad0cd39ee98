"""How much of a table a statement or a transaction takes up, so that others are served too."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Stride:
    """The `size` of the next step: between `least` and `most`, as much as takes `seconds`."""

    def __init__(
        self,
        first: int,
        least: int,
        most: int,
        seconds: float,
        monotonic: Callable[[], float] = time.monotonic,
    ):
        self.size = first
        self._least = least
        self._most = most
        self._seconds = seconds
        self._monotonic = monotonic
        self._longest_seconds = 0.0

    @contextmanager
    def timed(self) -> Iterator[None]:
        """Around each statement or transaction of a step."""
        begun = self._monotonic()
        yield
        self._longest_seconds = max(self._longest_seconds, self._monotonic() - begun)

    def adapt(self) -> None:
        """After a step: by the longest of what was timed."""
        seconds, self._longest_seconds = self._longest_seconds, 0.0
        if seconds > self._seconds:
            self.size = max(self._least, self.size // 2)
        elif seconds < self._seconds / 2:
            self.size = min(self._most, 2 * self.size)
