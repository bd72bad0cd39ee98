"""Asks SQL what is to be done and Redis what has changed, and wakes the loops that act on it."""

import logging
from collections.abc import Callable

from redis.exceptions import RedisError

from dashboard.db import agenda
from dashboard.db.agenda import Agenda
from dashboard.db.database import Database
from dashboard.errors import StorageUnavailable
from dashboard.tasks import Backoff, PeriodicTask, RunsTask
from scoring.pulse import Pulse
from scoring.ranking import Ranking

#: Longest and shortest interval of reads. SQL is read when time changes the next thread, and each
#: second to see what other processes have stored.
READ_SECONDS, READ_LEAST_SECONDS = 1.0, 0.1

#: Says whether a queue has something to do, by what is to be done and the time in ms.
Concerns = Callable[[Agenda, int], bool]


class AgendaReader(RunsTask):
    """Reads the pending work, once for all loops of a process. `clock` gives milliseconds."""

    def __init__(
        self,
        database: Database,
        clock: Callable[[], int],
        wakes: dict[Callable[[], object], Concerns],
    ):
        self._database = database
        self._clock = clock
        #: Maps the function that wakes a queue to the condition for it.
        self.wakes = wakes
        self._wait_seconds = 0.0
        #: What was read last; None while SQL is away.
        self.latest: Agenda | None = None
        self._task = PeriodicTask(
            "reading the pending work",
            self.turn,
            interval_seconds=lambda: self._wait_seconds,
            expected=(StorageUnavailable,),
            backoff=Backoff.constant(READ_SECONDS),
        )

    def turn(self) -> None:
        """Reads, and wakes the queues that have something to do. Raises StorageUnavailable."""
        now = self._clock()
        try:
            with self._database.read() as connection:
                self.latest = latest = agenda.read(connection, now)
        except BaseException:
            self.latest = None
            raise
        for wake, concerns in self.wakes.items():
            if concerns(latest, now):
                wake()
        next_ms = READ_SECONDS * 1_000
        if latest.next_change_at is not None:
            next_ms = min(next_ms, latest.next_change_at - now)
        self._wait_seconds = max(READ_LEAST_SECONDS, next_ms / 1_000)


PULSE_SECONDS = 1.0

#: Called with the previous pulse (None if it is not known) and the current one.
OnChange = Callable[[Pulse | None, Pulse], object]


class PulseReader(RunsTask):
    """Reads the pulse of all lists, once for all loops of a process."""

    def __init__(self, ranking: Ranking):
        self._ranking = ranking
        self._observers: list[OnChange] = []
        #: What was read last; None while Redis is away, or has lost all lists.
        self.latest: Pulse | None = None
        self._task = PeriodicTask(
            "checking the lists for changes",
            self.turn,
            interval_seconds=PULSE_SECONDS,
            expected=(RedisError, OSError),
            expected_level=logging.DEBUG,
            backoff=Backoff.constant(PULSE_SECONDS),
        )

    def observe(self, on_change: OnChange) -> None:
        """Calls `on_change` after each change of the pulse."""
        self._observers.append(on_change)

    def turn(self) -> None:
        """Reads the pulse, and calls the observers if it has changed. Raises RedisError."""
        before = self.latest
        try:
            self.latest = pulse = self._ranking.pulse()
        except BaseException:
            self.latest = None
            raise
        if pulse is not None and pulse != before:
            for on_change in self._observers:
                on_change(before, pulse)
