"""Compares the lists in Redis with SQL: the heads often, all threads in slices."""

import time
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from sqlalchemy import Connection

from dashboard.db import placing
from dashboard.db.database import Database
from dashboard.db.lists import entries as query_entries
from dashboard.db.lists import query_lists
from dashboard.db.lists.query_lists import QueryLists
from dashboard.db.threads import threads as stored_threads
from scoring.placing import Placement
from scoring.ranking import Ranking
from scoring.reading import Entry, State, stands_before
from scoring.sorts import SORTS
from scoring.views import VIEWS

#: Interval of looks (comparisons of all lengths and counts) while the last one found nothing.
LOOK_SECONDS = 15.0
#: Least interval, as a multiple of the time that a look took: a million threads take a second.
REST_FACTOR = 50
#: A count is certainly wrong after this many successive looks found it wrong in the same direction.
#: Before that, threads on their way from SQL to Redis may explain it.
LOOKS = 10
#: The same for lengths if a look took less than QUICK_SECONDS; a slower one needs LOOKS, too.
QUICK_LOOKS, QUICK_SECONDS = 2, 0.05

#: A view, an assignee (0: nobody), and whether Redis counts too many threads.
_Wrong = tuple[str, int, bool]
#: Number of threads by view and assignee.
Counts = Mapping[str, Mapping[int, int]]


class CountsCheck:
    """Finds wrong counts of threads by assignee, which only faults and foreign writes can cause.
    Repairing threads does not correct a count, so the lists of the view must be rebuilt."""

    def __init__(self) -> None:
        self._looks: Counter[_Wrong] = Counter()

    def __bool__(self) -> bool:
        """Whether a count may be wrong: then the next look follows soon."""
        return bool(self._looks)

    def look(self, before: Counts, in_sql: Counts, after: Counts) -> set[str]:
        """Returns the views with certainly wrong counts in Redis, read before and after SQL."""
        wrong: Counter[_Wrong] = Counter()
        for view, earlier in before.items():
            later, counts = after[view], in_sql.get(view, {})
            for admin in {*earlier, *later, *counts}:
                pair = earlier.get(admin, 0), later.get(admin, 0)
                number = counts.get(admin, 0)
                if min(pair) > number:
                    wrong[view, admin, True] = self._looks[view, admin, True] + 1
                elif max(pair) < number:
                    wrong[view, admin, False] = self._looks[view, admin, False] + 1
        certain = {view for (view, _, _), looks in wrong.items() if looks >= LOOKS}
        self._looks = Counter({key: n for key, n in wrong.items() if key[0] not in certain})
        return certain


class LengthsCheck:
    """Compares the lengths and counts of views with SQL, which counts beside other work."""

    def __init__(self, database: Database, ranking: Ranking, monotonic: Callable[[], float]):
        self._database = database
        self._ranking = ranking
        self._monotonic = monotonic
        self._counts = CountsCheck()
        #: Maps views to the number of successive looks that found them longer than in SQL.
        self._longer: Mapping[str, int] = {}
        self._next_at = self._again_at = monotonic()
        #: Views with wrong counts of threads by assignee.
        self.miscounted: set[str] = set()

    @property
    def has_doubts(self) -> bool:
        """Whether a look has found something that the next ones must confirm."""
        return bool(self._longer or self._counts or self.miscounted)

    def too_long(self, states: Mapping[str, State]) -> set[str]:
        """Returns the views that are certainly longer than in SQL; none if no look is due.

        `states`: the states of all list ids, read just now.
        """
        begun = self._monotonic()
        if begun < (self._again_at if self._longer or self._counts else self._next_at):
            return set()
        longer = self._look({name: states[name] for name in VIEWS})
        took = self._monotonic() - begun
        self._again_at = begun + REST_FACTOR * took
        self._next_at = begun + max(LOOK_SECONDS, REST_FACTOR * took)
        looks = {view: self._longer.get(view, 0) + 1 for view in longer}
        enough = QUICK_LOOKS if took < QUICK_SECONDS else LOOKS
        self._longer = {view: count for view, count in looks.items() if count < enough}
        return longer - self._longer.keys()

    def _look(self, before: Mapping[str, State]) -> set[str]:
        """Returns the views that are longer than in SQL both before and after SQL is read."""
        counts = self._ranking.counts(VIEWS)
        rows = self._database.read_beside(stored_threads.ASSIGNED)
        in_sql = stored_threads.assigned(rows)
        after = self._ranking.states(VIEWS)
        self.miscounted = self._counts.look(counts, in_sql, self._ranking.counts(VIEWS))
        return {
            view
            for view, state in before.items()
            if min(state.total, after[view].total) > sum(in_sql.get(view, {}).values())
        }


