"""Parses events: what senders may write, and the frozen values that it becomes."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Discriminator, Field, RootModel, StrictBool, ValidationError

from dashboard.errors import Invalid, Problem, quoted
from dashboard.validation.field_errors import field_error, invalid, json_pointer
from dashboard.validation.fields import (
    ATTACHMENTS_MAX,
    Body,
    DeskName,
    Id,
    Locale,
    MediaType,
    MemberStatus,
    MessageId,
    Name,
    Partial,
    Priority,
    ReceiptState,
    Role,
    Strict,
    Timestamp,
    Url,
)
from dashboard.validation.tags import NewTags, Tags, check_change
from dashboard.validation.visible import shows_something

BATCH_MAX = 500
_NOTHING: Mapping[str, Any] = MappingProxyType({})
_canonical = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode


class Customer(Partial):
    """A person; what is left out stays as it is, null forgets it."""

    id: Id
    name: Name | None = None
    member_status: MemberStatus = -1
    locale: Locale | None = None
    avatar_url: Url | None = None


class Attachment(Strict):
    url: Url
    type: MediaType | None = None
    name: Name | None = None


class EventBase(Strict):
    id: Id
    occurred_at: Timestamp


class MessageEvent(EventBase):
    """A message in a thread; the body may be empty where something is attached."""

    type: Literal["message"]
    thread: Id
    customer: Customer
    role: Role
    body: Body = ""
    private: StrictBool = False
    attachments: Annotated[list[Attachment], Field(max_length=ATTACHMENTS_MAX)] = Field([])


class CustomerEvent(EventBase):
    """A customer's facts changed: in all of the customer's threads."""

    type: Literal["customer"]
    customer: Customer


class CloseEvent(EventBase):
    type: Literal["thread.close"]
    thread: Id


class ReopenEvent(EventBase):
    type: Literal["thread.reopen"]
    thread: Id


class HandoffEvent(EventBase):
    """The chatbot asks for a person, at a desk if it names one."""

    type: Literal["thread.handoff"]
    thread: Id
    desk: DeskName | None = None


class PriorityEvent(EventBase):
    type: Literal["thread.priority"]
    thread: Id
    priority: Priority


class TagsEvent(EventBase):
    """Tags that the thread gets and loses: at least one, none of them twice."""

    type: Literal["thread.tags"]
    thread: Id
    add: NewTags = Field([])
    remove: Tags = Field([])


class StoredTagsEvent(TagsEvent):
    """Tags that were given by the rules of an earlier time."""

    add: Tags = Field([])


class ReceiptEvent(EventBase):
    """What became of a message that went out to the customer."""

    type: Literal["receipt"]
    message_id: MessageId
    state: ReceiptState


EVENT_MODELS: dict[str, type[EventBase]] = {
    "message": MessageEvent,
    "customer": CustomerEvent,
    "thread.close": CloseEvent,
    "thread.reopen": ReopenEvent,
    "thread.handoff": HandoffEvent,
    "thread.priority": PriorityEvent,
    "thread.tags": TagsEvent,
    "receipt": ReceiptEvent,
}


_AnyEvent = (
    MessageEvent
    | CustomerEvent
    | CloseEvent
    | ReopenEvent
    | HandoffEvent
    | PriorityEvent
    | TagsEvent
    | ReceiptEvent
)


class Event(RootModel[Annotated[_AnyEvent, Discriminator("type")]]):
    """Any event; `type` says which."""


class Batch(Strict):
    """Several events at once, each with a result of its own."""

    events: Annotated[list[Event], Field(min_length=1, max_length=BATCH_MAX)]


class ParsedEvent(NamedTuple):
    """An event as it is recorded; `occurred_at` in milliseconds.

    `customer_fields` holds what the sender stated about the customer, None where it is to be
    forgotten. Equal events of a source have equal fingerprints, for ever.
    """

    id: str
    type: str
    occurred_at: int
    fingerprint: bytes
    thread: str | None = None
    customer: str | None = None
    customer_fields: Mapping[str, Any] = _NOTHING
    role: str | None = None
    body: str | None = None
    private: bool = False
    attachments: Sequence[Mapping[str, Any]] = ()
    data: Mapping[str, Any] = _NOTHING
    #: When it was received, in milliseconds, if not now: of an import alone.
    received_at: int | None = None


class ParsedRequest(NamedTuple):
    """A posted document: one event, or a batch, each parsed or refused."""

    batch: bool
    items: list[ParsedEvent | Invalid]


def parse_request(document: Any) -> ParsedRequest:
    """Parses one event object or `{"events": […]}`.

    Raises Problem where there is nothing to go through: no object, no list, none or too many.
    """
    if not (isinstance(document, dict) and "events" in document):
        return ParsedRequest(False, [_parsed_or_refused(document, "")])
    entries = document["events"]
    for key in document:
        if key != "events":
            raise field_error(json_pointer("", (key,)), "unknown_field", "is not known here")
    if not isinstance(entries, list):
        raise field_error("/events", "wrong_type", "must be a list")
    if not entries:
        raise field_error("/events", "batch_empty", "holds no event")
    if len(entries) > BATCH_MAX:
        raise Problem(413, "batch_too_large", f"A batch holds at most {BATCH_MAX} events.")
    return ParsedRequest(
        True, [_parsed_or_refused(entry, f"/events/{at}") for at, entry in enumerate(entries)]
    )


def parse(document: Any, pointer: str = "", *, is_stored: bool = False) -> ParsedEvent:
    """Parses one event; `pointer` is where it stands, `is_stored` says that it was taken before.

    Raises Invalid with all that is wrong.
    """
    model = _model_of(document, pointer)
    if is_stored and model is TagsEvent:
        model = StoredTagsEvent
    try:
        event = model.__pydantic_validator__.validate_python(document)
    except ValidationError as error:
        raise invalid(error, pointer) from None
    if isinstance(event, MessageEvent):
        _check_body(event, pointer)
    if isinstance(event, TagsEvent):
        check_change(event.add, event.remove, pointer)
    return _parsed(event)


def event(id: str, type: str, occurred_at: int, **content: Any) -> ParsedEvent:
    """A parsed event from checked values; a field at its default counts as left out."""
    stated = {name: value for name, value in content.items() if value}
    canonical = _canonical([id, type, occurred_at, stated])
    fingerprint = hashlib.sha256(canonical.encode()).digest()
    return ParsedEvent(id, type, occurred_at, fingerprint, **content)


def tags_data(add: Iterable[str], remove: Iterable[str]) -> dict[str, Any]:
    """The content of an event that changes tags: lists in order, and none that are empty."""
    found = {"add": sorted(add), "remove": sorted(remove)}
    return {name: tags for name, tags in found.items() if tags}


def _parsed_or_refused(document: Any, pointer: str) -> ParsedEvent | Invalid:
    try:
        return parse(document, pointer)
    except Invalid as problem:
        return problem


def _model_of(document: Any, pointer: str) -> type[EventBase]:
    if not isinstance(document, dict):
        raise field_error(pointer, "wrong_type", "must be an object")
    name = document.get("type")
    if name is None:
        raise field_error(pointer + "/type", "missing_field", "is missing")
    if not isinstance(name, str):
        raise field_error(pointer + "/type", "wrong_type", "must be a string")
    if name not in EVENT_MODELS:
        raise field_error(
            pointer + "/type", "unknown_value", f"{quoted(name, 60)} is no type of event"
        )
    return EVENT_MODELS[name]


def _check_body(message: MessageEvent, pointer: str) -> None:
    if message.attachments or shows_something(message.body):
        return
    if "body" not in message.model_fields_set:
        raise field_error(pointer + "/body", "missing_field", "is missing")
    raise field_error(pointer + "/body", "empty_text", "is empty, and nothing is attached")


def _parsed(given: Any) -> ParsedEvent:
    content: dict[str, Any] = {}
    if isinstance(given, MessageEvent):
        content = {"role": given.role, "body": given.body}
        content["private"] = given.private and given.role == "admin"
        content["attachments"] = [entry.model_dump() for entry in given.attachments]
    elif isinstance(given, PriorityEvent):
        content = {"data": {"priority": given.priority}}
    elif isinstance(given, HandoffEvent) and given.desk is not None:
        content = {"data": {"desk": given.desk}}
    elif isinstance(given, TagsEvent):
        content = {"data": tags_data(given.add, given.remove)}
    elif isinstance(given, ReceiptEvent):
        content = {"data": {"message_id": given.message_id, "state": given.state}}
    if not isinstance(given, CustomerEvent | ReceiptEvent):
        content["thread"] = given.thread
    if isinstance(given, MessageEvent | CustomerEvent):
        stated = given.customer.changes()
        content["customer"] = stated.pop("id")
        content["customer_fields"] = stated
    return event(given.id, given.type, given.occurred_at, **content)
