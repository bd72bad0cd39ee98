"""Events as senders post them, the frozen values made of them, and their outcomes."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Annotated, Any, Literal, NamedTuple, Union

from pydantic import Discriminator, Field, RootModel, ValidationError

from dashboard.db.threads.events import KnownEvent
from dashboard.db.threads.messages import Attachment, Message
from dashboard.errors import FieldError, Invalid, Problem, quoted
from dashboard.event_types import EVENT_TYPES, EventType
from dashboard.validation.field_errors import field_error, invalid, json_pointer
from dashboard.validation.fields import Strict
from scoring.placing import Placement

BATCH_MAX = 500
_NOTHING: Mapping[str, Any] = MappingProxyType({})
#: Fields that several types have, and those of a message.
_NO_DATA = frozenset({"id", "type", "occurred_at", "thread", "customer"})
_NO_DATA |= {"role", "body", "private", "attachments"}
_canonical = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode


_AnyEvent: Any = Annotated[
    Union[tuple(type.model for type in EVENT_TYPES.values())],  # noqa: UP007
    Discriminator("type"),
]


class Event(RootModel[_AnyEvent]):
    """Any event; `type` says which."""


class Batch(Strict):
    """Several events at once; each gets its own result."""

    events: Annotated[list[Event], Field(min_length=1, max_length=BATCH_MAX)]


class ParsedEvent(NamedTuple):
    """An event as it is recorded; `occurred_at` in milliseconds.

    `customer_fields`: the values that the sender stated about the customer, None to forget one.
    Equal events of a source have equal fingerprints, for ever.
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
    attachments: Sequence[Attachment] = ()
    data: Mapping[str, Any] = _NOTHING
    #: The time of receipt, in milliseconds, if it is not now: only imports have it.
    received_at: int | None = None


class ParsedRequest(NamedTuple):
    """A posted document: one event, or a batch, each parsed or refused."""

    batch: bool
    items: list[ParsedEvent | Invalid]


def parse_request(document: Any) -> ParsedRequest:
    """Parses one event object or `{"events": […]}`.

    Raises Problem if it holds no events: no object, no list, none or too many.
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
    """Parses one event; `pointer` is its place, `is_stored` says that it was accepted before.

    Raises Invalid with all errors.
    """
    type = _type_of(document, pointer)
    model = (is_stored and type.stored_model) or type.model
    try:
        instance = model.__pydantic_validator__.validate_python(document)
    except ValidationError as error:
        raise invalid(error, pointer) from None
    instance.check(pointer)
    return parsed_event(instance)


def parsed_event(model: Any) -> ParsedEvent:
    """Returns the event of a model, as it is recorded. Fields that only its type has become `data`:
    lists are sorted, and empty values left out."""
    members = model.__dict__
    content: dict[str, Any] = {"thread": members.get("thread")}
    if "customer" in members:
        fields = model.customer.changes()
        content["customer"] = fields.pop("id")
        attributes = fields.pop("attributes", None)
        if attributes is not None:
            # By name: a database, and so an export, may change the order of members.
            fields["attributes"] = dict(sorted(attributes.items()))
        content["customer_fields"] = fields
    if "body" in members:
        attachments = members.get("attachments", ())
        content |= {"role": getattr(model, "role", None), "body": model.body}
        content["private"] = content["role"] == "admin" and model.private
        content["attachments"] = [entry.model_dump() for entry in attachments]
    content["data"] = {
        name: sorted(value) if isinstance(value, list) else value
        for name, value in members.items()
        if name not in _NO_DATA and value not in (None, [])
    }
    return event(model.id, model.type, model.occurred_at, **content)


def event(id: str, type: str, occurred_at: int, **content: Any) -> ParsedEvent:
    """Builds a parsed event from checked values; a field at its default counts as left out."""
    stated = {name: value for name, value in content.items() if value}
    canonical = _canonical([id, type, occurred_at, stated])
    fingerprint = hashlib.sha256(canonical.encode()).digest()
    return ParsedEvent(id, type, occurred_at, fingerprint, **content)


def tags_data(add: Iterable[str], remove: Iterable[str]) -> dict[str, list[str]]:
    """Returns the content of an event that changes tags: sorted lists, without empty ones."""
    lists = {"add": sorted(add), "remove": sorted(remove)}
    return {name: tags for name, tags in lists.items() if tags}


def _parsed_or_refused(document: Any, pointer: str) -> ParsedEvent | Invalid:
    try:
        return parse(document, pointer)
    except Invalid as problem:
        return problem


def _type_of(document: Any, pointer: str) -> EventType:
    if not isinstance(document, dict):
        raise field_error(pointer, "wrong_type", "must be an object")
    name = document.get("type")
    if name is None:
        raise field_error(pointer + "/type", "missing_field", "is missing")
    if not isinstance(name, str):
        raise field_error(pointer + "/type", "wrong_type", "must be a string")
    if name not in EVENT_TYPES:
        detail = f"{quoted(name, 60)} is not a type of event"
        raise field_error(pointer + "/type", "unknown_value", detail)
    return EVENT_TYPES[name]


#: Ids of erased events stay taken: any event with such an id is a conflict, even an equal one.
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
    """An outcome for each event in order, the placements of changed threads, and the author's new
    messages as the dashboard shows them."""

    outcomes: list[Outcome] = field(default_factory=list)
    placements: list[Placement] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)


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
