"""Rebuilds lists in Redis from SQL: all of them, or those of some list ids."""

import secrets
import time
from collections import defaultdict, deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial

from sqlalchemy import Connection, delete, insert

from dashboard.db.database import Database
from dashboard.db.lists import kept_lists, query_lists
from dashboard.db.lists.entries import between, bring_forward, changes_ahead
from dashboard.db.lists.query_lists import QueryList, QueryLists
from dashboard.db.models.threads import epochs
from dashboard.db.threads import threads as stored_threads
from dashboard.ordering.epochs import known_epochs
from dashboard.ordering.everywhere import every_list_id, placements_everywhere
from dashboard.ordering.pace import Pace
from dashboard.ordering.placer import Placer
from scoring.keys import is_query_list
from scoring.placing import Placement
from scoring.ranking import Ranking
from scoring.rebuilding import Rebuild
from scoring.views import VIEWS

#: Threads read and sent at once; few enough that sockets are served in between.
SLICE = 2_000
#: Threads that one statement looks at for those of a query (about 10 ms).
LOOKED_AT = 20_000
#: Slices that are being sent to Redis while the next one is read from SQL.
FILLED_AT_ONCE = 2
#: With more lists of queries to build, all threads are read once for all of them.
FILTERED_MAX = 30
#: The epoch is part of every frame, so it is short.
EPOCH_BYTES = 6

Progress = Callable[[int], object]


