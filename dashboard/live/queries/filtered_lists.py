"""The lists of one list's filters, kept for those who are shown how long they are."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from dashboard.db.lists.listed_queries import ListedQuery
from dashboard.db.lists.named_lists import ListName
from dashboard.errors import Problem, StorageUnavailable
from dashboard.live.reads import Reads
from dashboard.ordering.keeping import TEMPORARY_MAX, ListKeeper

#: Lists that may be kept for totals alone; the rest is for lists that are open.
KEPT_MAX = TEMPORARY_MAX // 2


class Filtered(NamedTuple):
    """Filter to list id, and those of the lists that Redis keeps while somebody looks."""

    ids: Mapping[str, str]
    temporary: Mapping[str, ListedQuery]


class FilteredLists:
    """Finds and keeps them; `build(list_id)` begins to build a list that Redis lacks."""

    def __init__(self, reads: Reads, keeper: ListKeeper, build: Callable[[str], object]):
        self._reads = reads
        self._keeper = keeper
        self._build = build

    def find(self, name: ListName, admin_id: int) -> Filtered | None:
        """None where there is no such list any more. Raises StorageUnavailable."""
        try:
            found = self._reads.by_filter(name, admin_id)
        except StorageUnavailable:
            raise
        except Problem:
            return None
        temporary = {
            named.query_list.id: named.listed
            for named in found.values()
            if not named.is_always_kept
        }
        self._keeper.keep_many(temporary, KEPT_MAX)
        for list_id in temporary:
            if self._keeper.is_kept(list_id):
                self._build(list_id)
        return Filtered({filter: each.query_list.id for filter, each in found.items()}, temporary)
