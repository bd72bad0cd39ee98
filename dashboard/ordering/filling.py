"""Fills new lists from SQL: each with its own query, or many by reading all threads once."""

import time
from collections import defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial

from sqlalchemy import ColumnElement

from dashboard.db import id_ranges, placing
from dashboard.db.conditions import Candidates
from dashboard.db.database import Database
from dashboard.db.lists.entries import (
    among,
    between,
    bring_forward,
    changes_ahead,
    live_among,
    live_between,
)
from dashboard.db.lists.query_lists import QueryList, QueryLists
from dashboard.db.threads import threads as stored_threads
from dashboard.ordering.pace import Pace
from scoring.placing import Placement
from scoring.rebuilding import Rebuild

#: Threads read and sent at once: few enough to serve sockets in between.
SLICE = 2_000

#: Called with the number of threads that were read.
Progress = Callable[[int], object]
#: Maps thread ids to the revisions that were read.
Revisions = dict[int, int]


class Filling:
    """Fills the lists of a rebuild. `clock` gives milliseconds. `never_built`: lists that the
    `next_change_at` of threads in SQL does not take into account yet."""

    def __init__(
        self,
        database: Database,
        clock: Callable[[], int],
        rebuild: Rebuild,
        progress: Progress,
        never_built: Collection[str],
    ):
        self._database = database
        self._clock = clock
        self._rebuild = rebuild
        self._progress = progress
        self._never_built = never_built
        self._stride = id_ranges.stride()

    def _last_id(self) -> int:
        """Returns the last thread id; newer threads are placed and logged by their first write."""
        with self._database.read() as connection:
            return stored_threads.last_id(connection)

    def _ranges(self, last_id: int) -> Iterator[tuple[int, int]]:
        """Yields ranges of ids, as (after, up to), and skips archived threads between them. Read a
        range within `self._stride.timed()`: the size of the next one depends on the time."""
        until = 0
        while until < last_id:
            with self._database.read() as connection:
                first = stored_threads.first_live_id(connection, until)
            if first is None:
                return
            after_id, until = first - 1, min(first - 1 + self._stride.size, last_id)
            yield after_id, until
            self._stride.adapt()

    def _new(self, lists: Iterable[QueryList]) -> list[QueryList]:
        return [query_list for query_list in lists if query_list.id in self._never_built]

    def _bring_forward(self, new: Collection[QueryList], some: ColumnElement[bool]) -> None:
        """Brings forward the next change of some threads where these new lists require it: a write
        of a thread considers only the lists that exist at that time."""
        if not new:
            return
        self._rebuild.hold()
        with self._database.read() as connection, self._stride.timed():
            changes = changes_ahead(connection, new, self._clock(), some)
        for first in range(0, len(changes), SLICE):
            part = changes[first : first + SLICE]
            self._database.write(partial(bring_forward, changes=part), is_idempotent=True)
            time.sleep(0)


class FillingByQuery(Filling):
    """Fills the lists of queries of a rebuild that makes no lists of views.

    All methods raise RedisError, RebuildLost and StorageUnavailable.
    """

    def by_index(self, lists: Collection[QueryList]) -> dict[str, Revisions]:
        """Fills each list for which an index finds few threads; returns the revisions read by list
        id. Each list takes milliseconds, however many threads there are."""
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
        """Fills a few lists; for each SQL looks at all threads that are not archived."""
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
            revisions.update((id, revision) for id, revision, *_ in rows)
            time.sleep(0)
        return revisions

    def _fill_between(self, query_list: QueryList, ids: tuple[int, int], last_id: int) -> Revisions:
        """Fills a list with its threads between two ids, in slices."""
        revisions: Revisions = {}
        after_id, until = ids
        while after_id < until:
            with self._database.read() as connection, self._stride.timed():
                rows = between(connection, query_list, self._clock(), after_id, until, SLICE)
            after_id = rows[-1][0] if len(rows) == SLICE else until
            self._rebuild.fill(query_list.id, rows, after_id / last_id)
            revisions.update((id, revision) for id, revision, *_ in rows)
            time.sleep(0)
        return revisions


#: Threads in a slice, and slices that may be on their way to Redis while the next one is read: so
#: Redis has work to do while this process reads and sends nothing.
THREADS_AT_ONCE = 500
FILLED_AT_ONCE = 4


class FillingByThread(Filling):
    """Reads each thread that is not archived, and finds the lists that hold it.

    All methods raise RedisError, RebuildLost and StorageUnavailable.
    """

    def fill(self, list_ids: Collection[str], queries: QueryLists) -> Revisions:
        """Fills these lists; `queries`: the lists of queries among them."""
        revisions: Revisions = {}
        last_id = self._bring_all_forward(queries)
        filling: deque[Future[None]] = deque()
        with ThreadPoolExecutor(FILLED_AT_ONCE) as fillers:
            for slice in self._slices(queries):
                revisions.update((placement.thread_id, placement.revision) for placement in slice)
                filling.append(fillers.submit(_fill_slice, self._rebuild, list_ids, last_id, slice))
                if len(filling) > FILLED_AT_ONCE:
                    filling.popleft().result()
                self._progress(len(slice))
                # Lets other green threads run: a rebuild must not delay the sockets.
                time.sleep(0)
            for future in filling:
                future.result()
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
            revisions.update((placement.thread_id, placement.revision) for placement in slice)
            after_id = slice[-1].thread_id
            self._progress(len(slice))
        return revisions

    def _bring_all_forward(self, queries: QueryLists) -> int:
        """Brings changes forward for lists never built; returns the last thread id, at least 1."""
        new = self._new(queries.lists.values())
        last_id = self._last_id()
        for after_id, until in self._ranges(last_id) if new else ():
            self._bring_forward(new, live_between(after_id, until))
            time.sleep(0)
        return max(1, last_id)

    def _slices(self, queries: QueryLists) -> Iterator[list[Placement]]:
        """Yields all threads in slices."""
        after_id = 0
        while slice := self._slice(after_id, THREADS_AT_ONCE, queries):
            yield slice
            after_id = slice[-1].thread_id

    def _slice(self, after_id: int, count: int, lists: QueryLists) -> list[Placement]:
        with self._database.read() as connection:
            return placing.after(connection, after_id, count, self._clock(), lists)


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
