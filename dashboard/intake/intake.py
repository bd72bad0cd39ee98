"""The one door for everything that changes a thread: recorded first, then placed."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from dashboard.errors import StorageUnavailable
from dashboard.intake.gather import Gather
from dashboard.intake.outcomes import Outcome
from dashboard.intake.place import Placer
from dashboard.intake.record import Recorder
from dashboard.intake.schema import ParsedEvent
from scoring.ranking import Placement

#: Callers whose events share a transaction; a larger delivery has one of its own.
GATHERED_CALLERS = 64
GATHERED_EVENTS = 16


class Delivery(NamedTuple):
    """What one call brought."""

    source_id: int
    events: Sequence[ParsedEvent]


class Intake:
    """Records in SQL, which decides, and then places in Redis, which follows."""

    def __init__(
        self, recorder: Recorder, placer: Placer, acted: Callable[[], object] = lambda: None
    ):
        self._recorder = recorder
        self._placer = placer
        self._gather = Gather(self._accept_together, GATHERED_CALLERS)
        self._acted = acted

    def accept(self, source_id: int, parsed: Sequence[ParsedEvent]) -> list[Outcome]:
        """One outcome an event, in their order. Raises StorageUnavailable with nothing stored.

        Small deliveries that come at the same moment share a transaction: a commit waits for the
        disk, and it does so once for all of them.
        """
        delivery = Delivery(source_id, parsed)
        if len(parsed) > GATHERED_EVENTS:
            return self._accept_alone(delivery)
        outcome = self._gather.do(delivery)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def act(self, action: Callable[..., tuple[Any, Sequence[Placement]]], *given: Any) -> Any:
        """Does what an admin asked for (a method of Actions) and gives its result."""
        result, placements = action(*given)
        self._placer.place(placements)
        # What was done goes out to the chatbot.
        self._acted()
        return result

    def _accept_alone(self, delivery: Delivery) -> list[Outcome]:
        recorded = self._recorder.record(delivery.source_id, delivery.events)
        self._placer.place(recorded.placements)
        return list(recorded.outcomes)

    def _accept_together(self, deliveries: Sequence[Delivery]) -> list[list[Outcome] | Exception]:
        if len(deliveries) == 1:
            return [self._accepted_or_error(deliveries[0])]
        placements: list[Placement] = []
        results: list[list[Outcome] | Exception] = [[] for _ in deliveries]
        for source_id in dict.fromkeys(delivery.source_id for delivery in deliveries):
            places = [i for i, each in enumerate(deliveries) if each.source_id == source_id]
            theirs = [deliveries[place] for place in places]
            found, placed = self._record_together(source_id, theirs)
            placements += placed
            for place, result in zip(places, found, strict=True):
                results[place] = result
        self._placer.place(placements)
        return results

    def _record_together(
        self, source_id: int, deliveries: Sequence[Delivery]
    ) -> tuple[list[list[Outcome] | Exception], Sequence[Placement]]:
        events = [event for delivery in deliveries for event in delivery.events]
        try:
            recorded = self._recorder.record(source_id, events)
        except StorageUnavailable as error:
            return [error for _ in deliveries], []
        except Exception:
            # One of them cannot be recorded: the others must not suffer for it.
            return [self._accepted_or_error(delivery) for delivery in deliveries], []
        outcomes = iter(recorded.outcomes)
        shares: list[list[Outcome] | Exception] = [
            [next(outcomes) for _ in delivery.events] for delivery in deliveries
        ]
        return shares, recorded.placements

    def _accepted_or_error(self, delivery: Delivery) -> list[Outcome] | Exception:
        try:
            return self._accept_alone(delivery)
        except Exception as error:
            return error
