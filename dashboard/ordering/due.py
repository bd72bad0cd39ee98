"""The queue of what is due: threads of which time changes anything."""

from collections.abc import Callable, Sequence

from sqlalchemy import Connection

from dashboard.db.database import Database
from dashboard.db.threads import thread_states, threads
from dashboard.db.threads.thread_state import ThreadState
from dashboard.errors import StorageUnavailable
from dashboard.ordering.placer import Placer
from dashboard.tasks import Backoff, PeriodicTask, RunsTask
from scoring.placing import Placement

#: Interval of asking what is due; `AgendaReader` wakes this at each moment that is known.
POLL_SECONDS = 15.0
#: Pause after SQL was away.
RETRY_SECONDS = 0.25
#: Threads that one transaction takes up; other writes run in between.
SLICE = 200


#: Changes locked threads, on the connection of the transaction that saves them.
Effect = Callable[[Connection, Sequence[ThreadState], int], None]


class DueQueue(RunsTask):
    """Takes up each change of time once: every process runs one, and a row lock decides.

    What fell due while no process ran is taken up at the start. `clock` gives milliseconds;
    `take_effect` does to threads what was to happen by a moment, in the transaction that takes
    them up.
    """

    def __init__(
        self,
        database: Database,
        placer: Placer,
        clock: Callable[[], int],
        take_effect: Effect = lambda connection, states, now_ms: None,
    ):
        self._take_effect = take_effect
        self._database = database
        self._placer = placer
        self._clock = clock
        self._task = PeriodicTask(
            "taking up what is due",
            self.turn,
            interval_seconds=POLL_SECONDS,
            expected=(StorageUnavailable,),
            backoff=Backoff.constant(RETRY_SECONDS),
        )

    def turn(self) -> int:
        """Takes up all that is due now; the number of threads. Raises StorageUnavailable."""
        count = 0
        while True:
            now = self._clock()
            with self._database.read() as connection:
                ids = threads.due(connection, now, SLICE)
            if not ids:
                return count
            self._placer.place(self._take_up(ids, now))
            count += len(ids)

    def _take_up(self, ids: list[int], now: int) -> list[Placement]:
        def write(connection: Connection) -> list[Placement]:
            states = thread_states.locked_by_id(connection, ids)
            # Another process may have taken it up while this one waited for the lock.
            due = [each for each in states if each.is_due(now)]
            self._take_effect(connection, due, now)
            return thread_states.save(connection, due, now)

        return self._database.write(write)
