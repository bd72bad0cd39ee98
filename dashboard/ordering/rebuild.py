"""Rebuilds lists in Redis from SQL: all of them, or those of some list ids."""

import secrets
import time
from collections import defaultdict, deque
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial

from sqlalchemy import Connection, delete, insert, select

from dashboard.db.database import Database
from dashboard.db.lists import query_lists
from dashboard.db.lists.entries import between, bring_forward, changes_ahead
from dashboard.db.lists.query_lists import QueryList, QueryLists
from dashboard.db.models.threads import epochs
from dashboard.db.threads import threads as stored_threads
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
        statement = select(epochs)
        if list_ids is not None:
            statement = statement.where(epochs.c.list_id.in_(list_ids))
        with self._database.read() as connection:
            return {row.list_id: row.epoch for row in connection.execute(statement)}

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
        only_missing: bool = False,
        with_pauses: bool = False,
    ) -> int:
        """Replaces the lists of these list ids by those of SQL, under a new epoch.

        Lists of queries that another process builds now are left to it; `only_missing` leaves out
        those that Redis has, too. `with_pauses` builds many lists of queries more slowly, beside
        what is live: until then SQL answers who asks for them. Calls `progress` with the number of
        threads of each slice; returns the number of all. Raises RedisError, StorageUnavailable,
        RebuildBusy and RebuildLost.
        """
        epoch = secrets.token_urlsafe(EPOCH_BYTES)
        with self._ranking.begin_rebuild(list_ids, only_missing=only_missing) as rebuild:
            queries = self._queries(rebuild.list_ids)
            views = [id for id in rebuild.list_ids if not is_query_list(id)]
            begun = [*views, *(each.id for each in queries)]
            if not begun:
                return 0
            if not views and len(queries) <= FILTERED_MAX:
                revisions = self._fill_queries(rebuild, queries, progress)
            elif not views and with_pauses:
                revisions = self._fill_with_pauses(rebuild, queries, progress)
            else:
                revisions = self._fill(rebuild, views, queries, progress)
            # Whoever looks for the list of a query compares its epoch with SQL's.
            self._save_epoch([each.id for each in queries], epoch)
            moved = {id for list_id in begun for id in rebuild.swap(list_id, epoch)}
            self._save_epoch(views, epoch)
        self._place_again(moved, begun)
        if set(begun) >= set(VIEWS):
            self._placer.mark_placed_everywhere(revisions)
        return len(revisions)

    def _queries(self, list_ids: Collection[str]) -> list[QueryList]:
        with self._database.read() as connection:
            lists = query_lists.current(connection).lists
        return [lists[list_id] for list_id in list_ids if list_id in lists]

    def _fill_queries(
        self, rebuild: Rebuild, queries: Collection[QueryList], progress: Progress
    ) -> dict[int, int]:
        """Fills few lists, each by its own query: the others' threads are not read."""
        revisions: dict[int, int] = {}
        built_before = self.epochs([each.id for each in queries])
        with self._database.read() as connection:
            # Younger threads are placed by their first write, and that is logged.
            last_id = stored_threads.last_id(connection)
        for first_id in range(0, last_id, LOOKED_AT):
            until = min(first_id + LOOKED_AT, last_id)
            for query_list in queries:
                if query_list.id not in built_before:
                    self._bring_changes_forward([query_list], first_id, until)
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
        self, rebuild: Rebuild, queries: Collection[QueryList], progress: Progress
    ) -> dict[int, int]:
        """Fills these lists in small slices, each followed by a pause."""
        revisions: dict[int, int] = {}
        wanted = frozenset(each.id for each in queries)
        last_id = self._bring_all_changes_forward(queries)
        pace, after_id, lists = Pace(), 0, QueryLists(0, queries)
        while slice := pace.take_up(
            partial(self._slice, after_id, pace.size, lists),
            partial(_fill_slice, rebuild, wanted, last_id),
        ):
            revisions.update((each.thread_id, each.revision) for each in slice)
            after_id = slice[-1].thread_id
            progress(len(slice))
        return revisions

    def _bring_all_changes_forward(self, queries: Collection[QueryList]) -> int:
        """Of all threads, for those of the lists that were never built; the last thread id."""
        built_before = self.epochs([each.id for each in queries])
        new = [each for each in queries if each.id not in built_before]
        with self._database.read() as connection:
            last_id = max(1, stored_threads.last_id(connection))
        for after_id in range(0, last_id, LOOKED_AT) if new else ():
            self._bring_changes_forward(new, after_id, after_id + LOOKED_AT)
            time.sleep(0)
        return last_id

    def _bring_changes_forward(
        self, queries: Collection[QueryList], after_id: int, last_id: int
    ) -> None:
        """For lists that were never built: threads do not know yet when time changes them."""
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
        queries: Collection[QueryList],
        progress: Progress,
    ) -> dict[int, int]:
        """Fills lists of views and of queries; returns thread id to the revision that was read."""
        revisions: dict[int, int] = {}
        wanted = frozenset(views) | {each.id for each in queries}
        last_id = self._bring_all_changes_forward(queries)
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
        rows = [{"list_id": list_id, "epoch": epoch} for list_id in sorted(list_ids)]
        if not rows:
            return

        def write(connection: Connection) -> None:
            connection.execute(delete(epochs).where(epochs.c.list_id.in_(list(list_ids))))
            connection.execute(insert(epochs), rows)

        self._database.write(write)

    def _place_again(self, ids: set[int], list_ids: Collection[str]) -> None:
        ordered = sorted(ids)
        for start in range(0, len(ordered), SLICE):
            slice = ordered[start : start + SLICE]
            self._placer.place_now(
                placements_everywhere(self._database, slice, list_ids, self._clock()),
                is_everywhere=True,
            )


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
