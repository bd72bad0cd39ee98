"""Records events in SQL: each once, with all that follows for threads and customers."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeVar

from sqlalchemy import Connection, select
from sqlalchemy.exc import IntegrityError

from dashboard.errors import StorageUnavailable
from dashboard.intake.outcomes import Outcome, Recorded
from dashboard.intake.recording import Recording
from dashboard.intake.schema import ParsedEvent
from dashboard.store import events, sources, thread_states
from dashboard.store.database import Database
from dashboard.store.models import threads
from scoring.facts import fold
from scoring.ranking import Placement

__all__ = ["Outcome", "Recorded", "Recorder", "write_once"]

Result = TypeVar("Result")

#: How often a write is tried again after another one stored the same id at the same moment.
RACES_MAX = 10
#: Threads that are folded anew in one transaction; others' writes come in between.
REFOLD_SLICE = 500


class Recorder:
    """Writes down what chatbots send; `clock` gives milliseconds since 1970."""

    def __init__(self, database: Database, clock: Callable[[], int]):
        self._database = database
        self._clock = clock

    def record(self, source_id: int, parsed: Sequence[ParsedEvent]) -> Recorded:
        """Records a source's events in one transaction; one outcome an event, in their order.

        Raises StorageUnavailable with nothing stored.
        """
        received_at = self._clock()
        return write_once(
            self._database,
            lambda connection: _record(connection, source_id, received_at, parsed),
        )

    def refold(self, source_id: int) -> Iterator[list[Placement]]:
        """Folds all threads of a source anew, slice by slice; where they now belong.

        For a source that calls for a person in another way than before.
        """
        after_id = 0
        while True:
            ids = self._thread_ids(source_id, after_id)
            if not ids:
                return
            yield self._database.write(partial(_refold, ids=ids))
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


def write_once(database: Database, work: Callable[[Connection], Result]) -> Result:
    """Runs a write, and again where another one stored the same id meanwhile.

    On PostgreSQL two writers may both find an id free: the second then finds it taken.
    """
    for _ in range(RACES_MAX):
        try:
            return database.write(work)
        except IntegrityError as error:
            raced = error
    raise StorageUnavailable() from raced


def _record(
    connection: Connection, source_id: int, received_at: int, parsed: Sequence[ParsedEvent]
) -> Recorded:
    return Recording(connection, source_id, received_at).run(parsed)


def _refold(connection: Connection, ids: Sequence[int]) -> list[Placement]:
    states = thread_states.locked_by_id(connection, ids)
    found = events.folded(connection, [state.id for state in states])
    for state in states:
        handoff_only = sources.is_handoff_only(connection, state.source_id)
        folded = fold(found[state.id], handoff_only=handoff_only)
        state.facts = folded._replace(
            priority=state.facts.priority, member_status=state.facts.member_status
        )
    return thread_states.save(connection, states)
