"""Repairs the lists in Redis from SQL after losses, missed writes and changes by other programs."""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple

from redis.exceptions import RedisError

from dashboard.db.agenda import Agenda
from dashboard.db.database import Database
from dashboard.db.lists import kept_lists, query_lists
from dashboard.db.placing import revisions, unplaced, unplaced_among
from dashboard.errors import StorageUnavailable
from dashboard.ordering.diff import SLICE_MAX, Diff
from dashboard.ordering.epochs import OtherLineups
from dashboard.ordering.placer import Placer, placements_everywhere
from dashboard.ordering.rebuild import RebuildBusy, Rebuilder
from dashboard.ordering.status import OrderingStatus
from scoring.placing import THREADS_PER_CALL
from scoring.pulse import Pulse, Watch
from scoring.ranking import Ranking, RankingLost
from scoring.reading import State
from scoring.rebuilding import RebuildLost
from scoring.sorts import BUILT_IN_SORTS
from scoring.states import LOST
from scoring.views import VIEWS

#: Longest rest. After it the heads and a few threads are compared even if nothing has changed.
REST_SECONDS = 60.0
#: Longest rest after few changes, and after many.
CHANGED_SECONDS, BUSY_SECONDS = 10.0, 5.0
#: Turns that are remembered, and their average number of changes that counts as many.
TURNS, BUSY_CHANGES = 10, 5
#: Interval in a rest of asking Redis whether any program has written, and whether it was restarted.
WATCH_SECONDS = 10.0


class Mark(NamedTuple):
    """The state of all lists; it differs after each change of a list by our programs."""

    lists: int
    views: tuple[str, ...]
    queries: tuple[str, ...]
    unlisted: str

    def changes_since(self, before: "Mark | None") -> int:
        """Returns about how many changes there were since an earlier mark."""
        if before is None or before == self:
            return int(before is None)
        numbers = zip((*self.views, *self.queries), (*before.views, *before.queries), strict=True)
        return max([1, *(_number(now) - _number(then) for now, then in numbers)])


def _number(text: str) -> int:
    return int(text.rpartition(" ")[2] or 0)


def mark_of(agenda: Agenda | None, pulse: Pulse | None) -> Mark | None:
    """Returns the current mark; None if SQL or Redis is away, a view lost or a list expired."""
    if agenda is None or pulse is None or agenda.has_expired or "" in pulse.views:
        return None
    return Mark(agenda.lists, pulse.views, pulse.queries, pulse.unlisted)


class Rest:
    """Decides by marks whether the reconciler may rest.

    Our programs place threads by revision, so their changes are seldom compared. After another
    program has written, or Redis was away, all threads are compared once. That may take two passes,
    for the pass under way began before it.
    """

    def __init__(self, ranking: Ranking, monotonic: Callable[[], float] = time.monotonic):
        self._ranking = ranking
        self._monotonic = monotonic
        self._mark: Mark | None = None
        self._is_equal = False
        self._list_ids: Collection[str] = ()
        self._began = self._watch_until = 0.0
        self._watch: Watch | None = None
        self._changes: deque[int] = deque(maxlen=TURNS)
        #: All threads are compared until this many passes have ended.
        self._passes = 0

    def goes_on(self, agenda: Agenda | None, pulse: Pulse | None, passes: int) -> bool:
        """Whether nothing is to be compared now; `passes`: the number that have ended."""
        mark, before = mark_of(agenda, pulse), self._mark
        self._mark = mark
        self._changes.append(mark.changes_since(before) if mark is not None else 1)
        if mark is None or not self._is_equal or self.is_comparing(passes):
            return False
        if before is None or mark.lists != before.lists:
            # A list was added or removed, or its order is to be kept: a new one must be built.
            return False
        if mark != before:
            self._end_watch()
        rested = self._monotonic() - self._began
        if rested >= (CHANGED_SECONDS if any(self._changes) else REST_SECONDS):
            return False
        if self.is_busy and rested >= BUSY_SECONDS:
            return False
        return not self._is_touched(passes)

    @property
    def is_busy(self) -> bool:
        """Whether there are many changes."""
        return sum(self._changes) >= BUSY_CHANGES * TURNS

    def is_comparing(self, passes: int) -> bool:
        """Whether all threads are to be compared."""
        return passes < self._passes

    def begin(self, is_equal: bool, list_ids: Collection[str]) -> None:
        """Begins a rest after a tick; `is_equal`: it found no difference and nothing in doubt."""
        self._is_equal, self._list_ids = is_equal, list_ids
        self._began = self._monotonic()

    def compare_all(self, passes: int) -> None:
        """Requires that all threads are compared once from now on."""
        self._passes = passes + 2
        self._end_watch()

    def _is_touched(self, passes: int) -> bool:
        now = self._monotonic()
        if self._watch is not None and now < self._watch_until:
            return False
        try:
            self._ranking.notice_restarts()
            watch = self._ranking.watch(self._list_ids)
        except RedisError:
            return True
        # The old watch ends after the new one has begun, so that no write falls between them.
        is_untouched = self._watch is None or self._watch.end()
        self._watch, self._watch_until = watch, now + WATCH_SECONDS
        if not is_untouched:
            self.compare_all(passes)
        return not is_untouched

    def _end_watch(self) -> None:
        if self._watch is not None:
            self._watch.end()
            self._watch = None


