"""The head of the list that the dashboard opens first, sent with the page."""

from typing import Any

from redis.exceptions import RedisError

from dashboard.db.lists.named_lists import ListName
from dashboard.errors import Problem, StorageUnavailable
from dashboard.live import frames
from dashboard.live.reads import Reads
from scoring.ranking import Ranking, RankingLost
from scoring.reading import Head

#: More rows than a tall screen shows; a row is about 700 bytes.
ROWS_MAX = 30


class FirstList:
    """Reads the answer of `list:open` without a socket."""

    def __init__(self, reads: Reads, ranking: Ranking):
        self._reads = reads
        self._ranking = ranking

    def head(self, list: ListName, admin_id: int) -> dict[str, Any] | None:
        """Returns the answer of `list:open` for up to ROWS_MAX rows; None if Redis cannot answer,
        as for a list that exists only while it is open.

        The page shows it at once, and catches up by `list:sync` when its socket is connected.
        """
        try:
            head = self._head(list, admin_id)
        except (RedisError, RankingLost):
            return None
        if head is None:
            return None
        rows = self._reads.rows([entry.id for entry in head.entries], list.desks)
        return {
            **list.to_json(),
            **frames.head(head),
            "rows": frames.rows_of(head.entries, rows),
        }

    def _head(self, list: ListName, admin_id: int) -> Head | None:
        try:
            named = self._reads.named(list, admin_id)
        except StorageUnavailable:
            raise
        except Problem:
            # The page shows the error when it opens the list.
            return None
        head = self._ranking.head(named.list_id, list.sort, ROWS_MAX)
        return head if head.epoch == named.epoch else None
