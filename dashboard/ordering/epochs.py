"""The epochs of lists that SQL knows, and whether Redis holds lists of these epochs."""

import time
from collections.abc import Callable, Collection

from sqlalchemy import select

from dashboard.db.database import Database
from dashboard.db.models.threads import epochs
from scoring.ranking import Ranking
from scoring.views import VIEWS

#: How long an answer of `OwnLists` holds: an import may take hours.
CHECK_SECONDS = 1.0


def known_epochs(database: Database, list_ids: Collection[str] | None = None) -> dict[str, str]:
    """List id to the epoch that the last rebuild wrote to Redis; None: of all lists."""
    statement = select(epochs)
    if list_ids is not None:
        statement = statement.where(epochs.c.list_id.in_(list_ids))
    with database.read() as connection:
        return {row.list_id: row.epoch for row in connection.execute(statement)}


class OwnLists:
    """Says whether the lists of views in Redis were built from this database.

    They were not where they belong to another database, or to an earlier state of this one that
    was restored since. Threads have small numbers as ids, so those of one database placed on the
    lists of another would be taken for threads there. `on_missing` is called the first time that
    Redis does not hold them.
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
        """Whether Redis holds them, as of the last second. Raises RedisError and
        StorageUnavailable."""
        if self._monotonic() - self._checked_at >= CHECK_SECONDS:
            self._are_own = self._compare()
            self._checked_at = self._monotonic()
            if not self._are_own and not self._is_announced:
                self._is_announced = True
                self._on_missing()
        return self._are_own

    def _compare(self) -> bool:
        held = self._ranking.states(VIEWS)
        known = known_epochs(self._database, VIEWS)
        return all(
            state.epoch is not None and state.epoch == known.get(view)
            for view, state in held.items()
        )
