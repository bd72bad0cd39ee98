"""Holds callers to a rate: a bucket of tokens each, in this process."""

import time
from collections.abc import Callable, Hashable


class Buckets:
    """Buckets by the names of callers; each begins full, and fills evenly."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic):
        self._monotonic = monotonic
        self._levels: dict[Hashable, tuple[float, float]] = {}

    def take(self, name: Hashable, tokens: int, size: int, seconds: float = 1) -> float | None:
        """Takes so many tokens, or none, from a bucket of `size` that fills in `seconds`.

        Returns None if they were taken, else in how many seconds there will be enough, as far as
        the bucket can hold them.
        """
        now = self._monotonic()
        level, at = self._levels.get(name, (float(size), now))
        level = min(float(size), level + (now - at) * size / seconds)
        taken = tokens <= level
        self._levels[name] = (level - tokens if taken else level), now
        return None if taken else (min(tokens, size) - level) * seconds / size
