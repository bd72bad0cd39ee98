"""Takes up what time changes: due threads, due times to be computed anew, and archiving."""

import time
from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import partial

from sqlalchemy import Connection

from dashboard.db import policies
from dashboard.db.archive import behind
from dashboard.db.database import Database
from dashboard.db.lists import versions
from dashboard.db.threads import thread_states, threads
from dashboard.errors import StorageUnavailable
from dashboard.ingest.saving import save
from dashboard.ingest.snoozing import take_effect
from dashboard.ordering.pace import SLICE_MIN, Pace
from dashboard.ordering.placer import Placer
from dashboard.tasks import Backoff, PeriodicTask, RunsTask
from scoring.placing import Placement

#: Interval of asking what is to be done; `AgendaReader` wakes a task that has something to do.
POLL_SECONDS = 15.0
#: Pauses after SQL was away: of what is due, of recomputing, and of archiving.
RETRY_SECONDS, RECOMPUTE_RETRY_SECONDS, ARCHIVE_RETRY_SECONDS = 0.25, 1.0, 0.5
#: Threads that are taken up in one go, in slices of a transaction; those that are due later follow.
TOGETHER_MAX = 5_000
#: What a slice should take: an event waits for no more than two.
SLICE_SECONDS = 0.04
#: Longest pause between two slices: somebody waits for what is due, also where others wait, too.
PAUSE_MAX_SECONDS = 0.04


class _Paced(RunsTask):
    """Takes up threads in slices, at a pace: every process runs one, and row locks decide.

    SQL says what is left to do, so nothing is lost with a process. `clock` gives milliseconds.
    """

    def __init__(
        self,
        name: str,
        retry_seconds: float,
        database: Database,
        placer: Placer,
        clock: Callable[[], int],
        pace: Pace,
    ):
        self._database = database
        self._placer = placer
        self._clock = clock
        self._pace = pace
        self._task = PeriodicTask(
            name,
            self.turn,
            interval_seconds=POLL_SECONDS,
            expected=(StorageUnavailable,),
            backoff=Backoff.constant(retry_seconds),
        )

    @abstractmethod
    def turn(self) -> int:
        """Takes up all that there is now; the number of threads. Raises StorageUnavailable."""


class DueQueue(_Paced):
    """Takes up each change of time once.

    What fell due while no process ran is taken up at the start. Of many threads those that stand
    highest in any sort come first, so that the first screen of each list is right soon, and others
    work in between.
    """

    def __init__(
        self,
        database: Database,
        placer: Placer,
        clock: Callable[[], int],
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] = time.sleep,
    ):
        pace = Pace(monotonic, sleep, SLICE_MIN, PAUSE_MAX_SECONDS, SLICE_SECONDS)
        super().__init__("taking up what is due", RETRY_SECONDS, database, placer, clock, pace)

    def turn(self) -> int:
        """Takes up all that is due now; the number of threads. Raises StorageUnavailable."""
        count = 0
        while not self._task.is_stopped:
            with self._database.read() as connection:
                ids = threads.due(connection, self._clock(), TOGETHER_MAX)
            if not ids:
                break
            count += len(ids)
            self._take_up_all(ids)
        return count

    def _take_up_all(self, ids: Sequence[int]) -> None:
        """In their order, unless another process is at the same ones."""
        is_alone = True
        while ids and not self._task.is_stopped:
            size = self._pace.size
            part = ids[:size] if is_alone else self._pace.one_slice(ids[: self._pace.ahead])
            placements = self._pace.take_up(partial(self._take_up, part), self._placer.place)
            is_alone = len(placements) > len(part) / 2
            batch = frozenset(part)
            ids = [id for id in ids if id not in batch]

    def _take_up(self, ids: Sequence[int]) -> list[Placement]:
        now = self._clock()

        def write(connection: Connection) -> list[Placement]:
            states = thread_states.locked_by_id(connection, ids)
            # Another process may have taken it up while this one waited for the lock.
            due = [state for state in states if state.is_due(now)]
            take_effect(connection, due, now)
            return save(connection, due, now)

        return self._database.write(write)


class Recompute(_Paced):
    """Takes up threads that wait and follow older policies."""

    def __init__(
        self,
        database: Database,
        placer: Placer,
        clock: Callable[[], int],
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] = time.sleep,
    ):
        name, pace = "the recomputing of due times", Pace(monotonic, sleep)
        super().__init__(name, RECOMPUTE_RETRY_SECONDS, database, placer, clock, pace)
        #: The version that each thread follows: none can come to follow an older one.
        self.done = 0

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
                ids = policies.behind(connection, version, self._pace.ahead)
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
        return save(connection, old, self._clock()), len(old)


class Archiver(_Paced):
    """Archives each thread once.

    After an upgrade, or a change of LINEUP_HISTORY_DAYS, there may be millions of threads.
    """

    def __init__(
        self,
        database: Database,
        placer: Placer,
        clock: Callable[[], int],
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] = time.sleep,
    ):
        pace = Pace(monotonic, sleep)
        super().__init__("archiving threads", ARCHIVE_RETRY_SECONDS, database, placer, clock, pace)

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
            return save(connection, states, now)

        return len(self._pace.take_up(lambda: self._database.write(write), self._placer.place))
