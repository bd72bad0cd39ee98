"""Keeps the lists of queries that admins look at, and builds those that Redis lacks."""

import logging
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence

from redis.exceptions import RedisError
from sqlalchemy import Connection

from dashboard.db.database import Database
from dashboard.db.lists import allowances, kept_lists, query_lists
from dashboard.db.lists.query_lists import ListedQuery
from dashboard.errors import StorageUnavailable
from dashboard.ordering.rebuild import Rebuilder
from scoring.ranking import Ranking, RankingLost
from scoring.rebuilding import RebuildLost

#: How long a list is kept, or kept in order, after the last admin left it. While one looks at it,
#: RENEWED_MS is added, so that each process writes it only every 20 s.
LOOKED_AT_MS = 60_000
RENEWED_MS = 20_000
#: Maximum number of lists, of all processes, that are kept only while somebody looks. An event
#: costs more with each list that holds its thread, and a new list costs some microseconds for each
#: existing one. A team of a thousand looks at a thousand lists of `mine`.
TEMPORARY_MAX = 2_000

#: New lists that one write adds: events wait for the end of a write.
ADDED_AT_ONCE = 20


class TooManyLists(Exception):
    """The kept lists have reached the limit on their number or cost; this list must be read from
    SQL."""


class ListKeeper:
    """Writes to SQL how long lists are kept. `clock` gives milliseconds."""

    def __init__(self, database: Database, clock: Callable[[], int]):
        self._database = database
        self._clock = clock
        self._queries: dict[str, ListedQuery] = {}
        self._kept_until: dict[str, int] = {}

    def is_kept(self, list_id: str) -> bool:
        """Whether this process knows that the list is kept in order for long enough."""
        return self._kept_until.get(list_id, 0) >= self._clock() + LOOKED_AT_MS

    def keep(self, list_id: str, listed: ListedQuery, beside: Collection[str] = ()) -> None:
        """Keeps the list of a query in order from now on, and as long as it is renewed.

        `beside`: the lists that the same admin looks at already. Raises TooManyLists, QueryError
        and StorageUnavailable.
        """
        now = self._clock()
        kept_until = now + LOOKED_AT_MS + RENEWED_MS

        def write(connection: Connection) -> None:
            # Raises QueryError: `keep_longer` leaves a query with a mistake out.
            query_lists.list_of(connection, listed)
            new = _missing(connection, {list_id: listed})
            if new:
                if kept_lists.count_temporary(connection) >= TEMPORARY_MAX:
                    raise TooManyLists
                if not allowances.with_room(connection, new, beside):
                    raise TooManyLists
            kept_lists.keep_longer(connection, [list_id], kept_until, now, new.values())

        self._database.write(write, is_idempotent=True)
        self._queries[list_id] = listed
        self._kept_until[list_id] = kept_until

    def keep_many(self, queries: Mapping[str, ListedQuery], most: int = TEMPORARY_MAX) -> None:
        """Keeps many lists by their ids, in writes of a few. Leaves out a list for which there is
        no room or which has a mistake.

        `most`: the maximum number of all temporary lists. Raises StorageUnavailable.
        """
        rest = {id: listed for id, listed in queries.items() if not self.is_kept(id)}
        if not rest:
            return
        with self._database.read() as connection:
            missing = _missing(connection, rest)
            room = max(0, most - kept_lists.count_temporary(connection))
            fitting = allowances.with_room(connection, missing)[:room]
        self._keep(rest, [id for id in rest if id not in missing], fitting)

    def _keep(
        self, queries: Mapping[str, ListedQuery], existing: Sequence[str], new: Sequence[str]
    ) -> None:
        """Keeps these existing lists in one write, and adds new ones in writes of a few."""
        slices = [new[at : at + ADDED_AT_ONCE] for at in range(0, len(new), ADDED_AT_ONCE)]
        for ids in filter(None, [existing, *slices]):
            self._write({id: queries[id] for id in ids})

    def _write(self, queries: Mapping[str, ListedQuery]) -> None:
        now = self._clock()
        kept_until = now + LOOKED_AT_MS + RENEWED_MS

        def write(connection: Connection) -> None:
            new = _missing(connection, queries).values()
            kept_lists.keep_longer(connection, queries.keys(), kept_until, now, new)

        self._database.write(write, is_idempotent=True)
        self._queries |= queries
        self._kept_until |= dict.fromkeys(queries, kept_until)

    def renew(self, looked_at: Collection[str]) -> None:
        """Extends the time of the lists that this process keeps, if it is due.

        A list that was removed in spite of this is added again. Raises StorageUnavailable.
        """
        now = self._clock()
        self._forget(looked_at, now)
        due = [id for id in looked_at if self._kept_until.get(id, now) < now + LOOKED_AT_MS]
        due = [id for id in due if id in self._queries]
        if not due:
            return
        queries = {id: self._queries[id] for id in due}
        with self._database.read() as connection:
            missing = _missing(connection, queries)
        self._keep(queries, [id for id in due if id not in missing], [*missing])

    def _forget(self, looked_at: Collection[str], now: int) -> None:
        """Forgets expired lists that no socket of this process looks at."""
        looked_at = frozenset(looked_at)
        for list_id, kept_until in [*self._kept_until.items()]:
            if kept_until < now and list_id not in looked_at:
                del self._kept_until[list_id], self._queries[list_id]


