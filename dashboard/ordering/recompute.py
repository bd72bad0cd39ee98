"""Gives threads other due times after policies or calendars have changed."""

import time
from collections.abc import Callable, Sequence

from sqlalchemy import Connection

from dashboard.db.database import Database
from dashboard.db.hours import due_times
from dashboard.db.lists import versions
from dashboard.db.threads import thread_states
from dashboard.errors import StorageUnavailable
from dashboard.ordering.pace import Pace
from dashboard.ordering.placer import Placer
from dashboard.tasks import Backoff, PeriodicTask, RunsTask
from scoring.placing import Placement

#: Interval of comparing versions; `AgendaReader` wakes this when there is another one.
POLL_SECONDS = 15.0
#: Pause after SQL was away.
RETRY_SECONDS = 1.0


class Recompute(RunsTask):
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
        self._pace = Pace(monotonic, sleep)
        #: The version that each thread follows: none can come to follow an older one.
        self.done = 0
        self._task = PeriodicTask(
            "the recomputing of due times",
            self.turn,
            interval_seconds=POLL_SECONDS,
            expected=(StorageUnavailable,),
            backoff=Backoff.constant(RETRY_SECONDS),
        )

    def turn(self) -> int:
        """Recomputes all threads that follow older policies; their number.

        Raises StorageUnavailable.
        """
        count = 0
        while not self._task.is_stopped:
            with self._database.read() as connection:
                version = versions.current(connection).policies
                if version == self.done:
                    return count
                ids = due_times.behind(connection, version, self._pace.ahead)
            if not ids:
                self.done = version
                return count
            count += self._take_up(self._pace.one_slice(ids))
        return count

    def _take_up(self, ids: Sequence[int]) -> int:
        _, count = self._pace.take_up(
            lambda: self._database.write(lambda connection: self._write(connection, ids)),
            lambda written: self._placer.place(written[0]),
        )
        return count

    def _write(self, connection: Connection, ids: Sequence[int]) -> tuple[list[Placement], int]:
        states = thread_states.locked_by_id(connection, ids)
        version = versions.current(connection, for_writing=True).policies
        # Another process may have taken it up while this one waited for the lock.
        old = [
            state
            for state in states
            if state.facts.waiting_since is not None and state.columns.due_version < version
        ]
        return thread_states.save(connection, old, self._clock()), len(old)
