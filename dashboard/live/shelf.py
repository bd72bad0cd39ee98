"""Rows of lists that were opened just now, encoded: when everybody comes back at once, SQL is
asked once."""

from collections import OrderedDict
from dataclasses import dataclass, field

from redis.exceptions import RedisError

from dashboard.live.packets import encode
from dashboard.live.reads import Reads
from scoring.ranking import Ranking
from scoring.reading import Head
from scoring.sorts import SORTS

TAGS_MAX = 32
ROWS_MAX = 2_000
#: Beyond so many changed threads all is read anew.
CHANGES_MAX = 1_000
_ANY_SORT = next(iter(SORTS))


@dataclass
class _Kept:
    """Rows as they were at a version of their tag, or later."""

    epoch: str
    version: int
    rows: dict[int, str] = field(default_factory=dict)


class Shelf:
    """Keeps rows of a tag as long as its log does not say that they changed."""

    def __init__(self, ranking: Ranking, reads: Reads):
        self._ranking = ranking
        self._reads = reads
        self._kept: OrderedDict[str, _Kept] = OrderedDict()

    def rows(self, tag: str, head: Head) -> list[str]:
        """The rows of a list's head, in its order. Raises StorageUnavailable."""
        ids = [entry.id for entry in head.entries]
        kept = self._up_to_date(tag, head)
        version = kept.version
        missing = [id for id in ids if id not in kept.rows]
        read = {id: encode(row) for id, row in self._reads.rows(missing).items()}
        found = kept.rows | read
        if kept.version == version and len(found) <= ROWS_MAX:
            kept.rows = found
        elif kept.version == version:
            kept.rows = read
        return [found[id] for id in ids if id in found]

    def _up_to_date(self, tag: str, head: Head) -> _Kept:
        kept = self._kept.pop(tag, None)
        if kept is None or not self._is_brought_to(kept, tag, head):
            kept = _Kept(head.epoch, head.version)
        self._kept[tag] = kept
        while len(self._kept) > TAGS_MAX:
            self._kept.popitem(last=False)
        return kept

    def _is_brought_to(self, kept: _Kept, tag: str, head: Head) -> bool:
        """Takes off the shelf what changed up to the head's version; False where unknown."""
        if kept.epoch != head.epoch:
            return False
        if kept.version >= head.version:
            return True
        try:
            changes = self._ranking.since(tag, [_ANY_SORT], kept.epoch, kept.version, CHANGES_MAX)
        except RedisError:
            return False
        if changes is None:
            return False
        changed = {entry.id for entry in changes.sets[_ANY_SORT]} | set(changes.gone)
        kept.rows = {id: row for id, row in kept.rows.items() if id not in changed}
        kept.version = max(kept.version, changes.version)
        return True
