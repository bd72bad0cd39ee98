"""Places threads in Redis; what fails is left to the reconciler."""

import logging
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from redis.exceptions import RedisError
from sqlalchemy import Connection

from dashboard.db import placing
from dashboard.db.database import Database
from dashboard.db.lists import query_lists
from dashboard.errors import StorageUnavailable
from dashboard.ordering.status import OrderingStatus
from scoring.placing import GONE, PlacedLate, Placement
from scoring.ranking import Ranking, RankingLost
from scoring.views import VIEWS


def every_list_id(connection: Connection) -> list[str]:
    """Every list id: the views, and the lists of queries."""
    return [*VIEWS, *query_lists.current(connection).lists]


def placements_everywhere(
    database: Database, ids: Collection[int], list_ids: Collection[str], now_ms: int
) -> list[Placement]:
    """Returns placements of these threads that also remove each from all other lists of `list_ids`.

    An id without a thread is removed from all of them for good: ids are never used again.
    """
    with database.read() as connection:
        placements = placing.of(connection, ids, now_ms)
    off = dict.fromkeys(list_ids)
    unknown = set(ids) - {placement.thread_id for placement in placements}
    return [placement._replace(lists={**off, **placement.lists}) for placement in placements] + [
        Placement(id, GONE, off) for id in sorted(unknown)
    ]


#: Maximum number of remembered revisions of a thread if an earlier one is not known to be placed.
AHEAD_MAX = 200
#: Revisions that are saved at once.
SLICE = 2_000


class PlacedRevisions:
    """Revisions of threads that are in Redis, and not yet in `threads.placed_revision`.

    That column advances one revision at a time: each revision names the lists that the thread
    leaves, so a revision that was never placed must be noticed. A later one waits until the process
    that placed the earlier one has saved it. If that process has died, the thread stays unplaced
    until the reconciler places it on every list.
    """

    def __init__(self) -> None:
        self._placed: defaultdict[int, set[int]] = defaultdict(set)
        self._everywhere: dict[int, int] = {}

    def add(self, revisions: Iterable[tuple[int, int]]) -> None:
        """Notes (thread id, revision) of threads that were placed on the lists they name."""
        for id, revision in revisions:
            self._placed[id].add(revision)

    def add_everywhere(self, revisions: Mapping[int, int]) -> None:
        """Notes revisions (by thread id) that were placed on every list, whatever became of earlier
        ones."""
        for id, revision in revisions.items():
            self._everywhere[id] = max(self._everywhere.get(id, 0), revision)

    def save(self, database: Database) -> int:
        """Writes what was noted; returns the number of threads.

        Raises StorageUnavailable; then the next call writes it.
        """
        noted, self._placed = self._placed, defaultdict(set)
        everywhere, self._everywhere = self._everywhere, {}
        ids = sorted(noted.keys() | everywhere.keys())
        count = 0
        try:
            for first in range(0, len(ids), SLICE):
                count += self._save(database, ids[first : first + SLICE], noted, everywhere)
        finally:
            # Also revisions that could not be written: noting one twice changes nothing.
            self.add_everywhere(everywhere)
            for id, revisions in noted.items():
                self._placed[id] |= revisions
        return count

    def _save(
        self,
        database: Database,
        ids: Sequence[int],
        noted: dict[int, set[int]],
        everywhere: dict[int, int],
    ) -> int:
        """Saves the revisions of some threads; leaves in `noted` those that have to wait."""
        with database.read() as connection:
            saved = placing.placed_revisions(connection, ids)
        last = {
            id: _last_in_turn(max(revision, everywhere.get(id, 0)), noted.get(id, ()))
            for id, revision in saved.items()
        }
        changed = {id: revision for id, revision in last.items() if revision > saved[id]}
        if changed:
            database.write(lambda connection: placing.save_placed(connection, changed))
        for id in ids:
            everywhere.pop(id, None)
            # A thread that is not in SQL was deleted.
            bound = last.get(id)
            ahead = {number for number in noted.pop(id, ()) if bound is not None and number > bound}
            if ahead and len(ahead) <= AHEAD_MAX:
                noted[id] = ahead
        return len(changed)


