"""Rebuilds the lists in Redis from SQL: all of them, or those of some tags."""

import secrets
import time
from collections import defaultdict, deque
from collections.abc import Callable, Collection, Iterable
from concurrent.futures import Future, ThreadPoolExecutor

from sqlalchemy import delete, insert, select

from dashboard.intake.place import Placer
from dashboard.store import threads as stored_threads
from dashboard.store.database import Database
from dashboard.store.models import admins, epochs
from scoring.pages import all_tags
from scoring.ranking import Placement, Ranking
from scoring.rebuilding import Rebuild

#: Read, packed and sent in one go; small enough that sockets are served in between.
SLICE = 2_000
#: Slices on their way to Redis while the next one is read from SQL: neither waits for the other.
FILLED_AT_ONCE = 2
#: It goes along in every frame, so it is short.
EPOCH_BYTES = 6

Progress = Callable[[int], object]


class Rebuilder:
    """Fills shadow lists from SQL and swaps them in; what moved meanwhile is placed again."""

    def __init__(self, database: Database, ranking: Ranking, placer: Placer):
        self._database = database
        self._ranking = ranking
        self._placer = placer

    def tags(self) -> list[str]:
        """Every tag that there is: the shared ones and three an admin."""
        with self._database.read() as connection:
            return all_tags(connection.scalars(select(admins.c.id).order_by(admins.c.id)))

    def epochs(self) -> dict[str, str]:
        """Which life of each tag in Redis is ours."""
        with self._database.read() as connection:
            return {row.tag: row.epoch for row in connection.execute(select(epochs))}

    def rebuild(self, tags: Collection[str], progress: Progress = lambda threads: None) -> int:
        """Replaces the lists of these tags by what SQL says, under a new epoch.

        Gives how many threads were read and tells `progress` how many more each time. Raises
        RedisError, StorageUnavailable, RebuildBusy and RebuildLost.
        """
        epoch = secrets.token_urlsafe(EPOCH_BYTES)
        with self._ranking.begin_rebuild(tags) as rebuild:
            revisions = self._fill(rebuild, tags, progress)
            moved = {id for tag in tags for id in rebuild.swap(tag, epoch)}
            self._own(tags, epoch)
        self._place_again(moved)
        if set(tags) >= set(all_tags(())):
            self._placer.count_as_placed(revisions)
        return len(revisions)

    def _fill(self, rebuild: Rebuild, tags: Collection[str], progress: Progress) -> dict[int, int]:
        """Fills the lists of these tags; the revision of each thread that was read."""
        revisions: dict[int, int] = {}
        filling: deque[Future[None]] = deque()
        with ThreadPoolExecutor(FILLED_AT_ONCE) as fillers:
            for slice in self._slices():
                revisions.update((place.thread_id, place.revision) for place in slice)
                filling.append(fillers.submit(_fill_slice, rebuild, tags, slice))
                if len(filling) > FILLED_AT_ONCE:
                    filling.popleft().result()
                progress(len(slice))
                # Others' turn: a rebuild must not hold up the sockets.
                time.sleep(0)
            for each in filling:
                each.result()
        return revisions

    def _slices(self):
        after_id = 0
        while True:
            with self._database.read() as connection:
                slice = stored_threads.placements_after(connection, after_id, SLICE)
            if not slice:
                return
            yield slice
            after_id = slice[-1].thread_id

    def _own(self, tags: Collection[str], epoch: str) -> None:
        rows = [{"tag": tag, "epoch": epoch} for tag in sorted(tags)]

        def write(connection):
            connection.execute(delete(epochs).where(epochs.c.tag.in_(list(tags))))
            connection.execute(insert(epochs), rows)

        self._database.write(write)

    def _place_again(self, ids: set[int]) -> None:
        ordered = sorted(ids)
        for start in range(0, len(ordered), SLICE):
            self._placer.place_now(
                placements_everywhere(self._database, ordered[start : start + SLICE], self.tags())
            )


def _fill_slice(rebuild: Rebuild, tags: Collection[str], slice: Iterable[Placement]) -> None:
    by_tag = defaultdict(list)
    for place in slice:
        for tag in place.enter.intersection(tags):
            by_tag[tag].append((place.thread_id, place.revision, place.scores))
    for tag, rows in by_tag.items():
        rebuild.fill(tag, rows)


def placements_everywhere(
    database: Database, ids: Collection[int], tags: Collection[str]
) -> list[Placement]:
    """Where these threads belong now, each to be taken off every other tag of `tags`.

    An id that no thread has is taken off all of them.
    """
    with database.read() as connection:
        places = stored_threads.placements(connection, ids)
    everywhere = frozenset(tags)
    strangers = set(ids) - {place.thread_id for place in places}
    return [place._replace(leave=everywhere - place.enter) for place in places] + [
        Placement(id, 0, leave=everywhere, enter=frozenset(), scores=()) for id in sorted(strangers)
    ]
