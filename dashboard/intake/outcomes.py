"""What became of events that were handed in."""

from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from dashboard.errors import FieldError, Problem
from scoring.ranking import Placement

Status = Literal["created", "duplicate", "rejected"]


class Outcome(NamedTuple):
    """What became of one event; `thread_id` is None where it names no thread."""

    status: Status
    id: str
    thread_id: int | None = None
    problem: Problem | None = None


@dataclass(frozen=True)
class Recorded:
    """What a write did: an outcome an event, where its threads now belong, its new messages."""

    outcomes: list[Outcome] = field(default_factory=list)
    placements: list[Placement] = field(default_factory=list)
    messages: list[dict[str, Any]] = field(default_factory=list)


class EventIdConflict(Problem):
    """The id belongs to another event for ever."""

    def __init__(self) -> None:
        detail = "Another event has this id; ids are unique for ever."
        super().__init__(
            409, "event_id_conflict", detail, [FieldError("/id", "event_id_conflict", detail)]
        )