class Rebuilder:
    """Fills shadow lists from SQL, swaps them in, and places again what moved meanwhile."""

    def __init__(
        self, database: Database, ranking: Ranking, placer: Placer, clock: Callable[[], int]
    ):
        self._database = database
        self._ranking = ranking
        self._placer = placer
        self._clock = clock

    def list_ids(self) -> list[str]:
        """Every list id that there is."""
        with self._database.read() as connection:
            return every_list_id(connection)

    def epochs(self, list_ids: Collection[str] | None = None) -> dict[str, str]:
        """List id to the epoch that the last rebuild wrote to Redis; None: of all lists."""
        return known_epochs(self._database, list_ids)

    def keeps(self, list_id: str) -> bool:
        """Whether this is the list of a query that Redis should hold."""
        with self._database.read() as connection:
            return list_id in query_lists.current(connection).lists

    def forget_epochs(self, list_ids: Collection[str]) -> None:
        """Of lists that are no more."""
        gone = delete(epochs).where(epochs.c.list_id.in_(list_ids))
        self._database.write(lambda connection: connection.execute(gone))

    def rebuild(
        self,
        list_ids: Collection[str],
        progress: Progress = lambda threads: None,
        *,
        seen: Mapping[str, str | None] | None = None,
        with_pauses: bool = False,
    ) -> int:
        """Replaces the lists of these list ids by those of SQL, under a new epoch.

        Lists of queries that another process builds now are left to it; with `seen`, the epoch of
        each in Redis when it was found wrong or missing (None), so are those that have been built
        since. `with_pauses` builds many lists of queries more slowly, beside what is live: until
        then SQL answers who asks for them. Calls `progress` with the number of threads of each
        slice; returns the number of all. Raises RedisError, StorageUnavailable, RebuildBusy and
        RebuildLost.
        """
        epoch = secrets.token_urlsafe(EPOCH_BYTES)
        with self._ranking.begin_rebuild(list_ids, seen=seen) as rebuild:
            queries = self._queries(rebuild.list_ids)
            views = [id for id in rebuild.list_ids if not is_query_list(id)]
            begun = [*views, *queries.lists]
            if not begun:
                return 0
            if not views and len(queries.lists) <= FILTERED_MAX:
                revisions = self._fill_queries(rebuild, queries, progress)
            elif not views and with_pauses:
                revisions = self._fill_with_pauses(rebuild, queries, progress)
            else:
                revisions = self._fill(rebuild, views, queries, progress)
            # Whoever looks for the list of a query compares its epoch with SQL's.
            self._save_epoch_of_queries(queries, epoch)
            moved = {id for list_id in begun for id in rebuild.swap(list_id, epoch)}
            self._save_epoch(views, epoch)
        self._place_again(moved, begun)
        if set(begun) >= set(VIEWS):
            self._placer.mark_placed_everywhere(revisions)
        return len(revisions)

    def _queries(self, list_ids: Collection[str]) -> QueryLists:
        with self._database.read() as connection:
            return query_lists.current(connection).some(list_ids)

    def _never_built(self, queries: QueryLists) -> list[QueryList]:
        """Threads do not know yet when time changes whether these lists hold them."""
        built_before = self.epochs(queries.lists.keys())
        # One that was left unordered had been built.
        return [
            each
            for id, each in queries.lists.items()
            if id not in built_before and not queries.ordered_since.get(id)
        ]

    def _fill_queries(
        self, rebuild: Rebuild, queries: QueryLists, progress: Progress
    ) -> dict[int, int]:
        """Fills few lists, each by its own query: the others' threads are not read."""
        revisions: dict[int, int] = {}
        new = self._never_built(queries)
        last_id = self._last_id()
        for first_id, until in self._ranges(last_id, LOOKED_AT):
            for query_list in queries.lists.values():
                if query_list in new:
                    self._bring_changes_forward(rebuild, [query_list], first_id, until)
                revisions |= self._fill_query(rebuild, query_list, (first_id, until), last_id)
            progress(until - first_id)
        return revisions

    def _fill_query(
        self, rebuild: Rebuild, query_list: QueryList, ids: tuple[int, int], last_id: int
    ) -> dict[int, int]:
        """Fills in the threads of a list between two ids; many of them are read in slices."""
        revisions: dict[int, int] = {}
        after_id, until = ids
        while after_id < until:
            with self._database.read() as connection:
                rows = between(connection, query_list, self._clock(), after_id, until, SLICE)
            after_id = rows[-1][0] if len(rows) == SLICE else until
            rebuild.fill_query(query_list.id, rows, after_id / last_id)
            revisions.update((id, revision) for id, revision, _ in rows)
            time.sleep(0)
        return revisions

    def _fill_with_pauses(
        self, rebuild: Rebuild, queries: QueryLists, progress: Progress
    ) -> dict[int, int]:
        """Fills these lists in small slices, each followed by a pause."""
        revisions: dict[int, int] = {}
        wanted = frozenset(queries.lists)
        last_id = self._bring_all_changes_forward(rebuild, queries)
        pace, after_id = Pace(), 0
        while slice := pace.take_up(
            partial(self._slice, after_id, pace.size, queries),
            partial(_fill_slice, rebuild, wanted, last_id),
        ):
            revisions.update((each.thread_id, each.revision) for each in slice)
            after_id = slice[-1].thread_id
            progress(len(slice))
        return revisions

    def _bring_all_changes_forward(self, rebuild: Rebuild, queries: QueryLists) -> int:
        """Of all threads, for those of the lists that were never built; the last thread id."""
        new = self._never_built(queries)
        last_id = self._last_id()
        for after_id, until in self._ranges(last_id, SLICE) if new else ():
            self._bring_changes_forward(rebuild, new, after_id, until)
            time.sleep(0)
        return max(1, last_id)

    def _bring_changes_forward(
        self, rebuild: Rebuild, queries: Collection[QueryList], after_id: int, last_id: int
    ) -> None:
        """For lists that were never built: threads do not know yet when time changes them."""
        rebuild.hold()
        with self._database.read() as connection:
            changes = changes_ahead(connection, queries, self._clock(), after_id, last_id)
        for first in range(0, len(changes), SLICE):
            some = changes[first : first + SLICE]
            self._database.write(partial(bring_forward, changes=some))
            time.sleep(0)

    def _fill(
        self,
        rebuild: Rebuild,
        views: Collection[str],
        queries: QueryLists,
        progress: Progress,
    ) -> dict[int, int]:
        """Fills lists of views and of queries; returns thread id to the revision that was read."""
        revisions: dict[int, int] = {}
        wanted = frozenset(views) | queries.lists.keys()
        last_id = self._bring_all_changes_forward(rebuild, queries)
        filling: deque[Future[None]] = deque()
        with ThreadPoolExecutor(FILLED_AT_ONCE) as fillers:
            for slice in self._slices():
                revisions.update((each.thread_id, each.revision) for each in slice)
                filling.append(fillers.submit(_fill_slice, rebuild, wanted, last_id, slice))
                if len(filling) > FILLED_AT_ONCE:
                    filling.popleft().result()
                progress(len(slice))
                # Lets other green threads run: a rebuild must not delay the sockets.
                time.sleep(0)
            for each in filling:
                each.result()
        return revisions

    def _last_id(self) -> int:
        """Of all threads; younger ones are placed by their first write, and that is logged."""
        with self._database.read() as connection:
            return stored_threads.last_id(connection)

    def _ranges(self, last_id: int, count: int) -> Iterator[tuple[int, int]]:
        """Ranges after an id and up to one, with so many threads each that are not archived."""
        after_id = 0
        while after_id < last_id:
            with self._database.read() as connection:
                found = stored_threads.live_id(connection, after_id, count)
            until = last_id if found is None else min(found, last_id)
            yield after_id, until
            after_id = until

    def _slices(self) -> Iterator[list[Placement]]:
        """All threads."""
        after_id = 0
        while slice := self._slice(after_id, SLICE):
            yield slice
            after_id = slice[-1].thread_id

    def _slice(self, after_id: int, count: int, lists: QueryLists | None = None) -> list[Placement]:
        with self._database.read() as connection:
            return stored_threads.placements_after(
                connection, after_id, count, self._clock(), lists
            )

    def _save_epoch(self, list_ids: Collection[str], epoch: str) -> None:
        self._database.write(lambda connection: _set_epoch(connection, list_ids, epoch))

    def _save_epoch_of_queries(self, queries: QueryLists, epoch: str) -> None:
        """Without the lists that are in order only since they began to be built: events before that
        moved no thread on them. They are built once more."""

        def write(connection: Connection) -> None:
            now = kept_lists.ordered_since(connection, queries.lists)
            built = [id for id in queries.lists if now.get(id) in (None, queries.ordered_since[id])]
            _set_epoch(connection, built, epoch)

        self._database.write(write)

    def _place_again(self, ids: set[int], list_ids: Collection[str]) -> None:
        ordered = sorted(ids)
        for start in range(0, len(ordered), SLICE):
            slice = ordered[start : start + SLICE]
            self._placer.place_now(
                placements_everywhere(self._database, slice, list_ids, self._clock()),
                is_everywhere=True,
            )


def _set_epoch(connection: Connection, list_ids: Collection[str], epoch: str) -> None:
    rows = [{"list_id": list_id, "epoch": epoch} for list_id in sorted(list_ids)]
    if rows:
        connection.execute(delete(epochs).where(epochs.c.list_id.in_(list_ids)))
        connection.execute(insert(epochs), rows)


def _fill_slice(
    rebuild: Rebuild, list_ids: frozenset[str], last_id: int, slice: Sequence[Placement]
) -> None:
    if not slice:
        return
    by_view = defaultdict(list)
    queries = defaultdict(list)
    for placement in slice:
        row = placement.thread_id, placement.revision, placement.scores, placement.assignee_id
        for view in placement.enter.intersection(list_ids):
            by_view[view].append(row)
        for list_id, score in placement.queries.items():
            if list_id in list_ids and score is not None:
                queries[list_id].append((*row[:2], (score,)))
    rebuild.fill_queries(queries, min(1.0, slice[-1].thread_id / last_id))
    for view, rows in by_view.items():
        rebuild.fill(view, rows)
