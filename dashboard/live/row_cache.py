"""Encoded rows of lists opened lately: when all dashboards reconnect at once, SQL is read once."""

from collections import OrderedDict
from dataclasses import dataclass, field

from redis.exceptions import RedisError

from dashboard.db.accounts.admin_desks import Desks
from dashboard.live.reads import Reads
from dashboard.transport.packets import encode
from scoring.ranking import Ranking
from scoring.reading import Head
from scoring.sorts import ANY_SORT

#: Lists and rows that are cached; the least recently used list goes first.
LIST_IDS_MAX = 32
ROWS_MAX = 2_000
#: With more changed threads, the cached rows of the list are dropped.
CHANGES_MAX = 1_000


@dataclass
class _CachedRows:
    """Rows as they were at a version of their list id, or later."""

    epoch: str
    version: int
    rows: dict[int, str] = field(default_factory=dict)


class RowCache:
    """Caches rows of a list id until the change log of its lists names their threads."""

    def __init__(self, ranking: Ranking, reads: Reads):
        self._ranking = ranking
        self._reads = reads
        self._cached: OrderedDict[tuple[str, Desks], _CachedRows] = OrderedDict()

    def rows(self, list_id: str, head: Head, desks: Desks = None) -> list[str]:
        """The rows of a list's head, in its order, for whoever sees these desks.

        Raises StorageUnavailable.
        """
        ids = [entry.id for entry in head.entries]
        cached = self._up_to_date(list_id, desks, head)
        version = cached.version
        missing = [id for id in ids if id not in cached.rows]
        read = {id: encode(row) for id, row in self._reads.rows(missing, desks).items()}
        found = cached.rows | read
        if cached.version == version and len(found) <= ROWS_MAX:
            cached.rows = found
        elif cached.version == version:
            cached.rows = read
        return [found[id] for id in ids if id in found]

    def _up_to_date(self, list_id: str, desks: Desks, head: Head) -> _CachedRows:
        cached = self._cached.pop((list_id, desks), None)
        if cached is None or not self._advance(cached, list_id, head):
            cached = _CachedRows(head.epoch, head.version)
        self._cached[list_id, desks] = cached
        while len(self._cached) > LIST_IDS_MAX:
            self._cached.popitem(last=False)
        return cached

    def _advance(self, cached: _CachedRows, list_id: str, head: Head) -> bool:
        """Drops rows that changed up to the head's version; False where that is not known."""
        if cached.epoch != head.epoch:
            return False
        if cached.version >= head.version:
            return True
        try:
            changes = self._ranking.since(
                list_id, [ANY_SORT], cached.epoch, cached.version, CHANGES_MAX
            )
        except RedisError:
            return False
        if changes is None:
            return False
        changed = {entry.id for entry in changes.sets[ANY_SORT]} | set(changes.gone)
        cached.rows = {id: row for id, row in cached.rows.items() if id not in changed}
        cached.version = max(cached.version, changes.version)
        return True
