"""Compares the lists in Redis with SQL: the heads often, everything in slices."""

import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import NamedTuple

from sqlalchemy import Connection

from dashboard.store import threads as stored_threads
from dashboard.store.database import Database
from scoring.pages import PAGES, tag
from scoring.ranking import Placement, Ranking
from scoring.reading import Entry, stands_before
from scoring.sorts import SORTS

HEAD = 100
#: A whole pass takes this long, …
PASS_SECONDS = 60.0
#: … but no slice is larger than this, so that a million threads do not slow the sockets down;
#: and none is smaller than that, for it costs next to nothing.
SLICE_MAX = 2_000
SLICE_MIN = 500
SHARED_FILTERS = ("all", "unassigned")
#: Read at once when whole lists are compared.
CHUNK = 5_000


class Difference(NamedTuple):
    """An entry of a list that only Redis or only SQL has."""

    tag: str
    sort: str
    entry: Entry
    is_in_redis: bool


class _Head(NamedTuple):
    """Which threads in the heads of a tag's lists differ, and how long they should be."""

    differing: set[int]
    length: int


class Comparison:
    """Finds the threads whose places in Redis differ from SQL.

    What it finds may just be on its way: placing it again by its revision does no harm.
    """

    def __init__(
        self,
        database: Database,
        ranking: Ranking,
        monotonic: Callable[[], float] = time.monotonic,
    ):
        self._database = database
        self._ranking = ranking
        self._monotonic = monotonic
        self._after_id = 0
        self._looked_at = monotonic()
        self._ghost_lists: set[str] = set()

    def heads(self) -> set[int]:
        """The ids that stand otherwise in Redis than in SQL, within the heads of all lists."""
        return {id for head in self._heads().values() for id in head.differing}

    def damaged_tags(self, share: float) -> set[str]:
        """The tags with a head of which more than this share is wrong."""
        heads = self._heads().items()
        return {name for name, head in heads if len(head.differing) > share * head.length}

    def next_slice(self) -> set[int]:
        """The differing ids of the next slice of all threads; a pass takes about a minute.

        At the end of a pass lists that are longer than they should be are searched for ghosts.
        """
        with self._database.read() as connection:
            slice = stored_threads.placements_after(
                connection, self._after_id, self._slice_size(connection)
            )
        if slice:
            self._after_id = slice[-1].thread_id
            return self._misplaced(slice)
        self._after_id = 0
        return self._ghosts()

    def differences(self, tags: list[str]) -> Iterator[Difference]:
        """Every entry by which a list in Redis differs from SQL's `ORDER BY score, id`."""
        for name in tags:
            for sort in SORTS:
                yield from self._list_differences(name, sort)

    def _slice_size(self, connection: Connection) -> int:
        now = self._monotonic()
        passed, self._looked_at = now - self._looked_at, now
        total = stored_threads.last_id(connection)
        return max(SLICE_MIN, min(SLICE_MAX, round(total * passed / PASS_SECONDS)))

    def _heads(self) -> dict[str, _Head]:
        return {
            tag(page, filter): self._head(page, filter)
            for page in PAGES
            for filter in SHARED_FILTERS
        }

    def _head(self, page: str, filter: str) -> _Head:
        differing: set[int] = set()
        length = 0
        for sort in SORTS:
            with self._database.read() as connection:
                sql = stored_threads.listed(connection, page, filter, None, sort, HEAD)
            redis = self._ranking.head(tag(page, filter), sort, HEAD).entries
            differing.update(id for id, _ in set(sql) ^ set(redis))
            length = len(sql)
        return _Head(differing, length)

    def _misplaced(self, slice: list[Placement]) -> set[int]:
        """The threads that are missing, or stand elsewhere, on a list of theirs."""
        by_tag: dict[str, list[Placement]] = defaultdict(list)
        for place in slice:
            for name in place.enter:
                by_tag[name].append(place)
        held = self._ranking.columns(
            {name: [place.thread_id for place in found] for name, found in by_tag.items()}
        )
        wrong: set[int] = set()
        for name, found in by_tag.items():
            wanted = zip(*(place.scores for place in found), strict=True)
            for expected, scores in zip(wanted, held[name], strict=True):
                # Whole columns first: they are nearly always equal.
                if scores != list(expected):
                    pairs = zip(found, scores, expected, strict=True)
                    wrong.update(place.thread_id for place, has, should in pairs if has != should)
        return wrong

    def _ghosts(self) -> set[int]:
        """Ids on a list that is longer than SQL's, as it was already a pass ago."""
        with self._database.read() as connection:
            totals = stored_threads.totals(connection)
        longer = {
            name
            for name, total in totals.items()
            if any(self._ranking.rank(name, sort, 0)[1] > total for sort in SORTS)
        }
        suspects, self._ghost_lists = longer & self._ghost_lists, longer
        return {id for name in suspects for sort in SORTS for id in self._strangers(name, sort)}

    def _strangers(self, name: str, sort: str) -> Iterator[int]:
        self._ranking.weed(name)
        for entries in self._ranking.scan(name, sort):
            with self._database.read() as connection:
                places = stored_threads.placements(connection, [entry.id for entry in entries])
            at_home = {place.thread_id for place in places if name in place.enter}
            yield from (entry.id for entry in entries if entry.id not in at_home)

    def _list_differences(self, name: str, sort: str) -> Iterator[Difference]:
        """Walks down both lists at once: they have one order."""
        page, _, rest = name.partition(":")
        filter, _, owner = rest.partition(":")
        redis = (entry for entries in self._ranking.scan(name, sort) for entry in entries)
        sql = self._stored_list(page, filter or "all", int(owner) if owner else None, sort)
        held, wanted = next(redis, None), next(sql, None)
        while held or wanted:
            if held == wanted:
                held, wanted = next(redis, None), next(sql, None)
            elif wanted is None or (held and stands_before(held, wanted)):
                assert held is not None
                yield Difference(name, sort, held, is_in_redis=True)
                held = next(redis, None)
            else:
                yield Difference(name, sort, wanted, is_in_redis=False)
                wanted = next(sql, None)

    def _stored_list(
        self, page: str, filter: str, admin_id: int | None, sort: str
    ) -> Iterator[Entry]:
        after = None
        while True:
            with self._database.read() as connection:
                entries = stored_threads.listed(
                    connection, page, filter, admin_id, sort, CHUNK, after
                )
            yield from entries
            if len(entries) < CHUNK:
                return
            after = (entries[-1].score, entries[-1].id)
