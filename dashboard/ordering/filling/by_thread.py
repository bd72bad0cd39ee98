"""Fills lists by reading all threads once for all of them."""

import time
from collections import defaultdict, deque
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial

from dashboard.db.lists.entries import live_between
from dashboard.db.lists.query_lists import QueryLists
from dashboard.db.placing import placements
from dashboard.ordering.filling.filling import Filling, Revisions
from dashboard.ordering.pace import Pace
from scoring.placing import Placement
from scoring.rebuilding import Rebuild

#: Threads read at once, and such slices that are being sent to Redis while the next one is read:
#: it must not run out of work before this process, which does not send meanwhile, has read it.
SLICE = 500
FILLED_AT_ONCE = 4


class FillingByThread(Filling):
    """Reads each thread that is not archived, and asks which of the lists hold it.

    All of it raises RedisError, RebuildLost and StorageUnavailable.
    """

    def fill(self, list_ids: Collection[str], queries: QueryLists) -> Revisions:
        """Fills these lists; `queries` are those of queries among them."""
        revisions: Revisions = {}
        last_id = self._bring_all_forward(queries)
        filling: deque[Future[None]] = deque()
        with ThreadPoolExecutor(FILLED_AT_ONCE) as fillers:
            for slice in self._slices(queries):
                revisions.update((each.thread_id, each.revision) for each in slice)
                filling.append(fillers.submit(_fill_slice, self._rebuild, list_ids, last_id, slice))
                if len(filling) > FILLED_AT_ONCE:
                    filling.popleft().result()
                self._progress(len(slice))
                # Lets other green threads run: a rebuild must not delay the sockets.
                time.sleep(0)
            for each in filling:
                each.result()
        return revisions

    def fill_with_pauses(self, queries: QueryLists) -> Revisions:
        """Fills lists of queries in small slices, each followed by a pause."""
        revisions: Revisions = {}
        last_id = self._bring_all_forward(queries)
        pace, after_id = Pace(), 0
        while slice := pace.take_up(
            partial(self._slice, after_id, pace.size, queries),
            partial(_fill_slice, self._rebuild, queries.lists, last_id),
        ):
            revisions.update((each.thread_id, each.revision) for each in slice)
            after_id = slice[-1].thread_id
            self._progress(len(slice))
        return revisions

    def _bring_all_forward(self, queries: QueryLists) -> int:
        """Of all threads, for those of the lists that were never built; the last thread id."""
        new = self._new(queries.lists.values())
        last_id = self._last_id()
        for after_id, until in self._ranges(last_id) if new else ():
            self._bring_forward(new, live_between(after_id, until))
            time.sleep(0)
        return max(1, last_id)

    def _slices(self, queries: QueryLists) -> Iterator[list[Placement]]:
        """All threads."""
        after_id = 0
        while slice := self._slice(after_id, SLICE, queries):
            yield slice
            after_id = slice[-1].thread_id

    def _slice(self, after_id: int, count: int, lists: QueryLists) -> list[Placement]:
        with self._database.read() as connection:
            return placements.after(connection, after_id, count, self._clock(), lists)


def _fill_slice(
    rebuild: Rebuild, list_ids: Collection[str], last_id: int, slice: Sequence[Placement]
) -> None:
    if not slice:
        return
    rows = defaultdict(list)
    for id, revision, lists, assignee_id, *_ in slice:
        for list_id, scores in lists.items():
            if scores is not None and list_id in list_ids:
                rows[list_id].append((id, revision, scores, assignee_id))
    rebuild.fill_all(rows, min(1.0, slice[-1].thread_id / last_id))
