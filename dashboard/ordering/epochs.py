"""The epochs of lists that SQL knows, and whether Redis holds lists of these epochs."""

import logging
import time
from collections.abc import Callable, Collection, Mapping

from sqlalchemy import select

from dashboard.db.database import Database
from dashboard.db.models.threads import epochs
from scoring.ranking import Ranking
from scoring.reading import State
from scoring.views import VIEWS

log = logging.getLogger(__name__)

#: How long an answer of `OwnLists` is cached. An import, which asks it, may take hours.
CHECK_SECONDS = 1.0
#: Another Lineup is logged after this many of its rebuilds within this time, once a minute at most.
#: A single one may be a restored backup. The time is long: reconcilers rest if nothing changes.
REBUILDS_OF_OTHERS = 2
REBUILDS_SECONDS = 300.0
LOG_SECONDS = 60.0


def known_epochs(database: Database, list_ids: Collection[str] | None = None) -> dict[str, str]:
    """Maps list ids to the epochs that their last rebuilds wrote to Redis; None: all list ids."""
    statement = select(epochs)
    if list_ids is not None:
        statement = statement.where(epochs.c.list_id.in_(list_ids))
    with database.read() as connection:
        return {row.list_id: row.epoch for row in connection.execute(statement)}


class OwnLists:
    """Says whether the lists of views in Redis were built from this database.

    They were not if they belong to another database, or to this one before a backup was restored.
    Thread ids are small numbers: a thread of one database, placed on the lists of another, would
    be taken for a thread there. `on_missing` is called the first time that Redis does not hold
    own lists.
    """

    def __init__(
        self,
        database: Database,
        ranking: Ranking,
        on_missing: Callable[[], object],
        monotonic: Callable[[], float] = time.monotonic,
    ):
        self._database = database
        self._ranking = ranking
        self._on_missing = on_missing
        self._monotonic = monotonic
        self._checked_at = float("-inf")
        self._are_own = False
        self._is_announced = False

    def are_in_redis(self) -> bool:
        """Whether Redis holds own lists, as of the last second. Raises RedisError and
        StorageUnavailable."""
        if self._monotonic() - self._checked_at >= CHECK_SECONDS:
            self._are_own = self._compare()
            self._checked_at = self._monotonic()
            if not self._are_own and not self._is_announced:
                self._is_announced = True
                self._on_missing()
        return self._are_own

    def _compare(self) -> bool:
        states = self._ranking.states(VIEWS)
        in_sql = known_epochs(self._database, VIEWS)
        return all(
            state.epoch is not None and state.epoch == in_sql.get(view)
            for view, state in states.items()
        )


class OtherLineups:
    """Notices a Lineup that serves the same database with another Redis or another key prefix.

    Whenever one of the two rebuilds, the other takes its own lists for lost and rebuilds them, and
    neither sees what the other places. A view's epoch is written to Redis first and then to SQL: so
    one in SQL that Redis never had is that of another Redis.
    """

    def __init__(self, monotonic: Callable[[], float]):
        self._monotonic = monotonic
        #: Maps views to epochs that both SQL and Redis had.
        self._own: dict[str, str | None] = {}
        self._rebuilds: list[float] = []
        self._logged_at = float("-inf")

    def note_rebuilt(self, states: Mapping[str, State]) -> None:
        """Notes the epochs of the views, which this process has just rebuilt."""
        self._own |= {view: states[view].epoch for view in VIEWS}

    def look(self, known: Mapping[str, str], states: Mapping[str, State]) -> None:
        """Logs an error if another Lineup keeps replacing the epochs in SQL. `known`: the epochs in
        SQL, read before the `states` in Redis."""
        in_redis = {view: states[view].epoch for view in VIEWS}
        views = [view for view in VIEWS if in_redis[view] and self._own.get(view) == in_redis[view]]
        if any(known.get(view) != in_redis[view] for view in views):
            self._note_rebuild()
        self._own = {view: in_redis[view] for view in VIEWS if in_redis[view] == known.get(view)}

    def _note_rebuild(self) -> None:
        now = self._monotonic()
        self._rebuilds = [at for at in self._rebuilds if at > now - REBUILDS_SECONDS] + [now]
        is_due = now - self._logged_at >= LOG_SECONDS
        if len(self._rebuilds) >= REBUILDS_OF_OTHERS and is_due:
            self._logged_at = now
            log.error(
                "another Lineup serves this database with another LINEUP_KEY_PREFIX or "
                "LINEUP_REDIS_URL: both rebuild all lists again and again. Stop one of the two, "
                "or give both the same settings."
            )
