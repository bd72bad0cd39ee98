"""What the bot API answers: one model for each JSON answer."""

from typing import Annotated, Literal

from pydantic import Field

from dashboard.db.outbox.outgoing_document import TYPES
from dashboard.web.http import schemas
from dashboard.web.http.schemas import (
    Absent,
    ActContent,
    Answer,
    Person,
    Problem,
    ThreadId,
)


class Result(Answer):
    """What became of one event; `thread_id` where the event names a thread."""

    status: Literal["created", "duplicate"]
    id: Annotated[str, Field(description="The event's id.")]
    thread_id: ThreadId = Absent


class BatchResult(Answer):
    """What became of one event of a batch."""

    index: Annotated[int, Field(description="Which event of the batch, from 0.")]
    status: Literal["created", "duplicate", "rejected"]
    id: Annotated[str | None, Field(description="The event's id, where it has one.")]
    thread_id: ThreadId = Absent
    problem: Problem = Absent


class BatchResults(Answer):
    """A result for each event of a batch, in its order."""

    results: list[BatchResult]


class ListEntry(Answer):
    """A thread at its position."""

    id: ThreadId
    source: str
    thread: Annotated[str, Field(description="The source's id of the thread.")]
    score: Annotated[
        int, Field(description="The lower, the higher up; of equal scores, the lower id.")
    ]


class List(Answer):
    """A part of a list."""

    view: str
    sort: str
    epoch: Annotated[str | None, Field(description="Changes when the order was rebuilt.")]
    version: Annotated[int, Field(description="Grows with each change of the list.")]
    total: Annotated[
        int, Field(description="How many threads the list holds, without archived ones.")
    ]
    threads: list[ListEntry]
    next: Annotated[str | None, Field(description="The next cursor; null at the end.")]


class Message(schemas.Message):
    """`data` of `message.created`; its id is what a `receipt` names."""

    delivery: None


class ThreadAct(ActContent):
    """`data` of all other types: which admin did it, and what changed.

    `by` is null where a thread woke at its moment or with the customer's message, and of
    `thread.due`.
    """

    thread_id: ThreadId
    by: Person | None


class OutgoingEvent(Answer):
    """What an admin did, or what a moment brought."""

    id: Annotated[str, Field(description="The same however often the event is sent.")]
    type: Literal[TYPES]  # type: ignore[valid-type]
    occurred_at: Annotated[str, Field(json_schema_extra={"format": "date-time"})]
    seq: Annotated[int, Field(description="Counts within the thread, from 1.", ge=1)]
    thread: Annotated[str, Field(description="Your id of the thread.")]
    data: Message | ThreadAct


class OutgoingEvents(Answer):
    """What admins did, in the order in which it was committed."""

    events: list[OutgoingEvent]
    next: Annotated[str, Field(description="The next cursor, also when nothing is new.")]
