"""Removes files that were never attached to a message, and contents without a row."""

import time
from collections.abc import Callable

from dashboard.db import files
from dashboard.db.database import Database
from dashboard.files.store import SUBFOLDERS, FileStore

#: Interval between steps; 256 steps, about 43 minutes, compare all contents once.
STEP_SECONDS = 10.0
#: Age at which a file that belongs to no message is removed.
ABANDONED_MS = 24 * 3_600_000
#: Age from which a content without a row belongs to no upload under way. The same age holds for
#: files that were not received completely.
UNKNOWN_SECONDS = 3_600.0


class FileCleaner:
    """Several may run at once: removing a file that another has removed changes nothing.

    `clock` gives milliseconds; `now_s` is the clock of the file system.
    """

    def __init__(
        self,
        database: Database,
        store: FileStore,
        clock: Callable[[], int],
        now_s: Callable[[], float] = time.time,
    ):
        self._database = database
        self._store = store
        self._clock = clock
        self._now_s = now_s
        self._subfolder = 0

    def step(self) -> None:
        """Removes abandoned files, and checks one of the subfolders.

        A row is removed before its content: a step that is cut off leaves a content without a row.
        Raises StorageUnavailable.
        """
        before_ms = self._clock() - ABANDONED_MS
        self._store.remove(self._database.write(lambda c: files.remove_abandoned(c, before_ms)))
        before_s = self._now_s() - UNKNOWN_SECONDS
        self._store.remove_incoming(before_s)
        self._remove_unknown(self._store.older_than(self._subfolder, before_s))
        self._subfolder = (self._subfolder + 1) % SUBFOLDERS

    def _remove_unknown(self, ids: list[str]) -> None:
        for start in range(0, len(ids), files.SLICE):
            some = ids[start : start + files.SLICE]
            with self._database.read() as connection:
                known = files.known(connection, some)
            self._store.remove(set(some) - known)
