"""Gives threads other due times after policies or calendars have changed."""

import random
import time
from collections.abc import Callable, Sequence

from sqlalchemy import Connection

from dashboard.db.database import Database
from dashboard.db.hours import due_times
from dashboard.db.lists import versions
from dashboard.db.threads import thread_states
from dashboard.errors import StorageUnavailable
from dashboard.ordering.placer import Placer
from dashboard.tasks import Backoff, PeriodicTask
from scoring.placing import Placement

POLL_SECONDS = 1.0
#: Threads of one transaction: at first, at least and at most. In between it is as many as take 20
#: ms: so long the events of these threads wait, and with SQLite all others.
SLICE, SLICE_MIN, SLICE_MAX = 50, 10, 200
SLICE_SECONDS = 0.02
#: Where pauses end late, others wait for the processor: they are longer by so many times as late.
LATE_FACTOR = 4
PAUSE_MAX_SECONDS = 1.0
#: Each process takes one of so many slices, so that two seldom work at the same threads.
SLICES_AHEAD = 8


class Recompute:
    """Takes up threads that wait and follow older policies: every process runs one, and row locks
    decide.

    What is left is what SQL says, so nothing is lost with a process. `clock` gives milliseconds.
    """

    def __init__(
        self,
        database: Database,
        placer: Placer,
        clock: Callable[[], int],
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] = time.sleep,
    ):
        self._database = database
        self._placer = placer
        self._clock = clock
        self._monotonic = monotonic
        self._sleep = sleep
        self._slice = SLICE
        self._late_seconds = 0.0
        #: The version that each thread follows: none can come to follow an older one.
        self._done = 0
        self._task = PeriodicTask(
            "the recomputing of due times",
            self.turn,
            interval_seconds=POLL_SECONDS,
            expected=(StorageUnavailable,),
            backoff=Backoff.constant(POLL_SECONDS),
        )

    def run(self) -> None:
        """Recomputes after each change until `stop`; never raises."""
        self._task.run()

    def wake(self) -> None:
        """Looks at once: something was changed."""
        self._task.wake()

    def stop(self) -> None:
        """Ends `run` after the slice under way."""
        self._task.stop()

    def turn(self) -> int:
        """Recomputes all threads that follow older policies; their number.

        Raises StorageUnavailable.
        """
        count = 0
        while not self._task.is_stopped:
            with self._database.read() as connection:
                version = versions.current(connection).policies
                if version == self._done:
                    return count
                ids = due_times.behind(connection, version, self._slice * SLICES_AHEAD)
            if not ids:
                self._done = version
                return count
            count += self._take_up(self._one_slice(ids))
        return count

    def _one_slice(self, ids: Sequence[int]) -> Sequence[int]:
        begin = random.randrange(0, len(ids), self._slice)
        return ids[begin : begin + self._slice]

    def _take_up(self, ids: Sequence[int]) -> int:
        begun = self._monotonic()
        placements, count = self._database.write(lambda connection: self._write(connection, ids))
        seconds = self._monotonic() - begun
        self._placer.place(placements)
        if seconds > SLICE_SECONDS:
            self._slice = max(SLICE_MIN, self._slice // 2)
        elif seconds < SLICE_SECONDS / 2:
            self._slice = min(SLICE_MAX, self._slice * 2)
        self._pause(self._monotonic() - begun)
        return count

    def _pause(self, worked_seconds: float) -> None:
        """Lets others work: at least half of the time, and more while the process is busy."""
        seconds = min(worked_seconds + LATE_FACTOR * self._late_seconds, PAUSE_MAX_SECONDS)
        begun = self._monotonic()
        self._sleep(seconds)
        self._late_seconds = max(0.0, self._monotonic() - begun - seconds)

    def _write(self, connection: Connection, ids: Sequence[int]) -> tuple[list[Placement], int]:
        states = thread_states.locked_by_id(connection, ids)
        version = versions.current(connection, for_writing=True).policies
        # Another process may have taken it up while this one waited for the lock.
        old = [
            state
            for state in states
            if state.facts.waiting_since is not None and state.columns["due_version"] < version
        ]
        return thread_states.save(connection, old, self._clock()), len(old)