log = logging.getLogger(__name__)

TICK_SECONDS = 1.0
#: Interval of comparing the heads of all lists.
HEADS_SECONDS = 5.0
#: Threads that a tick compares if nothing is in doubt.
REST_SLICE = 100
#: Maximum number of unplaced threads that one tick places.
UNPLACED_MAX = 10_000


class Reconciler:
    """Reconciles the lists with SQL; every worker runs one, and they do not conflict."""

    def __init__(
        self,
        database: Database,
        ranking: Ranking,
        placer: Placer,
        status: OrderingStatus,
        monotonic: Callable[[], float] = time.monotonic,
    ):
        self._database = database
        self._ranking = ranking
        self._placer = placer
        self._rebuilder = Rebuilder(database, ranking, placer, status.clock)
        self._diff = Diff(database, ranking, status.clock, monotonic)
        self._others = OtherLineups(monotonic)
        self._status = status
        self._monotonic = monotonic
        #: Maps list ids to their states at the last tick, without those that were lost.
        self._seen: Mapping[str, State] = {}
        self._unplaced: dict[int, int] = {}
        self._is_corrupt = False
        #: Maps lost lists of queries to the epochs that Redis holds of them.
        self._missing_queries: Mapping[str, str | None] = {}
        self._building: threading.Thread | None = None
        self._heads_due = 0.0
        self._repaired = 0
        self._rest = Rest(ranking, monotonic)
        #: Lists of which Redis has deleted a key, `wake` is called for each; and those of them that
        #: lost the key in truth.
        self._deleted: set[str] = set()
        self._lost_in_part: set[str] = set()
        self.wake: Callable[[], object] = lambda: None
        #: Whether the last turn found that nothing has changed.
        self.is_resting = False
        #: From the last tick: all list ids, and whether it found no difference and nothing in
        #: doubt.
        self._list_ids: Collection[str] = ()
        self._is_clean = False

    @property
    def rebuilds(self) -> int:
        """Lists rebuilt since the start."""
        return self._rebuilder.swapped

    @property
    def repairs(self) -> int:
        """Repaired places of threads, and removed members that were not threads, since the start.

        Only faults and foreign writes make repairs necessary.
        """
        return self._repaired + self._diff.removed

    def note_deleted(self, list_id: str) -> None:
        """Has the next tick look at a list of which Redis has deleted a key. That is ordinary if
        the list became empty, or was swapped in by a rebuild."""
        self._deleted.add(list_id)
        self.wake()

    def turn(self, agenda: Agenda | None, pulse: Pulse | None) -> None:
        """Ticks, in a process that serves, unless nothing has changed since all was equal.

        `agenda`, `pulse`: what was read last; None if SQL or Redis is away.
        """
        rest, diff = self._rest, self._diff
        self.is_resting = rest.goes_on(agenda, pulse, diff.passes) and self._may_rest(agenda)
        if self.is_resting:
            self._status.mark_current()
            return
        compares = rest.is_busy or rest.is_comparing(diff.passes)
        diff.slice_most = SLICE_MAX if compares else REST_SLICE
        self._is_clean = False
        repairs, was_compared = self.repairs, self._status.compared_at is not None
        is_current = self.tick(is_serving=True)
        diff.slice_most = SLICE_MAX
        is_equal = is_current and self._is_clean and not self._is_building()
        rest.begin(is_equal, self._list_ids)
        # Until a tick has succeeded, a failure tells nothing new: lists that differ are rebuilt.
        if self.repairs > repairs or (was_compared and not is_current):
            rest.compare_all(diff.passes)

    def _may_rest(self, agenda: Agenda | None) -> bool:
        """Does what cannot wait for the end of a rest: looks at deleted keys, and places threads
        that nobody else places. Returns whether the lists are known to be right then."""
        try:
            self._look_at_deleted()
            self._placer.save_placed_revisions()
            if agenda is not None and agenda.has_unplaced:
                self._place_unplaced(self._list_ids)
        except (RedisError, RankingLost, StorageUnavailable) as error:
            log.info("threads are placed later: %s", error)
            return False
        return not self._status.late and not self._lost_in_part

    def tick(
        self, progress: Callable[[int], object] = lambda threads: None, *, is_serving: bool = False
    ) -> bool:
        """Does all checks that are due; returns whether the lists are known to equal SQL.

        `progress` gets the number of threads in each slice of a rebuild. If the process
        `is_serving`, missing lists of queries are built with pauses and beside the following ticks.
        Does not raise if Redis or SQL is unreachable.
        """
        try:
            is_current = self._reconcile(progress)
        except (RedisError, RankingLost, RebuildLost) as error:
            log.warning("the lists may be outdated: %s", error)
            is_current = False
        except StorageUnavailable:
            # Without SQL nothing can be compared, and no event can have been stored.
            return not self._status.late
        if is_current:
            self._status.mark_current()
            self._build_queries(progress, is_serving)
        else:
            self._status.mark_late()
        return is_current

    def _reconcile(self, progress: Callable[[int], object]) -> bool:
        self._look_at_deleted()
        self._placer.save_placed_revisions()
        self._remove_expired()
        self._leave_unordered()
        # Read first, so that a list that is added meanwhile is not taken for an orphan.
        in_redis, epochs = self._ranking.held_lists(), self._rebuilder.epochs()
        self._list_ids = list_ids = self._rebuilder.list_ids()
        self._remove_orphans(in_redis, epochs, list_ids)
        if not self._seen:
            self._ranking.expire_undivided()
        self._ranking.notice_restarts()
        states = self._ranking.states(list_ids)
        self._others.look(epochs, states)
        lost = self._lost(list_ids, states) | self._lost_in_part.intersection(states)
        self._lost_in_part = set()
        of_views = lost.intersection(VIEWS)
        self._missing_queries = {id: states[id].epoch for id in lost - of_views}
        if of_views:
            if not self._rebuild_views(of_views, progress):
                return False
            states = self._ranking.states(list_ids)
            self._others.note_rebuilt(states)
        self._remember(states)
        # Their remains in Redis are not compared: they are unordered, or from an earlier epoch.
        states |= dict.fromkeys(self._missing_queries, LOST)
        caught_up = self._place_unplaced(list_ids)
        suspects = self._diff.differing_in_next_slice(states) | self._diff.stale_ids(states)
        if self._monotonic() >= self._heads_due:
            self._heads_due = self._monotonic() + HEADS_SECONDS
            suspects |= self._diff.differing_in_heads()
        self._repair(suspects, list_ids)
        doubts = (suspects, of_views, self._missing_queries, self._is_corrupt)
        self._is_clean = not any(doubts) and not self._diff.has_doubts
        return caught_up

    def _rebuild_views(self, lost: Collection[str], progress: Callable[[int], object]) -> bool:
        """Rebuilds the lists of these views; returns whether no other process is doing so."""
        # At the first tick an empty Redis is ordinary.
        level = logging.WARNING if self._seen else logging.INFO
        log.log(level, "rebuilding the lists of %s", ", ".join(sorted(lost)))
        with self._database.read() as connection:
            # Placed after the rebuild, on lists of queries that Redis has kept.
            self._unplaced = unplaced(connection, UNPLACED_MAX)
        try:
            self._rebuilder.rebuild(lost, progress)
        except RebuildBusy:
            return False
        return True

    def _build_queries(self, progress: Callable[[int], object], is_serving: bool) -> None:
        """Builds lists of queries that are lost, or new and not yet built; done after all else."""
        missing, self._missing_queries = self._missing_queries, {}
        if not missing or self._is_building():
            return
        log.info("building %d lists of queries", len(missing))
        if not is_serving:
            self._build(missing, progress)
            return
        self._building = threading.Thread(target=self._build_beside, args=(missing,), daemon=True)
        self._building.start()

    def _is_building(self) -> bool:
        return self._building is not None and self._building.is_alive()

    def _build_beside(self, missing: Mapping[str, str | None]) -> None:
        try:
            self._build(missing, with_pauses=True)
        except Exception:
            log.exception("building lists of queries failed")

    def _build(
        self,
        missing: Mapping[str, str | None],
        progress: Callable[[int], object] = lambda threads: None,
        *,
        with_pauses: bool = False,
    ) -> None:
        try:
            self._rebuilder.rebuild(missing, progress, seen=missing, with_pauses=with_pauses)
        except (RedisError, RankingLost, RebuildLost, StorageUnavailable) as error:
            log.warning("lists of queries are built later: %s", error)

    def _remove_expired(self) -> None:
        """Removes lists of queries that nobody looks at any more."""
        now = self._status.clock()
        with self._database.read() as connection:
            has_expired = kept_lists.has_expired(connection, now)
        if has_expired:
            self._ranking.remove(
                self._database.write(lambda connection: kept_lists.remove_expired(connection, now))
            )

    def _leave_unordered(self) -> None:
        """Stops keeping order on lists that nobody looks at, if saved views have too many."""
        now = self._status.clock()
        with self._database.read() as connection:
            needed = kept_lists.ids_in(connection, BUILT_IN_SORTS)
            list_ids = kept_lists.unneeded_in_order(connection, needed, now)
        if list_ids:
            self._database.write(
                lambda connection: kept_lists.leave_unordered(connection, list_ids, now)
            )

    def _remove_orphans(
        self, in_redis: Collection[str], epochs: Collection[str], list_ids: Collection[str]
    ) -> None:
        """Removes the remains of lists that no longer exist: a process ended before it had removed
        them, or built a list that was removed meanwhile; or they are the lists for each filter
        that views had in earlier versions."""
        orphans = {*in_redis, *epochs}.difference(list_ids)
        if orphans:
            self._ranking.remove(orphans)
            self._rebuilder.forget_epochs(orphans.intersection(epochs))

    def _lost(self, list_ids: Collection[str], states: Mapping[str, State]) -> set[str]:
        """Returns the list ids that are missing, foreign, too old, wrongly counted or corrupt."""
        ours = self._rebuilder.epochs()
        lost = set(list_ids) if self._is_corrupt else {*self._diff.lengths.miscounted}
        self._is_corrupt, self._diff.lengths.miscounted = False, set()
        for list_id, state in states.items():
            seen = self._seen.get(list_id, LOST)
            is_older = state.epoch == seen.epoch and state.version < seen.version
            if state.epoch is None or state.epoch != ours.get(list_id) or is_older:
                lost.add(list_id)
        return lost

    def _look_at_deleted(self) -> None:
        """Finds the lists that lost a key: their sorts differ in length, or they lost more threads
        since the last tick than their calls can have moved. The other deleted keys are ordinary."""
        deleted, self._deleted = self._deleted, set()
        known = self._seen.keys() & deleted
        for list_id, now in self._ranking.states(known).items() if known else ():
            before = self._seen[list_id]
            # Each call raises the version by one.
            most = THREADS_PER_CALL * (now.version - before.version)
            if now.epoch == before.epoch and (now.uneven or before.total - now.total > most):
                self._lost_in_part.add(list_id)
        if self._lost_in_part:
            with self._database.read() as connection:
                # Their versions do not rise.
                self._lost_in_part -= query_lists.current(connection).unordered

    def _remember(self, states: Mapping[str, State]) -> None:
        self._seen = {list_id: state for list_id, state in states.items() if state.epoch}

    def _place_unplaced(self, list_ids: Collection[str]) -> bool:
        """Places threads that two successive ticks found unplaced at the same revision; whether
        all are placed now."""
        with self._database.read() as connection:
            threads = unplaced(connection, UNPLACED_MAX)
        stuck = [id for id, placed in threads.items() if self._unplaced.get(id) == placed]
        self._unplaced = threads
        if stuck:
            log.info("placing %d unplaced threads", len(stuck))
            self._place_everywhere(stuck, list_ids)
        return len(stuck) < UNPLACED_MAX

    def _place_everywhere(self, ids: Collection[int], list_ids: Collection[str]) -> int:
        """Places threads on the lists that hold them, and removes them from all others; returns the
        number of changed lists."""
        if not ids:
            return 0
        now = self._status.clock()
        placements = placements_everywhere(self._database, ids, list_ids, now)
        return self._placer.place_now(placements, is_everywhere=True)

    def _repair(self, ids: Collection[int], list_ids: Collection[str]) -> None:
        """Places threads that differ. If Redis refuses because it holds later revisions than SQL,
        the lists are corrupt."""
        if not ids:
            return
        with self._database.read() as connection:
            # Threads on their way from SQL to Redis differ for a moment; nothing is wrong.
            moving = unplaced_among(connection, ids)
        self._place_everywhere(moving, list_ids)
        if repaired := self._place_everywhere(set(ids) - moving, list_ids):
            self._repaired += repaired
            log.warning("repaired %d lists that differed from SQL", repaired)
        # Redis is read first: what is placed was committed, and revisions in SQL never decrease.
        in_redis = self._ranking.held_revisions(list_ids, ids)
        with self._database.read() as connection:
            in_sql = revisions(connection, in_redis)
        if any(in_redis[id] > revision for id, revision in in_sql.items()):
            log.warning("repairing failed: Redis holds later revisions than SQL; lists are rebuilt")
            self._ranking.forget_shared_revisions()
            self._is_corrupt = True