def _last_in_turn(revision: int, placed: Iterable[int]) -> int:
    """Returns the last revision up to which all are placed, given that all up to `revision` are."""
    for number in sorted(placed):
        if number == revision + 1:
            revision = number
    return revision


log = logging.getLogger(__name__)

#: Circuit breaker: after a failure `place` skips Redis for this long, so that callers do not wait.
BREAK_SECONDS = 1.0
SAVE_SECONDS = 1.0
#: Attempts to place a thread on every list while it keeps changing.
EVERYWHERE_TRIES = 3


class Placer:
    """Places threads in Redis after their commit, in one round trip.

    `may_place`: whether `place` may write now; it may raise RedisError and StorageUnavailable.
    """

    def __init__(
        self,
        ranking: Ranking,
        database: Database,
        status: OrderingStatus,
        monotonic: Callable[[], float] = time.monotonic,
        may_place: Callable[[], bool] = lambda: True,
    ):
        self._ranking = ranking
        self._status = status
        self._database = database
        self._monotonic = monotonic
        self._may_place = may_place
        self._placed = PlacedRevisions()
        self._saved_at = float("-inf")
        self._retry_at = float("-inf")
        #: Called after a change that may let a queue hand out a thread.
        self.on_freed: Callable[[], object] = lambda: None

    def place(self, placements: Sequence[Placement]) -> None:
        """Places the threads; if that fails, leaves them to the reconciler. Never raises."""
        if any(placement.frees for placement in placements):
            self.on_freed()
        if not placements or self._monotonic() < self._retry_at:
            return
        try:
            if self._may_place():
                self.place_now(placements)
        except (RedisError, RankingLost, StorageUnavailable) as error:
            log.warning("threads are left to the reconciler: %s", error)
            self._retry_at = self._monotonic() + BREAK_SECONDS
            self._status.mark_late()

    def place_now(self, placements: Sequence[Placement], *, is_everywhere: bool = False) -> int:
        """Places the threads; returns the number of changed lists.

        `is_everywhere`: the placements name every list. Raises RedisError, RankingLost and, if a
        later revision was placed first, StorageUnavailable.
        """
        try:
            changed = self._ranking.place(placements)
        except PlacedLate as late:
            changed = late.changed + self._place_everywhere(late.thread_ids)
        revisions = [(placement.thread_id, placement.revision) for placement in placements]
        if is_everywhere:
            self.mark_placed_everywhere(dict(revisions))
        else:
            self._placed.add(revisions)
        return changed

    def _place_everywhere(self, ids: Collection[int]) -> int:
        """Places threads on every list after late placements, with their removals, were refused."""
        changed = 0
        for _ in range(EVERYWHERE_TRIES):
            with self._database.read() as connection:
                list_ids = every_list_id(connection)
            now = self._status.clock()
            try:
                placements = placements_everywhere(self._database, ids, list_ids, now)
                return changed + self._ranking.place(placements)
            except PlacedLate as late:
                # They have changed once more in between.
                changed, ids = changed + late.changed, late.thread_ids
        return changed

    def mark_placed_everywhere(self, revisions: Mapping[int, int]) -> None:
        """Marks revisions (by thread id) as known to be in Redis, whatever became of earlier ones;
        written by the next save."""
        self._placed.add_everywhere(revisions)

    def save_placed_revisions_if_due(self) -> None:
        """Calls `save_placed_revisions`, once a second at most: bulk loads have no reconciler."""
        if self._monotonic() - self._saved_at >= SAVE_SECONDS:
            self.save_placed_revisions()

    def save_placed_revisions(self) -> int:
        """Writes `placed_revision` of what was placed since the last call; returns the number.

        Raises StorageUnavailable; then the next call writes it.
        """
        self._saved_at = self._monotonic()
        return self._placed.save(self._database)
