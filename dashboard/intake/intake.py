"""The one door for everything that changes a thread: recorded first, then placed."""

from collections.abc import Callable, Sequence
from typing import Any

from dashboard.intake.outcomes import Outcome
from dashboard.intake.place import Placer
from dashboard.intake.record import Recorder
from dashboard.intake.schema import ParsedEvent
from scoring.ranking import Placement


class Intake:
    """Records in SQL, which decides, and then places in Redis, which follows."""

    def __init__(self, recorder: Recorder, placer: Placer):
        self._recorder = recorder
        self._placer = placer

    def accept(self, source_id: int, parsed: Sequence[ParsedEvent]) -> list[Outcome]:
        """One outcome an event, in their order. Raises StorageUnavailable with nothing stored."""
        recorded = self._recorder.record(source_id, parsed)
        self._placer.place(recorded.placements)
        return list(recorded.outcomes)

    def act(self, action: Callable[..., tuple[Any, Sequence[Placement]]], *given: Any) -> Any:
        """Does what an admin asked for (a method of Actions) and gives its result."""
        result, placements = action(*given)
        self._placer.place(placements)
        return result
