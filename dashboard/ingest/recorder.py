"""Stores events in SQL, each once, with the changes of their threads and customers."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeVar

from sqlalchemy import Connection, select
from sqlalchemy.exc import IntegrityError

from dashboard.db.accounts import sources
from dashboard.db.database import Database
from dashboard.db.models.threads import threads
from dashboard.db.threads import thread_states
from dashboard.errors import StorageUnavailable
from dashboard.ingest.erase import ErasedEvents
from dashboard.ingest.event_writer import EventWriter
from dashboard.ingest.folding import fold_stored
from dashboard.ingest.releases import IsAbsent
from dashboard.ingest.saving import save
from dashboard.ingest.schema import ParsedEvent, WriteResult
from scoring.placing import Placement

Result = TypeVar("Result")

#: Attempts of a write that conflicts with concurrent writes of the same id.
ATTEMPTS_MAX = 10
#: Threads that one transaction of a refold folds; other writes run in between.
REFOLD_SLICE = 500


class Recorder:
    """Stores events of chatbots; `clock` gives milliseconds since 1970.

    `is_absent`: a thread of such an admin is released when an event reopens it.
    """

    def __init__(
        self,
        database: Database,
        clock: Callable[[], int],
        is_absent: IsAbsent = lambda admin_id: False,
    ):
        self._database = database
        self._clock = clock
        self._is_absent = is_absent

    def record(self, source_id: int, parsed: Sequence[ParsedEvent]) -> WriteResult:
        """Stores a source's events in one transaction; returns one outcome for each, in order.

        Raises StorageUnavailable with nothing stored.
        """
        received_at = self._clock()
        erased: set[str] = set()

        def write(connection: Connection) -> WriteResult:
            return EventWriter(
                connection, source_id, received_at, erased=erased, is_absent=self._is_absent
            ).run(parsed)

        while True:
            try:
                return retry_on_conflict(self._database, write)
            except ErasedEvents as error:
                erased |= error.ids

    def refold(self, source_id: int, after_id: int = 0) -> Iterator[list[Placement]]:
        """Folds all threads of a source after this id again, in slices; yields their placements.
        `sources.refolded` tells how far it is.

        Needed when the kinds of events that count as requests change.
        """
        while True:
            ids = self._thread_ids(source_id, after_id)
            if not ids:
                self._database.write(
                    partial(sources.set_refolded, source_id=source_id, thread_id=None)
                )
                return
            yield self._database.write(
                partial(_refold, source_id=source_id, ids=ids, now_ms=self._clock()),
                is_idempotent=True,
            )
            after_id = ids[-1]

    def _thread_ids(self, source_id: int, after_id: int) -> list[int]:
        with self._database.read() as connection:
            return list(
                connection.scalars(
                    select(threads.c.id)
                    .where(threads.c.source_id == source_id, threads.c.id > after_id)
                    .order_by(threads.c.id)
                    .limit(REFOLD_SLICE)
                )
            )


def retry_on_conflict(database: Database, work: Callable[[Connection], Result]) -> Result:
    """Runs an idempotent write, and again after IntegrityError; the next run finds the conflicting
    row.

    On PostgreSQL two concurrent writers may both find an id free. Raises StorageUnavailable after
    `ATTEMPTS_MAX` conflicts.
    """
    for _ in range(ATTEMPTS_MAX):
        try:
            return database.write(work, is_idempotent=True)
        except IntegrityError as error:
            conflict = error
    raise StorageUnavailable() from conflict


def _refold(
    connection: Connection, source_id: int, ids: Sequence[int], now_ms: int
) -> list[Placement]:
    states = thread_states.locked_by_id(connection, ids)
    fold_stored(connection, states, sources.is_handoff_only(connection, source_id))
    sources.set_refolded(connection, source_id, ids[-1])
    return save(connection, states, now_ms)
