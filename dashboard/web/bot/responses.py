"""The answers of the bot API: one model for each JSON answer."""

import re
from typing import Annotated, Any, Literal, Union

from pydantic import Discriminator, Field, RootModel, create_model

from dashboard.event_types import (
    OUTGOING_TYPES,
    PRESENCE_CUSTOMER,
    PRESENCE_TEAM,
    Member,
    OutgoingType,
)
from dashboard.validation import fields
from dashboard.web.bot.presence import State, TeamMember
from dashboard.web.http import schemas
from dashboard.web.http.schemas import Absent, Answer, Milliseconds, Person, Problem, ThreadId

DateTime = Annotated[str, Field(json_schema_extra={"format": "date-time"})]


class Result(Answer):
    """The outcome of one event; `thread_id` if the event names a thread."""

    status: Literal["created", "duplicate"]
    id: Annotated[str, Field(description="The event's id.")]
    thread_id: ThreadId = Absent


class BatchResult(Answer):
    """The outcome of one event of a batch."""

    index: Annotated[int, Field(description="The position in the batch, from 0.")]
    status: Literal["created", "duplicate", "rejected"]
    id: Annotated[str | None, Field(description="The event's id, if it has one.")]
    thread_id: ThreadId = Absent
    problem: Problem = Absent


class BatchResults(Answer):
    """A result for each event of a batch, in the same order."""

    results: list[BatchResult]


class ThreadPlace(Answer):
    """The place of a thread among those that wait in a queue."""

    queue: Annotated[fields.Queue | None, Field(description="Null: it waits in no queue.")]
    position: Annotated[int | None, Field(description="From 1 on.")]
    of: int | None
    expected_seconds: int | None


class ListEntry(Answer):
    """A thread at its position."""

    id: ThreadId
    source: str
    thread: Annotated[str, Field(description="The source's id of the thread.")]
    score: Annotated[
        int, Field(description="Lower scores come first; with equal scores, lower ids.")
    ]


class List(Answer):
    """A part of a list."""

    view: str
    sort: str
    epoch: Annotated[str | None, Field(description="Changes when the order was rebuilt.")]
    version: Annotated[int, Field(description="Grows with each change of the list.")]
    total: Annotated[
        int, Field(description="The number of threads on the list, without archived ones.")
    ]
    threads: list[ListEntry]
    next: Annotated[str | None, Field(description="The next cursor; null at the end.")]


class Message(schemas.Message):
    """`data` of `message.created`; a `receipt` names its id.

    Events from before an upgrade have no `customer_online` and `last_seen`.
    """

    delivery: None
    customer_online: Annotated[
        bool | None,
        Field(description="Whether the customer was online then; null: not known."),
    ] = Absent
    last_seen: Annotated[
        Milliseconds | None,
        Field(description="When the customer was seen last, as of then; null: not known."),
    ] = Absent


class ThreadMessage(schemas.Message):
    """A message of a conversation; `delivery` if it goes to the customer. `event` is the id that
    you gave it, null for an admin's."""

    delivery: schemas.Delivery | None
    edit: schemas.Edit = Absent
    event: str | None


class ThreadMessages(Answer):
    """A part of a conversation, the newest message last."""

    messages: list[ThreadMessage]
    more: Annotated[bool, Field(description="Whether there are earlier ones.")]


class ThreadAct(Answer):
    """An act on a thread.

    `by` is null for `thread.due`, and if a thread woke at its time or by the customer's message.
    """

    thread_id: ThreadId
    by: Person | None


class OutboxEvent(Answer):
    """An event for a chatbot."""

    id: Annotated[str, Field(description="The same however often the event is sent.")]
    occurred_at: DateTime


class Presence(OutboxEvent):
    """Presence, for who asks for it."""

    seq: Annotated[int, Field(description="Grows with each event about this person.")]


class TeamAssignee(TeamMember):
    """An admin with a thread of yours."""

    id: int


class PresenceTeamData(Answer):
    """As `presence/team` answers; `assignee` is the admin who has changed, null: none."""

    online: bool
    assignee: TeamAssignee | None


class PresenceCustomerData(State):
    """The state of one customer, as `presence` answers."""

    customer: Annotated[str, Field(description="Your id of the customer.")]


class Outgoing(OutboxEvent):
    """An event about a thread."""

    seq: Annotated[int, Field(description="Counts within the thread, from 1.", ge=1)]
    thread: Annotated[str, Field(description="Your id of the thread.")]


_PRESENCE_DATA = {
    PRESENCE_TEAM.name: PresenceTeamData,
    PRESENCE_CUSTOMER.name: PresenceCustomerData,
}


def _event_model(type: OutgoingType) -> type[OutboxEvent]:
    name = "".join(word.capitalize() for word in re.split("[._]", type.name))
    is_of_type: Any = (Literal[type.name], ...)
    if type.name in _PRESENCE_DATA:
        data: Any = _PRESENCE_DATA[type.name]
        return create_model(name, __base__=Presence, type=is_of_type, data=(data, ...))
    data = Message
    if type.members or type.sets is not None:
        members = {name: _member(member) for name, member in type.members.items()}
        data = create_model(f"{name}Data", __base__=ThreadAct, **members)
    return create_model(name, __base__=Outgoing, type=is_of_type, data=(data, ...))


def _member(member: Member) -> Any:
    """Returns the type of a member and its default, as pydantic takes them."""
    type, about, is_required = member
    annotation: Any = Annotated[type, Field(description=f"{about[:1].upper()}{about[1:]}.")]
    return annotation if about else type, ... if is_required else Absent


OUTGOING = {type.name: _event_model(type) for type in OUTGOING_TYPES}


_AnyEvent: Any = Annotated[Union[tuple(OUTGOING.values())], Discriminator("type")]  # noqa: UP007


class OutgoingEvent(RootModel[_AnyEvent]):
    """An act of an admin, an effect of time, or presence; `type` says which."""


class OutgoingEvents(Answer):
    """The acts of admins, in the order in which they were committed."""

    events: list[OutgoingEvent]
    next: Annotated[str, Field(description="The next cursor, also when nothing is new.")]


class TypingData(Answer):
    thread_id: ThreadId
    by: Person
    until: Annotated[DateTime, Field(description="How long the customer's page shows it.")]


class AdminTyping(Answer):
    """An admin is writing a reply; only for webhooks, at most every 2 s, not kept, not retried."""

    id: str
    type: Literal["admin.typing"]
    occurred_at: DateTime
    thread: Annotated[str, Field(description="Your id of the thread.")]
    data: TypingData


class WebhookTestData(Answer):
    source: str


class WebhookTest(Answer):
    """A test of the webhook by a supervisor."""

    id: str
    type: Literal["webhook.test"]
    occurred_at: DateTime
    data: WebhookTestData
