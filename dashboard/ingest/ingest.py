"""The entry point of events and acts: stores them in SQL, then places their threads in Redis."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from dashboard.errors import OutcomeUnknown, StorageUnavailable
from dashboard.group_commit import GroupCommit
from dashboard.ingest.recorder import Recorder
from dashboard.ingest.schema import Outcome, ParsedEvent
from dashboard.ordering.placer import Placer
from dashboard.turns import turns
from scoring.placing import Placement

#: The most requests that share a transaction, and the most events of such a request: a larger one
#: is stored by itself, in slices.
GROUPED_CALLERS_MAX = 64
GROUPED_EVENTS_MAX = 16
#: The list id of all closed threads.
_CLOSED = "history"


class Batch(NamedTuple):
    """The events of one request."""

    source_id: int
    events: Sequence[ParsedEvent]


class Ingest:
    """Stores events and acts, and places their threads.

    `on_act` is called after each act of an admin, which may have written to the outbox; `on_closed`
    is called with the ids of changed threads that are closed.
    """

    def __init__(
        self,
        recorder: Recorder,
        placer: Placer,
        on_act: Callable[[], object] = lambda: None,
        on_closed: Callable[[list[int]], object] = lambda thread_ids: None,
    ):
        self._recorder = recorder
        self._placer = placer
        self._on_closed = on_closed
        self._group_commit = GroupCommit(self._accept_together, GROUPED_CALLERS_MAX)
        self._on_act = on_act

    def accept(self, source_id: int, parsed: Sequence[ParsedEvent]) -> list[Outcome]:
        """Stores events; returns one outcome for each, in order.

        Small batches of concurrent requests share a transaction, because each commit waits for the
        disk. Raises StorageUnavailable if nothing was stored, and OutcomeUnknown if a part of a
        large batch was.
        """
        batch = Batch(source_id, parsed)
        if len(parsed) > GROUPED_EVENTS_MAX:
            return self._accept_alone(batch)
        outcome = self._group_commit.do(batch)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def act(self, action: Callable[..., tuple[Any, Sequence[Placement]]], *arguments: Any) -> Any:
        """Runs `action`, which returns (result, placements); returns the result."""
        result, placements = action(*arguments)
        self._place(placements)
        self._on_act()
        return result

    def _place(self, placements: Sequence[Placement]) -> None:
        self._placer.place(placements)
        closed = [entry.thread_id for entry in placements if entry.lists.get(_CLOSED) is not None]
        if closed:
            self._on_closed(closed)

    def _accept_alone(self, batch: Batch) -> list[Outcome]:
        """Stores a large batch in slices, so that others can run: a transaction never yields."""
        outcomes: list[Outcome] = []
        for events in turns.slices(batch.events, GROUPED_EVENTS_MAX):
            try:
                written = self._recorder.record(batch.source_id, events)
            except StorageUnavailable as error:
                if outcomes:
                    raise OutcomeUnknown() from error
                raise
            self._place(written.placements)
            outcomes += written.outcomes
        return outcomes

    def _accept_together(self, batches: Sequence[Batch]) -> list[list[Outcome] | Exception]:
        if len(batches) == 1:
            return [self._accept_or_error(batches[0])]
        placements: list[Placement] = []
        results: list[list[Outcome] | Exception] = [[] for _ in batches]
        for source_id in dict.fromkeys(batch.source_id for batch in batches):
            indexes = [i for i, batch in enumerate(batches) if batch.source_id == source_id]
            own = [batches[index] for index in indexes]
            source_results, new_placements = self._record_together(source_id, own)
            placements += new_placements
            for index, result in zip(indexes, source_results, strict=True):
                results[index] = result
        self._place(placements)
        return results

    def _record_together(
        self, source_id: int, batches: Sequence[Batch]
    ) -> tuple[list[list[Outcome] | Exception], Sequence[Placement]]:
        events = [event for batch in batches for event in batch.events]
        try:
            written = self._recorder.record(source_id, events)
        except StorageUnavailable as error:
            return [error for _ in batches], []
        except Exception:
            # The batches fail together: each is tried alone, so that only the wrong one fails.
            return [self._accept_or_error(batch) for batch in batches], []
        outcomes = iter(written.outcomes)
        shares: list[list[Outcome] | Exception] = [
            [next(outcomes) for _ in batch.events] for batch in batches
        ]
        return shares, written.placements

    def _accept_or_error(self, batch: Batch) -> list[Outcome] | Exception:
        try:
            return self._accept_alone(batch)
        except Exception as error:
            return error
