"""The types of events, each declared once: of stored events, and of events for chatbots.

A stored event has a model and a row of `EVENT_TYPES`; an event for chatbots, most often also an
act, has a row of `OUTGOING_TYPES`. The schema, folding, acts, undo, the outbox, webhooks, export
and OpenAPI read these rows. "A new event type" in CONTRIBUTING.md says how to add one.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field, StrictBool

from dashboard.validation import fields
from dashboard.validation.field_errors import field_error
from dashboard.validation.tags import NewTags, Tags, check_change
from scoring.facts import Kind


class Customer(fields.Partial):
    """A person; omitted members stay as they are, null deletes one.

    `attributes` replace all earlier ones; null leaves them as they are, and an empty object deletes
    them.
    """

    id: fields.Id
    name: fields.Name | None = None
    member_status: fields.MemberStatus = -1
    locale: fields.Locale | None = None
    avatar_url: fields.Url | None = None
    attributes: fields.Attributes | None = None


class Attachment(fields.Strict):
    url: fields.Url
    type: fields.MediaType | None = None
    name: fields.Name | None = None


class EventBase(fields.Strict):
    id: fields.Id
    occurred_at: fields.Timestamp

    def check(self, pointer: str) -> None:
        """Raises Invalid for members that do not fit together; `pointer` is the event's place."""


class Content(EventBase):
    """The content of a message; the body may be empty if something is attached."""

    body: fields.Body = ""
    attachments: Annotated[list[Attachment], Field(max_length=fields.ATTACHMENTS_MAX)] = Field([])

    def check(self, pointer: str) -> None:
        if self.attachments or fields.shows_something(self.body):
            return
        if fields.was_accepted(self.body):
            return
        if "body" not in self.model_fields_set:
            raise field_error(pointer + "/body", "missing_field", "is missing")
        raise field_error(pointer + "/body", "empty_text", "is empty, and nothing is attached")


class MessageEvent(Content):
    """A message in a thread; the body may be empty if something is attached."""

    type: Literal["message"]
    thread: fields.Id
    customer: Customer
    role: fields.Role
    private: StrictBool = False


class EditedEvent(Content):
    """The customer or the chatbot changed a message. `message` is your id of its event. The new
    content replaces the whole old one: repeat the attachments that stay."""

    type: Literal["message.edited"]
    thread: fields.Id
    message: fields.Id


class DeletedEvent(EventBase):
    """The customer or the chatbot deleted a message, for good. `message` is your id of its
    event."""

    type: Literal["message.deleted"]
    thread: fields.Id
    message: fields.Id


class CustomerEvent(EventBase):
    """Changed facts about a customer; they apply to all of the customer's threads."""

    type: Literal["customer"]
    customer: Customer


class CloseEvent(EventBase):
    type: Literal["thread.close"]
    thread: fields.Id


class ReopenEvent(EventBase):
    type: Literal["thread.reopen"]
    thread: fields.Id


class HandoffEvent(EventBase):
    """The chatbot asks for an admin, at a desk if it names one. With `watch_place` it gets
    `thread.position` whenever the customer's place in line has changed; false ends that."""

    type: Literal["thread.handoff"]
    thread: fields.Id
    desk: fields.DeskName | None = None
    watch_place: StrictBool | None = None


class PriorityEvent(EventBase):
    type: Literal["thread.priority"]
    thread: fields.Id
    priority: fields.Priority


class TagsEvent(EventBase):
    """Tags to add to the thread and to remove: at least one, without repetition."""

    type: Literal["thread.tags"]
    thread: fields.Id
    add: NewTags = Field([])
    remove: Tags = Field([])

    def check(self, pointer: str) -> None:
        check_change(self.add, self.remove, pointer)


class StoredTagsEvent(TagsEvent):
    """Tags that were stored under earlier rules."""

    add: Tags = Field([])


class SuggestionEvent(EventBase):
    """A reply that the chatbot suggests to admins; shown while `for_message` is the last message
    of the customer, the chatbot or an admin. It changes nothing else."""

    type: Literal["thread.suggestion"]
    thread: fields.Id
    body: fields.VisibleBody
    for_message: fields.MessageName


class SummaryEvent(EventBase):
    """A summary of the thread up to a message, shown above the conversation in place of earlier
    ones. It changes nothing else."""

    type: Literal["thread.summary"]
    thread: fields.Id
    body: fields.VisibleBody
    through: fields.MessageName


class ReceiptEvent(EventBase):
    """The delivery state of a message that was sent to the customer."""

    type: Literal["receipt"]
    message_id: fields.MessageId
    state: fields.ReceiptState


