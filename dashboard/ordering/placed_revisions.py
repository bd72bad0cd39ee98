"""What a process has placed in Redis, until SQL knows it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from dashboard.db.database import Database
from dashboard.db.placing import placed

#: Revisions of a thread that a process remembers while one before them is not known to be placed.
AHEAD_MAX = 200
#: Threads whose revisions are saved at once.
SLICE = 2_000


class PlacedRevisions:
    """Revisions of threads that are in Redis, and not yet in `threads.placed_revision`.

    That column goes on to the next revision only: each revision names the lists that it leaves, so
    one that nobody placed must be noticed. What does not follow waits for the process that placed
    the one before. Where that died, the thread stays unplaced, and the reconciler places it on
    every list.
    """

    def __init__(self) -> None:
        self._placed: defaultdict[int, set[int]] = defaultdict(set)
        self._everywhere: dict[int, int] = {}

    def add(self, revisions: Iterable[tuple[int, int]]) -> None:
        """Notes thread ids with a revision that was placed on its own lists."""
        for id, revision in revisions:
            self._placed[id].add(revision)

    def add_everywhere(self, revisions: Mapping[int, int]) -> None:
        """Notes revisions (by thread id) that were placed on every list, whatever became of earlier
        ones."""
        for id, revision in revisions.items():
            self._everywhere[id] = max(self._everywhere.get(id, 0), revision)

    def save(self, database: Database) -> int:
        """Writes what was noted; returns the number of threads.

        Raises StorageUnavailable; then the next call writes it.
        """
        noted, self._placed = self._placed, defaultdict(set)
        everywhere, self._everywhere = self._everywhere, {}
        ids = sorted(noted.keys() | everywhere.keys())
        count = 0
        try:
            for first in range(0, len(ids), SLICE):
                count += self._save(database, ids[first : first + SLICE], noted, everywhere)
        finally:
            # Also what could not be written: placing it once more would change nothing.
            self.add_everywhere(everywhere)
            for id, revisions in noted.items():
                self._placed[id] |= revisions
        return count

    def _save(
        self,
        database: Database,
        ids: Sequence[int],
        noted: dict[int, set[int]],
        everywhere: dict[int, int],
    ) -> int:
        """Saves some threads, and leaves in `noted` and `everywhere` what has to wait."""
        with database.read() as connection:
            saved = placed.placed_revisions(connection, ids)
        last = {
            id: _last_in_turn(max(revision, everywhere.get(id, 0)), noted.get(id, ()))
            for id, revision in saved.items()
        }
        changed = {id: revision for id, revision in last.items() if revision > saved[id]}
        if changed:
            database.write(lambda connection: placed.save_placed(connection, changed))
        for id in ids:
            everywhere.pop(id, None)
            # A thread that is not in SQL is no more.
            known = last.get(id)
            ahead = {each for each in noted.pop(id, ()) if known is not None and each > known}
            if ahead and len(ahead) <= AHEAD_MAX:
                noted[id] = ahead
        return len(changed)


def _last_in_turn(revision: int, placed: Iterable[int]) -> int:
    """The last revision up to which all are placed, if those up to `revision` are."""
    for each in sorted(placed):
        if each == revision + 1:
            revision = each
    return revision
