"""Places threads in Redis; what fails is left to the reconciler."""

import logging
import time
from collections.abc import Callable, Collection, Mapping, Sequence

from redis.exceptions import RedisError

from dashboard.db.database import Database
from dashboard.errors import StorageUnavailable
from dashboard.ordering.everywhere import every_list_id, placements_everywhere
from dashboard.ordering.placed_revisions import PlacedRevisions
from dashboard.ordering.status import OrderingStatus
from scoring.placing import PlacedLate, Placement
from scoring.ranking import Ranking, RankingLost

log = logging.getLogger(__name__)

#: Circuit breaker: after a failure `place` skips Redis for this long, so that callers do not wait.
BREAK_SECONDS = 1.0
SAVE_SECONDS = 1.0
#: Tries to place a thread on every list while it goes on to change.
EVERYWHERE_TRIES = 3


class Placer:
    """Places threads in Redis after their commit, in one round trip.

    `may_place`: whether `place` does it now; it may raise RedisError and StorageUnavailable.
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

    def place(self, placements: Sequence[Placement]) -> None:
        """Places the threads, or leaves them to the reconciler without Redis; never raises."""
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

        `is_everywhere`: the placements name every list. Raises RedisError, RankingLost and, where
        a later revision was placed first, StorageUnavailable.
        """
        try:
            changed = self._ranking.place(placements)
        except PlacedLate as late:
            changed = late.changed + self._place_everywhere(late.thread_ids)
        revisions = [(each.thread_id, each.revision) for each in placements]
        if is_everywhere:
            self.mark_placed_everywhere(dict(revisions))
        else:
            self._placed.add(revisions)
        return changed

    def _place_everywhere(self, ids: Collection[int]) -> int:
        """Placements that came late were refused: what they would have removed is removed now."""
        changed = 0
        for _ in range(EVERYWHERE_TRIES):
            with self._database.read() as connection:
                list_ids = every_list_id(connection)
            now = self._status.clock()
            try:
                found = placements_everywhere(self._database, ids, list_ids, now)
                return changed + self._ranking.place(found)
            except PlacedLate as late:
                # They have changed once more in between.
                changed, ids = changed + late.changed, late.thread_ids
        return changed

    def mark_placed_everywhere(self, revisions: Mapping[int, int]) -> None:
        """Marks revisions (by thread id) as known to be in Redis, whatever became of earlier ones;
        written by the next save."""
        self._placed.add_everywhere(revisions)

    def save_placed_revisions_if_due(self) -> None:
        """`save_placed_revisions` at most once a second, for bulk loads without a reconciler."""
        if self._monotonic() - self._saved_at >= SAVE_SECONDS:
            self.save_placed_revisions()

    def save_placed_revisions(self) -> int:
        """Writes `placed_revision` of what was placed since the last call; returns the number.

        Raises StorageUnavailable; then the next call writes it.
        """
        self._saved_at = self._monotonic()
        return self._placed.save(self._database)