class Member(NamedTuple):
    """A member of an act's data, with a short description for OpenAPI."""

    type: Any
    about: str = ""
    is_required: bool = True


class OutgoingType(NamedTuple):
    """A type of events for chatbots. One that sets something is an act, and stands in the
    conversation, too: a later act replaces an earlier one that set the same.

    `summary` is for OpenAPI; `members` are those of `data` except the thread and the admin.
    """

    name: str
    summary: str
    sets: Literal["closed", "assignee", "priority", "tags", "snooze", "due"] | None = None
    members: Mapping[str, Member] = {}


MESSAGE_CREATED = OutgoingType("message.created", "An admin wrote to the customer")
CLOSED = OutgoingType("thread.closed", "A thread was closed", "closed")
REOPENED = OutgoingType("thread.reopened", "A thread was reopened", "closed")
#: The queue that handed a thread out, or got it back.
_QUEUE = Member(fields.Queue, "the queue that gave the thread to its assignee", is_required=False)
ASSIGNED = OutgoingType(
    "thread.assigned",
    "A thread was assigned",
    "assignee",
    {
        "assignee": Member(fields.Person),
        "queue": _QUEUE,
        "over_capacity": Member(
            Literal[True], "the assignee has more threads than queues would give", is_required=False
        ),
    },
)
RELEASED = OutgoingType(
    "thread.released",
    "A thread has no assignee any more",
    "assignee",
    {
        "assignee": Member(None),
        "queue": _QUEUE,
        "returned": Member(
            Literal["released", "not_taken", "offline"],
            "why a thread went back to its queue",
            is_required=False,
        ),
        "desk": Member(
            str, "the desk where it waits, if nobody gave it back by this", is_required=False
        ),
    },
)
DESK_CHANGED = OutgoingType(
    "thread.desk_changed",
    "A thread was handed over to another desk",
    "assignee",
    {"desk": Member(str)},
)
PRIORITY_CHANGED = OutgoingType(
    "thread.priority_changed",
    "The priority of a thread was changed",
    "priority",
    {"priority": Member(fields.Priority)},
)
TAGS_CHANGED = OutgoingType(
    "thread.tags_changed",
    "The tags of a thread were changed",
    "tags",
    {
        "added": Member(list[str], "tags that were added", is_required=False),
        "removed": Member(list[str], "tags that were removed", is_required=False),
    },
)
SNOOZED = OutgoingType(
    "thread.snoozed",
    "A thread was snoozed",
    "snooze",
    {
        "until": Member(fields.Milliseconds),
        "wake": Member(Literal["reply", "never"], "whether a message of the customer also ends it"),
    },
)
WOKEN = OutgoingType(
    "thread.woken",
    "A snooze ended",
    "snooze",
    {"reason": Member(Literal["time", "reply", "admin"])},
)
DUE = OutgoingType(
    "thread.due",
    "A thread was not answered in time",
    "due",
    {
        "due_at": Member(fields.Milliseconds, "the time by which an answer was due (ms)"),
        "waiting_since": Member(fields.Milliseconds),
        "policy": Member(str, "the name of the policy"),
        "target": Member(Literal["first_reply", "next_reply"]),
    },
)
POSITION = OutgoingType(
    "thread.position",
    "The place of a customer in line has changed",
    None,
    {
        "queue": Member(fields.Queue | None, "null: the thread waits in no queue"),
        "position": Member(int | None, "its place, from 1 on"),
        "of": Member(int | None, "threads that wait in the queue"),
        "expected_seconds": Member(
            int | None, "seconds until an admin gets it, as far as that is known"
        ),
    },
)
_SUGGESTION = Member(str, "your id of the suggestion")
_SENT_INSTEAD = {
    "message_id": Member(int, "the message that was sent", is_required=False),
    "body": Member(str, "its text", is_required=False),
}
_SENT = {name: member._replace(is_required=True) for name, member in _SENT_INSTEAD.items()}
SUGGESTION_USED = OutgoingType(
    "suggestion.used",
    "An admin sent a suggestion as it was",
    None,
    {"suggestion": _SUGGESTION, **_SENT},
)
SUGGESTION_EDITED = OutgoingType(
    "suggestion.edited",
    "An admin took a suggestion over, changed and sent it",
    None,
    {"suggestion": _SUGGESTION, **_SENT},
)
SUGGESTION_IGNORED = OutgoingType(
    "suggestion.ignored",
    "An admin answered without a suggestion, or dismissed it",
    None,
    {
        "suggestion": _SUGGESTION,
        "reason": Member(
            Literal["answered", "dismissed", "moved_on"],
            "whether it was still shown when an admin answered, or an admin dismissed it",
        ),
        **_SENT_INSTEAD,
    },
)
#: Maps the outcomes of suggestions to the types that tell of them.
SUGGESTION_OUTCOMES = {
    "used": SUGGESTION_USED,
    "edited": SUGGESTION_EDITED,
    "ignored": SUGGESTION_IGNORED,
}
#: Presence is told to sources that ask for it by name, and to no others.
PRESENCE_TEAM = OutgoingType("presence.team", "An admin came, left or is busy")
PRESENCE_CUSTOMER = OutgoingType("presence.customer", "A customer came, left or is away")
PRESENCE_TYPES = (PRESENCE_TEAM, PRESENCE_CUSTOMER)
#: The types of events about threads in the outbox. Private notes never go out.
THREAD_TYPES = (
    *(MESSAGE_CREATED, CLOSED, REOPENED, ASSIGNED, RELEASED, DESK_CHANGED, PRIORITY_CHANGED),
    *(TAGS_CHANGED, SNOOZED, WOKEN, DUE, POSITION, *SUGGESTION_OUTCOMES.values()),
)
#: All types of events in the outbox.
OUTGOING_TYPES = (*THREAD_TYPES, *PRESENCE_TYPES)
#: An admin is writing a reply: posted to webhooks only, and not stored.
TYPING = OutgoingType("admin.typing", "An admin is writing a reply")
#: A supervisor tries a webhook; not stored either.
WEBHOOK_TEST = OutgoingType("webhook.test", "A supervisor tries the webhook")
#: The names that a webhook may subscribe to.
WEBHOOK_TYPES = tuple(type.name for type in (*THREAD_TYPES, TYPING, *PRESENCE_TYPES))
#: The names of the types that nobody gets without naming them.
NAMED_TYPES = frozenset(type.name for type in PRESENCE_TYPES)
#: The types of acts by name.
ACT_TYPES = {type.name: type for type in OUTGOING_TYPES if type.sets is not None}
#: Maps each member of the data of acts to the types that have it.
ACT_MEMBERS = {
    name: [type for type in ACT_TYPES.values() if name in type.members]
    for act in ACT_TYPES.values()
    for name in act.members
}


