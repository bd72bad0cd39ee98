"""Background work of reports: counting what happened in threads, and the times of admins."""

import logging
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial

from redis.exceptions import RedisError
from sqlalchemy import Connection

from dashboard.db import policies
from dashboard.db.database import Database
from dashboard.db.lists import versions
from dashboard.db.policies import PastPolicies
from dashboard.db.reports import facts, hours, progress
from dashboard.db.reports.progress import Progress
from dashboard.errors import StorageUnavailable
from dashboard.ordering.pace import Pace
from dashboard.tasks import PeriodicTask, RunsTask

#: Interval of counting: a report is at most three of these behind.
COUNT_SECONDS = 15.0
#: Threads that are read at once when all are counted for the first time.
SWEPT_AT_ONCE = 1_000


class FactKeeper(RunsTask):
    """Counts what happened in the threads that have changed. Every process runs one; one of them
    counts at a time. `clock` gives milliseconds.

    SQL says what is left to do, so nothing is lost if a process ends. An event costs nothing more.
    """

    def __init__(
        self,
        database: Database,
        clock: Callable[[], int],
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] = time.sleep,
    ):
        self._database = database
        self._clock = clock
        self._pace = Pace(monotonic, sleep)
        self._past = PastPolicies()
        #: The version of policies by which threads that wait are counted as missed.
        self._policies = -1
        self._task = PeriodicTask(
            "counting for reports",
            self.turn,
            interval_seconds=COUNT_SECONDS,
            expected=(StorageUnavailable,),
        )

    def turn(self) -> int:
        """Counts all that has changed, unless another process does; returns the number of threads.
        Raises StorageUnavailable."""
        now, pause_ms = self._clock(), round(COUNT_SECONDS * 500)
        if not self._database.write(lambda connection: progress.claim(connection, now, pause_ms)):
            return 0
        with self._database.read() as connection:
            known = progress.current(connection)
            ids = {*progress.changed(connection, known)}
            version = versions.current(connection).policies
            has_new_policies = version != self._policies
            # Read before the threads: what is recomputed meanwhile is looked for once more.
            are_behind = has_new_policies and bool(policies.behind(connection, version, 1))
            if has_new_policies:
                ids |= {*facts.missed_at_other_times(connection)}
            event_id, act_id = progress.last_ids(connection)
            self._past.refresh(connection)
        count = self._count(sorted(ids))
        count += self._sweep(known)
        if self._task.is_stopped:
            return count
        values = {
            "event_id": known.next_event_id,
            "next_event_id": event_id,
            "act_id": known.next_act_id,
            "next_act_id": act_id,
            "counted_until": now,
        }
        self._database.write(lambda connection: progress.note(connection, **values))
        if not are_behind:
            self._policies = version
        return count

    def _sweep(self, known: Progress) -> int:
        """Counts all threads once, after an upgrade; goes on where it ended."""
        count, after = 0, known.swept_id
        while after is not None and not self._task.is_stopped:
            with self._database.read() as connection:
                ids = progress.unswept(connection, after, SWEPT_AT_ONCE)
            count += self._count(ids)
            if self._task.is_stopped:
                break
            before, after = after, ids[-1] if ids else None
            noted = partial(progress.note_swept, before=before, after=after)
            if not self._database.write(noted):
                break
        return count

    def _count(self, ids: Sequence[int]) -> int:
        count, left = 0, list(ids)
        while left and not self._task.is_stopped:
            some, left = left[: self._pace.size], left[self._pace.size :]
            count += self._pace.take_up(partial(self._write, some), lambda _: None)
        return count

    def _write(self, ids: Sequence[int]) -> int:
        """Reads before it writes: events wait for the writing alone."""
        now = self._clock()
        with self._database.read() as connection:
            found = facts.differences(connection, ids, self._past, now)
        if not found.revisions:
            return 0

        def write(connection: Connection) -> int:
            progress.claim_on(connection, now)
            return facts.write(connection, found)

        return self._database.write(write, is_idempotent=True)


#: Interval of looking at what admins are.
WATCH_SECONDS = 5.0


class AdminWatch(RunsTask):
    """Keeps the times in which admins are online, away, accepting threads and at capacity, as
    colleagues see it. Every process runs one; one of them looks at a time.

    `statuses(ids)` maps admins to the status that colleagues see. It raises RedisError.
    """

    def __init__(
        self,
        database: Database,
        statuses: Callable[[Collection[int]], Mapping[int, str]],
        clock: Callable[[], int],
    ):
        self._database = database
        self._statuses = statuses
        self._clock = clock
        self._task = PeriodicTask(
            "watching admins",
            self.turn,
            interval_seconds=WATCH_SECONDS,
            expected=(RedisError, StorageUnavailable),
            expected_level=logging.DEBUG,
        )

    def turn(self) -> int:
        """Writes what has changed; returns the number of changes. Raises RedisError and
        StorageUnavailable."""
        with self._database.read() as connection:
            ids = hours.admin_ids(connection)
        statuses, now = self._statuses(ids), self._clock()
        with self._database.read() as connection:
            if not hours.is_to_watch(connection, statuses, now):
                return 0
        return self._database.write(
            lambda connection: hours.watch(connection, statuses, now), is_idempotent=True
        )
