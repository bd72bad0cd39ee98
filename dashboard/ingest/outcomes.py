"""Outcomes of events, and the results of a write."""

from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from dashboard.db.threads.events import KnownEvent
from dashboard.errors import FieldError, Problem
from dashboard.ingest.schema import ParsedEvent
from scoring.placing import Placement

#: Ids of erased events stay taken: any event with such an id is a conflict, also the same one.
NO_FINGERPRINT = bytes(32)
Status = Literal["created", "duplicate", "rejected"]


class Outcome(NamedTuple):
    """The outcome of one event; `thread_id` is None for an event without a thread."""

    status: Status
    id: str
    thread_id: int | None = None
    problem: Problem | None = None


@dataclass(frozen=True)
class WriteResult:
    """An outcome for each event in order, the placements of changed threads, and what an author
    wrote: the new messages as the dashboard shows them."""

    outcomes: list[Outcome] = field(default_factory=list)
    placements: list[Placement] = field(default_factory=list)
    messages: list[dict[str, Any]] = field(default_factory=list)


class EventIdConflict(Problem):
    """The id belongs to another event."""

    def __init__(self) -> None:
        detail = "Another event has this id; ids are unique for ever."
        super().__init__(
            409, "event_id_conflict", detail, [FieldError("/id", "event_id_conflict", detail)]
        )


def repeated(event: ParsedEvent, first: KnownEvent | ParsedEvent) -> Outcome:
    """Returns the outcome of an event with the id of an earlier one."""
    if event.fingerprint == first.fingerprint:
        return Outcome("duplicate", event.id, getattr(first, "thread_id", None))
    return Outcome("rejected", event.id, problem=EventIdConflict())