class EventType(NamedTuple):
    """A type of stored events.

    `kind` says how the event is folded; that of a message follows from its role. When an admin
    writes such an event, `outgoing` is sent and acts of type `undoes` are undone; both are None for
    types that only chatbots write. `stored_model` parses events that were stored under earlier
    rules, if these differ.
    """

    name: str
    model: type[EventBase]
    kind: Kind = "other"
    outgoing: OutgoingType | None = None
    undoes: OutgoingType | None = None
    stored_model: type[EventBase] | None = None


MESSAGE = EventType("message", MessageEvent, outgoing=MESSAGE_CREATED)
EDITED = EventType("message.edited", EditedEvent)
DELETED = EventType("message.deleted", DeletedEvent)
#: The types that change what is shown of a message; no fact of a thread depends on them.
EDITS = frozenset({EDITED.name, DELETED.name})
CUSTOMER = EventType("customer", CustomerEvent)
CLOSE = EventType("thread.close", CloseEvent, kind="close", outgoing=CLOSED, undoes=REOPENED)
REOPEN = EventType("thread.reopen", ReopenEvent, kind="reopen", outgoing=REOPENED, undoes=CLOSED)
HANDOFF = EventType("thread.handoff", HandoffEvent, kind="handoff")
PRIORITY = EventType(
    "thread.priority", PriorityEvent, outgoing=PRIORITY_CHANGED, undoes=PRIORITY_CHANGED
)
TAGS = EventType(
    "thread.tags",
    TagsEvent,
    outgoing=TAGS_CHANGED,
    undoes=TAGS_CHANGED,
    stored_model=StoredTagsEvent,
)
SUGGESTION = EventType("thread.suggestion", SuggestionEvent)
SUMMARY = EventType("thread.summary", SummaryEvent)
RECEIPT = EventType("receipt", ReceiptEvent)
#: Types of stored events by name.
EVENT_TYPES = {
    type.name: type
    for type in (
        *(MESSAGE, EDITED, DELETED, CUSTOMER, CLOSE, REOPEN, HANDOFF, PRIORITY, TAGS),
        *(SUGGESTION, SUMMARY, RECEIPT),
    )
}
#: Advice of the chatbot for admins: types that count as nothing for facts and order, with the
#: member that names a message of the thread.
ADVICE = {SUGGESTION.name: "for_message", SUMMARY.name: "through"}
