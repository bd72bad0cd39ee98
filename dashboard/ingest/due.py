"""Background work that time or settings cause: due threads, recomputed due times, archiving, and
places in line that chatbots are told."""

import time
from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import partial

from sqlalchemy import Connection

from dashboard.db import policies
from dashboard.db.archive import behind
from dashboard.db.database import Database
from dashboard.db.history import states as history
from dashboard.db.lists import versions
from dashboard.db.outbox import outgoing
from dashboard.db.queues import definitions, news, standing
from dashboard.db.queues.news import Watch
from dashboard.db.queues.standing import NO_PLACE
from dashboard.db.threads import thread_states, threads
from dashboard.errors import StorageUnavailable
from dashboard.event_types import POSITION
from dashboard.ingest.handing_out import return_untaken
from dashboard.ingest.saving import save
from dashboard.ingest.snoozing import take_effect
from dashboard.ordering.pace import SLICE_MIN, Pace
from dashboard.ordering.placer import Placer
from dashboard.tasks import Backoff, PeriodicTask, RunsTask
from dashboard.validation.strict_json import JsonObject
from scoring.placing import Placement
from scoring.views import closed_before

#: Interval of asking what is to be done; `AgendaReader` wakes a task that has something to do.
POLL_SECONDS = 15.0
#: Pauses after SQL was away: for due threads, for recomputing, and for archiving.
RETRY_SECONDS, RECOMPUTE_RETRY_SECONDS, ARCHIVE_RETRY_SECONDS = 0.25, 1.0, 0.5
#: Due threads that are read at once and taken up in slices, each a transaction; then others follow.
TOGETHER_MAX = 5_000
#: Time that a slice should take: an event waits for two slices at most.
SLICE_SECONDS = 0.04
#: Longest pause between two slices, even on a busy machine: people wait for due threads.
PAUSE_MAX_SECONDS = 0.04


class _Paced(RunsTask):
    """Takes up threads in slices, at a pace. Every process runs one; row locks keep them apart.

    SQL says what is left to do, so nothing is lost if a process ends. `clock` gives milliseconds.
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
        """Takes up all threads; returns their number. Raises StorageUnavailable."""


class DueQueue(_Paced):
    """Takes up threads that time changes, once for each change.

    Threads that fell due while no process ran are taken up at the start. Threads that stand highest
    in any sort come first, so that the first screen of each list is right soon; other work runs in
    between.
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
        super().__init__("taking up due threads", RETRY_SECONDS, database, placer, clock, pace)

    def turn(self) -> int:
        """Takes up all due threads; returns their number. Raises StorageUnavailable."""
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
        """Takes up threads in order, or in random slices if another process takes up the same."""
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
            if threads.has_untaken(connection, ids, now):
                definitions.lock(connection)
            states = thread_states.locked_by_id(connection, ids)
            # Another process may have taken it up while this one waited for the lock.
            due = [state for state in states if state.is_due(now)]
            return_untaken(connection, due, now)
            take_effect(connection, due, now)
            return save(connection, due, now)

        return self._database.write(write)


