"""What all ways of filling new lists share."""

import time
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial

from sqlalchemy import ColumnElement

from dashboard.db import id_ranges
from dashboard.db.database import Database
from dashboard.db.lists.entries import bring_forward, changes_ahead
from dashboard.db.lists.query_lists import QueryList
from dashboard.db.threads import threads as stored_threads
from scoring.rebuilding import Rebuild

#: Threads read and sent at once; few enough that sockets are served in between.
SLICE = 2_000

#: Is told how many threads were read.
Progress = Callable[[int], object]
#: Thread id to the revision that was read.
Revisions = dict[int, int]


class Filling:
    """A rebuild under way. `clock` gives milliseconds; of the lists that were `never_built` threads
    do not know yet when time changes whether these hold them."""

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
        """Of all threads; younger ones are placed by their first write, and that is logged."""
        with self._database.read() as connection:
            return stored_threads.last_id(connection)

    def _ranges(self, last_id: int) -> Iterator[tuple[int, int]]:
        """Ranges after an id and up to one, without those in which all threads are archived; what
        looks at one does so within `self._stride.timed()`."""
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
        return [each for each in lists if each.id in self._never_built]

    def _bring_forward(self, new: Collection[QueryList], some: ColumnElement[bool]) -> None:
        """Lets the queue of what is due take up some of the threads for these lists: each write of
        a thread sets its next change for the lists that there are then."""
        if not new:
            return
        self._rebuild.hold()
        with self._database.read() as connection, self._stride.timed():
            changes = changes_ahead(connection, new, self._clock(), some)
        for first in range(0, len(changes), SLICE):
            part = changes[first : first + SLICE]
            self._database.write(partial(bring_forward, changes=part), is_idempotent=True)
            time.sleep(0)
