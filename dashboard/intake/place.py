"""Places threads in Redis; what fails is left to healing."""

import logging
import time
from collections.abc import Callable, Mapping, Sequence

from redis.exceptions import RedisError
from sqlalchemy import bindparam, update

from dashboard.intake.order_state import OrderState
from dashboard.store.database import Database
from dashboard.store.models import threads
from scoring.ranking import Placement, Ranking, RankingLost

log = logging.getLogger(__name__)

#: After a failure nobody tries (and waits for) Redis again before this has passed.
BREAK_SECONDS = 1.0
NOTE_SECONDS = 1.0

_NOTE_PLACED = (
    update(threads)
    .where(threads.c.id == bindparam("thread"), threads.c.placed_revision < bindparam("placed"))
    .values(placed_revision=bindparam("placed"))
)


class Placer:
    """Places threads as soon as they were recorded, in one round trip."""

    def __init__(
        self,
        ranking: Ranking,
        database: Database,
        state: OrderState,
        monotonic: Callable[[], float] = time.monotonic,
    ):
        self._ranking = ranking
        self._database = database
        self._state = state
        self._monotonic = monotonic
        self._placed: dict[int, int] = {}
        self._noted_at = float("-inf")
        self._closed_until = float("-inf")

    def place(self, placements: Sequence[Placement]) -> None:
        """Places the threads, or leaves them to healing where Redis is away; never raises."""
        if not placements or self._monotonic() < self._closed_until:
            return
        try:
            self.place_now(placements)
        except (RedisError, RankingLost) as error:
            log.warning("placing is left to healing: %s", error)
            self._closed_until = self._monotonic() + BREAK_SECONDS
            self._state.mark_late()

    def place_now(self, placements: Sequence[Placement]) -> int:
        """Places the threads; how many lists changed. Raises RedisError and RankingLost."""
        changed = self._ranking.place(placements)
        self.count_as_placed({place.thread_id: place.revision for place in placements})
        return changed

    def count_as_placed(self, revisions: Mapping[int, int]) -> None:
        """Counts these revisions as placed: Redis holds them."""
        for id, revision in revisions.items():
            self._placed[id] = max(self._placed.get(id, 0), revision)

    def note_placed_now_and_then(self) -> None:
        """`note_placed` about once a second, for who places much and has no healer."""
        if self._monotonic() - self._noted_at >= NOTE_SECONDS:
            self.note_placed()

    def note_placed(self) -> int:
        """Writes down in SQL what was placed since the last call; how many threads."""
        self._noted_at = self._monotonic()
        placed, self._placed = self._placed, {}
        if not placed:
            return 0
        rows = [{"thread": id, "placed": revision} for id, revision in sorted(placed.items())]
        try:
            self._database.write(lambda connection: connection.execute(_NOTE_PLACED, rows))
        except Exception:
            # Nothing is lost: what is not noted is placed once more, which changes nothing.
            self._placed = placed | self._placed
            raise
        return len(rows)