class Recompute(_Paced):
    """Recomputes the due times of waiting threads that follow older policies."""

    def __init__(
        self,
        database: Database,
        placer: Placer,
        clock: Callable[[], int],
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] = time.sleep,
    ):
        name, pace = "recomputing due times", Pace(monotonic, sleep)
        super().__init__(name, RECOMPUTE_RETRY_SECONDS, database, placer, clock, pace)
        #: The version of policies that all threads follow: none goes back to an older version.
        self.done = 0

    def turn(self) -> int:
        """Recomputes all threads that follow older policies; returns their number.

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
    """Archives threads that were closed long ago, and brings threads back from the archive.

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
        """Archives or brings back all threads that must be; returns their number.

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


#: Interval of looking for states of the past to remove, and the number that one transaction
#: removes: an event waits for one of them.
REMOVING_SECONDS = 60.0
REMOVED_AT_ONCE = 500


class HistoryCleaner(RunsTask):
    """Removes the states of threads that ended more than LINEUP_HISTORY_DAYS ago."""

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
        self._task = PeriodicTask(
            "removing old states",
            self.turn,
            interval_seconds=REMOVING_SECONDS,
            expected=(StorageUnavailable,),
        )

    def turn(self) -> int:
        """Removes all that are old; returns their number. Raises StorageUnavailable."""
        count = 0
        while not self._task.is_stopped:
            removed = self._pace.take_up(lambda: self._database.write(self._remove), lambda _: None)
            count += removed
            if removed < REMOVED_AT_ONCE:
                break
        return count

    def _remove(self, connection: Connection) -> int:
        days = versions.current(connection).history_days
        return history.remove_before(
            connection, closed_before(days, self._clock()), REMOVED_AT_ONCE
        )


#: A chatbot is told of a thread's place at most once in this time.
TOLD_MS = 15_000
#: Interval of looking at places, and the same while nobody wants to know one.
PLACES_SECONDS, PLACES_REST_SECONDS = 3.0, 15.0
#: Threads of which one transaction tells, and the pause after it, in which others run.
TOLD_AT_ONCE, TOLD_PAUSE_SECONDS = 100, 0.02


class PlaceNews(RunsTask):
    """Writes `thread.position` into the outbox for threads with chatbots that asked for it.

    Every process runs one; the lock of a thread keeps them apart. `on_told` starts deliveries.
    """

    def __init__(
        self,
        database: Database,
        clock: Callable[[], int],
        on_told: Callable[[], object],
        sleep: Callable[[float], object] = time.sleep,
    ):
        self._database = database
        self._clock = clock
        self._on_told = on_told
        self._sleep = sleep
        self._has_watches = False
        self._task = PeriodicTask(
            "telling places in line",
            self.turn,
            interval_seconds=lambda: PLACES_SECONDS if self._has_watches else PLACES_REST_SECONDS,
            expected=(StorageUnavailable,),
        )

    def turn(self) -> int:
        """Tells all places that have changed; returns their number. Raises StorageUnavailable."""
        now = self._clock()
        with self._database.read() as connection:
            watches = news.watches(connection)
            self._has_watches = bool(watches)
            if not watches:
                return 0
            ids = [watch.thread_id for watch in watches]
            places = standing.places(connection, ids)
        today = {id: places[id].to_json() if id in places else NO_PLACE for id in ids}
        due = [watch.thread_id for watch in watches if _is_to_tell(watch, today, now)]
        for first in range(0, len(due), TOLD_AT_ONCE):
            some = due[first : first + TOLD_AT_ONCE]
            self._database.write(partial(_tell, ids=some, today=today, now=now))
            self._sleep(TOLD_PAUSE_SECONDS)
        if due:
            self._on_told()
        return len(due)


def _is_to_tell(watch: Watch, today: dict[int, JsonObject], now: int) -> bool:
    if watch.closed:
        return True
    is_news = _without_time(watch.told) != _without_time(today[watch.thread_id])
    return is_news and (watch.told_at is None or now - watch.told_at >= TOLD_MS)


def _without_time(told: JsonObject | None) -> JsonObject | None:
    """Returns a place without the expected time, which alone is no news; None: nothing told, which
    is as good as no place."""
    if told is None or told["queue"] is None:
        return None
    return {name: value for name, value in told.items() if name != "expected_seconds"}


def _tell(
    connection: Connection, ids: Sequence[int], today: dict[int, JsonObject], now: int
) -> None:
    states = {state.id: state for state in thread_states.locked_by_id(connection, ids)}
    # Another process may have told it while this one waited for the lock.
    due = [watch for watch in news.watches(connection, ids) if _is_to_tell(watch, today, now)]
    news.end_watches(connection, [watch.thread_id for watch in due if watch.closed])
    for watch in due:
        if watch.closed:
            continue
        state, place = states[watch.thread_id], today[watch.thread_id]
        data = {"thread_id": state.id, "by": None, **place}
        outgoing.add(connection, state.source_id, state.id, POSITION.name, now, data)
        news.set_told(connection, state.id, place, now)
