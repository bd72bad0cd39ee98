"""Rebuilds lists in Redis from SQL, all or some of them."""

import secrets
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager

from sqlalchemy import Connection, delete, insert

from dashboard.db.database import Database
from dashboard.db.lists import kept_lists, query_lists
from dashboard.db.lists.query_lists import QueryLists
from dashboard.db.models.threads import epochs
from dashboard.ordering.epochs import known_epochs
from dashboard.ordering.filling import SLICE, FillingByQuery, FillingByThread, Progress, Revisions
from dashboard.ordering.placer import Placer, every_list_id, placements_everywhere
from scoring.ranking import Ranking
from scoring.rebuilding import Rebuild, RebuildLost
from scoring.views import VIEWS

#: Maximum number of lists of queries without a usable index that are built one by one; more are
#: built together by reading all threads once.
FILTERED_MAX = 30
#: The epoch is part of every frame, so it is short.
EPOCH_BYTES = 6


class RebuildBusy(Exception):
    """Another process is building some of these lists."""


class Rebuilder:
    """Fills shadow lists from SQL, swaps them in, and places again the threads moved meanwhile."""

    def __init__(
        self, database: Database, ranking: Ranking, placer: Placer, clock: Callable[[], int]
    ):
        self._database = database
        self._ranking = ranking
        self._placer = placer
        self._clock = clock
        #: Lists that were swapped in since the start.
        self.swapped = 0
        #: Rebuilds that lost their lease: another process took over, or Redis lost the lists.
        self.lost = 0

    def list_ids(self) -> list[str]:
        """Returns every list id."""
        with self._database.read() as connection:
            return every_list_id(connection)

    def epochs(self, list_ids: Collection[str] | None = None) -> dict[str, str]:
        """Maps list ids to the epochs that their last rebuilds wrote to Redis; None: all."""
        return known_epochs(self._database, list_ids)

    def keeps(self, list_id: str) -> bool:
        """Whether this is a list of a query that Redis should hold."""
        with self._database.read() as connection:
            return list_id in query_lists.current(connection).lists

    def forget_epochs(self, list_ids: Collection[str]) -> None:
        """Deletes the epochs of lists that no longer exist."""
        gone = delete(epochs).where(epochs.c.list_id.in_(list_ids))
        self._database.write(lambda connection: connection.execute(gone), is_idempotent=True)

    def rebuild(
        self,
        list_ids: Collection[str],
        progress: Progress = lambda threads: None,
        *,
        seen: Mapping[str, str | None] | None = None,
        with_pauses: bool = False,
    ) -> int:
        """Replaces these lists in Redis by new ones from SQL, under a new epoch.

        `seen`: the epoch of each list in Redis when it was found wrong, or None if it was missing;
        skips lists that another process builds now or has built since. `with_pauses`: many lists of
        queries are built more slowly, beside other work; until then they are read from SQL. Calls
        `progress` with the number of threads in each slice; returns the number of all threads read.
        Raises RedisError, StorageUnavailable, RebuildBusy and RebuildLost.
        """
        epoch = secrets.token_urlsafe(EPOCH_BYTES)
        with self._counting(), self._ranking.begin_rebuild(list_ids, seen=seen) as rebuild:
            if seen is None and set(rebuild.list_ids) != set(list_ids):
                raise RebuildBusy("another process is building some of these lists")
            queries = self._queries(rebuild.list_ids)
            views = [id for id in rebuild.list_ids if id not in queries.lists]
            parts = self._database, self._clock, rebuild, progress, self._never_built(queries)
            by_query, by_thread = FillingByQuery(*parts), FillingByThread(*parts)
            if not views:
                threads_of = by_query.by_index(queries.lists.values())
                # The lists with an index do not wait for the others.
                self._swap(rebuild, views, queries.some(threads_of), epoch)
                rest = queries.some([id for id in queries.lists if id not in threads_of])
                revisions = self._fill_rest(by_query, by_thread, rest, with_pauses)
                self._swap(rebuild, views, rest, epoch)
                return len(set(revisions).union(*threads_of.values()))
            revisions = by_thread.fill(rebuild.list_ids, queries)
            self._swap(rebuild, views, queries, epoch)
        if set(views) >= set(VIEWS) and self._are_built_later(queries):
            self._placer.mark_placed_everywhere(revisions)
        return len(revisions)

    @contextmanager
    def _counting(self) -> Iterator[None]:
        try:
            yield
        except RebuildLost:
            self.lost += 1
            raise

    def _are_built_later(self, filled: QueryLists) -> bool:
        """Whether all other lists of queries will be built later, from what SQL holds then: Redis
        lacks them, and no process has begun to build one."""
        others = set(self.list_ids()).difference(VIEWS, filled.lists)
        # In this order: a list may be swapped in between.
        is_begun = any(self._ranking.progress(list_id) is not None for list_id in others)
        return not is_begun and all(
            state.epoch is None for state in self._ranking.states(others).values()
        )

    def _fill_rest(
        self,
        by_query: FillingByQuery,
        by_thread: FillingByThread,
        queries: QueryLists,
        with_pauses: bool,
    ) -> Revisions:
        """Fills the lists of queries without a usable index."""
        if not queries:
            return {}
        if len(queries.lists) <= FILTERED_MAX:
            return by_query.by_ranges(queries.lists.values())
        if with_pauses:
            return by_thread.fill_with_pauses(queries)
        return by_thread.fill(queries.lists, queries)

    def _swap(
        self, rebuild: Rebuild, views: Collection[str], queries: QueryLists, epoch: str
    ) -> None:
        """Replaces the live lists by the filled ones."""
        list_ids = [*views, *queries.lists]
        if not list_ids:
            return
        # Readers of a query's list compare its epoch with SQL's, so a rebuild that was overtaken
        # must not write one.
        rebuild.hold()
        self._save_epoch_of_queries(queries, epoch)
        moved = set[int]()
        for list_id in list_ids:
            moved.update(rebuild.swap(list_id, epoch))
            self.swapped += 1
        self._save_epoch(views, epoch)
        self._place_again(moved, list_ids)

    def _queries(self, list_ids: Collection[str]) -> QueryLists:
        with self._database.read() as connection:
            return query_lists.current(connection).some(list_ids)

    def _never_built(self, queries: QueryLists) -> frozenset[str]:
        built_before = self.epochs(queries.lists.keys())
        # A list that was ever left unordered had been built before.
        return frozenset(
            id
            for id in queries.lists
            if id not in built_before and not queries.ordered_since.get(id)
        )

    def _save_epoch(self, list_ids: Collection[str], epoch: str) -> None:
        self._database.write(
            lambda connection: _set_epoch(connection, list_ids, epoch), is_idempotent=True
        )

    def _save_epoch_of_queries(self, queries: QueryLists, epoch: str) -> None:
        """Saves the epoch of lists, except lists that began to be kept in order during the rebuild:
        earlier events moved no thread on these, so they are built once more."""

        def write(connection: Connection) -> None:
            now = kept_lists.ordered_since(connection, queries.lists)
            built = [id for id in queries.lists if now.get(id) in (None, queries.ordered_since[id])]
            _set_epoch(connection, built, epoch)

        self._database.write(write, is_idempotent=True)

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