def _missing(connection: Connection, queries: Mapping[str, ListedQuery]) -> dict[str, ListedQuery]:
    """Returns the queries without a list, by the ids that their lists would have."""
    lists = query_lists.current(connection).lists
    return {id: listed for id, listed in queries.items() if id not in lists}


log = logging.getLogger(__name__)

#: Lists that one process builds at a time; others wait for their turn.
BUILT_AT_ONCE = 4
#: Interval of checks whether another process has built a list, multiplied by the number of waiting
#: lists; and the time after which the list is left to the reconciler.
LOOK_SECONDS = 0.05
GIVEN_UP_SECONDS = 60.0


class ListBuilder:
    """Builds a list once, however many callers in however many processes ask for it.

    Every list that `rebuilder` swaps in counts as `built`.
    """

    def __init__(
        self,
        rebuilder: Rebuilder,
        ranking: Ranking,
        monotonic: Callable[[], float] = time.monotonic,
    ):
        self._rebuilder = rebuilder
        self._ranking = ranking
        self._monotonic = monotonic
        self._slots = threading.BoundedSemaphore(BUILT_AT_ONCE)
        self._under_way: dict[str, threading.Event] = {}

    @property
    def built(self) -> int:
        """Lists built since the start."""
        return self._rebuilder.swapped

    def build(self, list_id: str) -> threading.Event:
        """Begins to build the list of a query that SQL keeps and Redis lacks, in the background.

        Returns an event that is set at the end. After a failure the reconciler builds the list.
        """
        ended = self._under_way.get(list_id)
        if ended is None:
            ended = self._under_way[list_id] = threading.Event()
            threading.Thread(target=self._run, args=(list_id, ended), daemon=True).start()
        return ended

    def _run(self, list_id: str, ended: threading.Event) -> None:
        try:
            self._build(list_id)
        except (RedisError, RankingLost, RebuildLost, StorageUnavailable) as error:
            log.warning("the list %s is built later: %s", list_id, error)
        except Exception:
            log.exception("building the list %s failed", list_id)
        finally:
            del self._under_way[list_id]
            ended.set()

    def _build(self, list_id: str) -> None:
        deadline = self._monotonic() + GIVEN_UP_SECONDS
        while self._monotonic() < deadline and self._rebuilder.keeps(list_id):
            # Read before the epoch in SQL: `rebuild` skips a list that was built in between.
            epoch = self._held(list_id)
            if self._is_built(list_id, epoch):
                return
            if self._ranking.progress(list_id) is None:
                with self._slots:
                    self._rebuilder.rebuild([list_id], seen={list_id: epoch})
                if self._is_built(list_id, self._held(list_id)):
                    return
            time.sleep(LOOK_SECONDS * len(self._under_way))

    def _held(self, list_id: str) -> str | None:
        return self._ranking.states([list_id])[list_id].epoch

    def _is_built(self, list_id: str, epoch: str | None) -> bool:
        return epoch is not None and epoch == self._rebuilder.epochs([list_id]).get(list_id)
