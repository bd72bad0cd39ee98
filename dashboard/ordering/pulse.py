"""Asks Redis once a second whether any list has changed, and tells those who follow them.

Notifications tell it sooner. Where they are switched off, or lost, this keeps the promise of a
second.
"""

import logging
from collections.abc import Callable

from redis.exceptions import RedisError

from dashboard.tasks import Backoff, PeriodicTask, RunsTask
from scoring.pulse import Pulse
from scoring.ranking import Ranking

READ_SECONDS = 1.0

#: Called with the pulse before, None where it is not known, and that of now.
OnChange = Callable[[Pulse | None, Pulse], object]


class PulseReader(RunsTask):
    """One for each process."""

    def __init__(self, ranking: Ranking):
        self._ranking = ranking
        self._observers: list[OnChange] = []
        #: What was read last; None while Redis is away, or has lost all lists.
        self.latest: Pulse | None = None
        self._task = PeriodicTask(
            "asking whether lists have changed",
            self.turn,
            interval_seconds=READ_SECONDS,
            expected=(RedisError, OSError),
            expected_level=logging.DEBUG,
            backoff=Backoff.constant(READ_SECONDS),
        )

    def observe(self, on_change: OnChange) -> None:
        """Calls this after each change."""
        self._observers.append(on_change)

    def turn(self) -> None:
        """Reads, and tells what has changed. Raises RedisError."""
        before = self.latest
        try:
            self.latest = pulse = self._ranking.pulse()
        except BaseException:
            self.latest = None
            raise
        if pulse is not None and pulse != before:
            for on_change in self._observers:
                on_change(before, pulse)
