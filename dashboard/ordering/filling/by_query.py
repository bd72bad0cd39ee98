"""Fills lists each by its own query: other threads are not read."""

import time
from collections.abc import Collection, Sequence

from dashboard.db.conditions.indexed import Candidates
from dashboard.db.lists.entries import among, between, live_among, live_between
from dashboard.db.lists.query_lists import QueryList
from dashboard.ordering.filling.filling import SLICE, Filling, Revisions


class FillingByQuery(Filling):
    """Fills the lists of queries of a rebuild that makes no lists of views.

    All of it raises RedisError, RebuildLost and StorageUnavailable.
    """

    def by_index(self, lists: Collection[QueryList]) -> dict[str, Revisions]:
        """Fills those of the lists for which an index names few threads: list id to what was read.

        That takes milliseconds for each, however many threads there are.
        """
        candidates, filled = Candidates(self._last_id()), dict[str, Revisions]()
        for query_list in lists:
            self._rebuild.hold()
            with self._database.read() as connection:
                ids = candidates.of(connection, query_list.resolved)
            time.sleep(0)
            if ids is not None:
                filled[query_list.id] = self._fill_among(query_list, ids)
                self._progress(len(ids))
        return filled

    def by_ranges(self, lists: Collection[QueryList]) -> Revisions:
        """Fills few lists, for which SQL looks at all threads that are not archived."""
        revisions: Revisions = {}
        new = self._new(lists)
        last_id = self._last_id()
        for after_id, until in self._ranges(last_id):
            for query_list in lists:
                if query_list in new:
                    self._bring_forward([query_list], live_between(after_id, until))
                revisions |= self._fill_between(query_list, (after_id, until), last_id)
            self._progress(until - after_id)
        return revisions

    def _fill_among(self, query_list: QueryList, ids: Sequence[int]) -> Revisions:
        revisions: Revisions = {}
        for first in range(0, len(ids), SLICE):
            some = ids[first : first + SLICE]
            self._bring_forward(self._new([query_list]), live_among(some))
            with self._database.read() as connection:
                rows = among(connection, query_list, self._clock(), some)
            self._rebuild.fill(query_list.id, rows, first / len(ids))
            revisions.update((id, revision) for id, revision, _ in rows)
            time.sleep(0)
        return revisions

    def _fill_between(self, query_list: QueryList, ids: tuple[int, int], last_id: int) -> Revisions:
        """The threads between two ids; many of them are read in slices."""
        revisions: Revisions = {}
        after_id, until = ids
        while after_id < until:
            with self._database.read() as connection, self._stride.timed():
                rows = between(connection, query_list, self._clock(), after_id, until, SLICE)
            after_id = rows[-1][0] if len(rows) == SLICE else until
            self._rebuild.fill(query_list.id, rows, after_id / last_id)
            revisions.update((id, revision) for id, revision, _ in rows)
            time.sleep(0)
        return revisions
