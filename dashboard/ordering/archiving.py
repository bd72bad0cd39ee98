"""Takes threads off all lists that were closed long ago, and puts them back where that changes."""

import time
from collections.abc import Callable, Sequence

from sqlalchemy import Connection

from dashboard.db.archive import behind
from dashboard.db.database import Database
from dashboard.db.threads import thread_states
from dashboard.errors import StorageUnavailable
from dashboard.ordering.pace import Pace
from dashboard.ordering.placer import Placer
from dashboard.tasks import Backoff, PeriodicTask, RunsTask
from scoring.placing import Placement

#: Interval of asking which threads are to be archived; `AgendaReader` wakes this when some are.
POLL_SECONDS = 15.0
#: Pause after SQL was away.
RETRY_SECONDS = 0.5


class Archiver(RunsTask):
    """Archives each thread once: every process runs one, and row locks decide.

    What is to be done is what SQL says, so nothing is lost with a process; after an upgrade, or a
    change of LINEUP_HISTORY_DAYS, it may be millions of threads. `clock` gives milliseconds.
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
        self._task = PeriodicTask(
            "archiving threads",
            self.turn,
            interval_seconds=POLL_SECONDS,
            expected=(StorageUnavailable,),
            backoff=Backoff.constant(RETRY_SECONDS),
        )

    def turn(self) -> int:
        """Archives, or brings back, all that is behind now; the number of threads.

        Raises StorageUnavailable.
        """
        count, now = 0, self._clock()
        while not self._task.is_stopped:
            with self._database.read() as connection:
                ids = behind(connection, now, self._pace.ahead)
            if not ids:
                break
            count += self._take_up(self._pace.one_slice(ids), now)
        return count

    def _take_up(self, ids: Sequence[int], now: int) -> int:
        def write(connection: Connection) -> list[Placement]:
            states = thread_states.locked_by_id(connection, ids)
            return thread_states.save(connection, states, now)

        return len(self._pace.take_up(lambda: self._database.write(write), self._placer.place))