#: Entries at the head of a list that are compared often.
HEAD = 100
#: Time in which all threads are compared once, in slices.
PASS_SECONDS = 60.0
#: Maximum number of threads in a slice, so that a million threads do not delay the sockets.
SLICE_MAX = 2_000
#: Threads of a slice that are compared at once (about 15 ms), and the pause until the next ones.
PART = 250
PAUSE_SECONDS = 0.02
#: Entries of lists of queries that one pass compares (about 5,000 a second), but at least one list.
#: A thousand lists have millions, and no fault of Redis damages one of them without another sign.
PLACES_PER_PASS = 300_000
#: Least time between two searches of a list.
SEARCH_SECONDS = 15.0
#: Entries read at once when whole lists are compared.
CHUNK = 5_000


class Difference(NamedTuple):
    """An entry that only Redis or only SQL has."""

    list_id: str
    sort: str
    entry: Entry
    is_in_redis: bool


class Diff:
    """Finds the threads that have other scores or lists in Redis than in SQL.

    A thread that is just being placed may be among them: placing it again with its revision does
    no harm.
    """

    def __init__(
        self,
        database: Database,
        ranking: Ranking,
        clock: Callable[[], int],
        monotonic: Callable[[], float] = time.monotonic,
    ):
        """`clock` gives milliseconds since 1970."""
        self._database = database
        self._clock = clock
        self._ranking = ranking
        self._monotonic = monotonic
        self._after_id = 0
        #: Threads compared in the pass under way, and in the last one.
        self._compared = self._of_pass = 0
        self._slice_at = monotonic()
        self._searched_at: dict[str, float] = {}
        self.lengths = LengthsCheck(database, ranking, monotonic)
        self._counted: Counter[str] = Counter()
        self._queries = QueryLists(0, ())
        self._last_query = ""
        self._longer_queries: set[str] = set()
        self._suspects: set[str] = set()
        #: Members removed since the start because they were not thread ids.
        self.removed = 0
        #: Maximum number of threads in the next slice.
        self.slice_most = SLICE_MAX
        #: Completed passes over all threads.
        self.passes = 0

    @property
    def has_doubts(self) -> bool:
        """Whether something may differ; later comparisons must confirm it."""
        return bool(self._suspects or self._longer_queries or self.lengths.has_doubts)

    def differing_in_heads(self) -> set[int]:
        """Returns the ids of threads that differ in the head of any list of a view."""
        return {
            id for view in VIEWS for sort in SORTS for id in self._differing_in_head(view, sort)
        }

    def differing_in_next_slice(self, states: Mapping[str, State]) -> set[int]:
        """Returns the ids of threads that differ in the next slice; a pass over all slices takes
        a minute, or longer if `slice_most` is low. `states`: the states of all list ids, read just
        now; lost lists are not compared."""
        with self._database.read() as connection:
            if self._after_id == 0:
                self._queries = self._next_queries(query_lists.current(connection), states)
            size = min(self.slice_most, self._slice_size(connection))
        wrong: set[int] = set()
        while part := self._next_part(min(size, PART)):
            wrong |= self._misplaced(part, states)
            size -= PART
            if size <= 0 or len(part) < PART:
                return wrong
            time.sleep(PAUSE_SECONDS)
        self._compare_lengths_of_queries(states)
        return wrong

    def stale_ids(self, states: Mapping[str, State]) -> set[int]:
        """Returns the ids of threads that are on a list in Redis and not in SQL; removes members
        that are not thread ids. `states`: the states of all list ids, read just now.

        A list is searched if its sorts differ in length, or it was repeatedly longer than in SQL.
        """
        now = self._monotonic()
        suspects = {name for name, state in states.items() if state.uneven} | self._suspects
        suspects |= self.lengths.too_long(states)
        self._suspects = set()
        suspects = {
            name
            for name in suspects
            if now - self._searched_at.get(name, float("-inf")) >= SEARCH_SECONDS
        }
        self._searched_at |= dict.fromkeys(suspects, now)
        return {id for name in suspects for id in self._wrong_members(name)}

    def differences(self, list_ids: list[str]) -> Iterator[Difference]:
        """Yields every entry in which these lists differ from SQL's `ORDER BY score, id`."""
        for name in list_ids:
            for sort in self._ranking.sorts_of(name):
                yield from self._list_differences(name, sort)

    def _next_part(self, count: int) -> list[Placement]:
        """Returns the placements of the next threads by id; none at the end of a pass."""
        with self._database.read() as connection:
            queries = query_lists.current(connection)
            self._queries = self._queries.changed(
                queries.version, queries.ordered_since, queries.queue_numbers
            )
            part = placing.after(connection, self._after_id, count, self._clock(), self._queries)
        self._after_id = part[-1].thread_id if part else 0
        self._compared += len(part)
        if not part:
            self._compared, self._of_pass = 0, self._compared
            self.passes += 1
        self._counted.update(id for placement in part for id in placement.lists)
        return part

    def _next_queries(self, queries: QueryLists, states: Mapping[str, State]) -> QueryLists:
        """Returns the lists of queries that the next pass compares: all that were too long in the
        last pass, and others in turn."""
        names = [name for name in sorted(queries.lists) if name in states]
        after = bisect_right(names, self._last_query)
        turn, places = list[str](), 0
        for name in names[after:] + names[:after]:
            places += states[name].total
            if turn and places > PLACES_PER_PASS:
                break
            turn.append(name)
            self._last_query = name
        return queries.some(self._longer_queries.union(turn))

    def _slice_size(self, connection: Connection) -> int:
        now = self._monotonic()
        passed_seconds, self._slice_at = now - self._slice_at, now
        total = self._of_pass or stored_threads.last_id(connection)
        return max(PART, min(SLICE_MAX, round(total * passed_seconds / PASS_SECONDS)))

    def _differing_in_head(self, view: str, sort: str) -> set[int]:
        with self._database.read() as connection:
            sql = stored_threads.listed(connection, view, "all", None, sort, HEAD)
        redis = self._ranking.head(view, sort, HEAD).entries
        return {id for id, _ in set(sql) ^ set(redis)}

    def _misplaced(self, part: list[Placement], states: Mapping[str, State]) -> set[int]:
        """Returns the ids of threads that are missing from a list of theirs, or have other scores
        on an ordered list."""
        by_list_id: dict[str, list[tuple[int, Sequence[int]]]] = defaultdict(list)
        for placement in part:
            for name, scores in placement.lists.items():
                # A list that was added just now is not in Redis yet.
                if scores is not None and name in states and states[name].epoch is not None:
                    by_list_id[name].append((placement.thread_id, scores))
        in_redis = self._ranking.columns(
            {name: [id for id, _ in pairs] for name, pairs in by_list_id.items()}
        )
        wrong: set[int] = set()
        for name, pairs in by_list_id.items():
            in_sql = zip(*(row for _, row in pairs), strict=True)
            for expected, column in zip(in_sql, in_redis[name], strict=True):
                # Whole columns first: they are nearly always equal.
                if column != list(expected):
                    rows = zip(pairs, column, expected, strict=True)
                    is_ordered = name not in self._queries.unordered
                    wrong.update(
                        id
                        for (id, _), has, should in rows
                        if has is None or (is_ordered and has != should)
                    )
        return wrong

    def _compare_lengths_of_queries(self, states: Mapping[str, State]) -> None:
        """Has a list of a query searched for extra entries if two successive passes found it longer
        than in SQL. Called after each pass."""
        counted, self._counted = self._counted, Counter()
        longer = {
            name
            for name, state in states.items()
            if name in self._queries.lists and state.epoch and state.total > counted[name]
        }
        self._longer_queries, self._suspects = longer, longer & self._longer_queries

    def _wrong_members(self, name: str) -> set[int]:
        self.removed += self._ranking.remove_foreign_members(name)
        wrong: set[int] = set()
        for sort in self._ranking.sorts_of(name):
            for entries in self._ranking.scan(name, sort):
                for first in range(0, len(entries), SLICE_MAX):
                    ids = [entry.id for entry in entries[first : first + SLICE_MAX]]
                    wrong |= set(ids) - self._belonging(name, ids)
                    time.sleep(0)
        return wrong

    def _belonging(self, name: str, ids: list[int]) -> set[int]:
        """Returns the given threads that belong on a list."""
        with self._database.read() as connection:
            query_list = query_lists.current(connection).lists.get(name)
            if query_list is not None:
                return query_entries.held(connection, query_list, self._clock(), ids)
            placements = placing.of(connection, ids, self._clock())
        return {placement.thread_id for placement in placements if name in placement.lists}

    def _list_differences(self, name: str, sort: str) -> Iterator[Difference]:
        """Merges the list in Redis with the list in SQL; both have the same order."""
        redis: Iterator[Entry] = chain.from_iterable(self._ranking.scan(name, sort))
        sql = self._stored_list(name, sort)
        with self._database.read() as connection:
            is_unordered = name in query_lists.current(connection).unordered
        if is_unordered:
            redis, sql = map(_as_if_in_one_place, (redis, sql))
        in_redis, in_sql = next(redis, None), next(sql, None)
        while in_redis or in_sql:
            if in_redis == in_sql:
                in_redis, in_sql = next(redis, None), next(sql, None)
            elif in_sql is None or (in_redis and stands_before(in_redis, in_sql)):
                assert in_redis is not None
                yield Difference(name, sort, in_redis, is_in_redis=True)
                in_redis = next(redis, None)
            else:
                yield Difference(name, sort, in_sql, is_in_redis=False)
                in_sql = next(sql, None)

    def _stored_list(self, name: str, sort: str) -> Iterator[Entry]:
        after = None
        while True:
            with self._database.read() as connection:
                entries = self._stored_entries(connection, name, sort, after)
            yield from entries
            if len(entries) < CHUNK:
                return
            after = (entries[-1].score, entries[-1].id)

    def _stored_entries(
        self, connection: Connection, name: str, sort: str, after: tuple[int, int] | None
    ) -> list[Entry]:
        query_list = query_lists.current(connection).lists.get(name)
        if query_list is not None:
            return query_entries.entries(connection, query_list, self._clock(), CHUNK, after)
        return stored_threads.listed(connection, name, "all", None, sort, CHUNK, after)


def _as_if_in_one_place(entries: Iterable[Entry]) -> Iterator[Entry]:
    return iter(sorted(entry._replace(score=0) for entry in entries))
