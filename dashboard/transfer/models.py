"""Models of the lines of an export, one for each kind, and the types of their values."""

import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, Field, StrictBool, StrictInt, create_model

from dashboard.db.accounts.sources import NAME as SOURCE_NAME
from dashboard.event_types import EVENT_TYPES, MESSAGE, EventBase
from dashboard.validation.accounts import is_email
from dashboard.validation.fields import (
    ATTACHMENTS_MAX,
    Body,
    DeskName,
    Id,
    MediaType,
    Name,
    NoteText,
    ReceiptState,
    Role,
    Strict,
    Timestamp,
    check_characters,
    check_length,
    check_visible,
    fault,
)
from dashboard.validation.strict_json import JsonObject

#: Precedes the id of an event of the dashboard; no id of a chatbot's event begins with it.
OF_DASHBOARD = "/"
_REFERENCE = re.compile(r"/?[A-Za-z0-9._:-]{1,256}")


def _checked(good: Callable[[str], object], what: str) -> AfterValidator:
    def check(text: str) -> str:
        if not good(text):
            raise fault("unknown_value", f"is not {what}")
        return text

    return AfterValidator(check)


SourceName = Annotated[str, _checked(SOURCE_NAME.fullmatch, "the name of a source")]
Email = Annotated[str, _checked(is_email, "an e-mail address")]
Reference = Annotated[str, _checked(_REFERENCE.fullmatch, "the id of an event")]
Address = Annotated[str, AfterValidator(lambda text: check_length(check_characters(text), 2_048))]


class Header(Strict):
    format: Literal["lineup-events"]
    version: StrictInt


class Desk(Strict):
    desk: DeskName


class Source(Strict):
    """A chatbot, and the desk of its new threads."""

    source: SourceName
    desk: DeskName
    handoff_only: StrictBool


class Admin(Strict):
    """An admin who wrote on the dashboard."""

    admin: Email
    name: Name


class DeskSet(Strict):
    """The last change of a thread's desk: its time, and the event or admin that changed it."""

    at: Timestamp
    by: str


class Thread(Strict):
    """A thread, on a line before its events. Threads are in the order in which they began."""

    thread: Id
    source: SourceName
    desk: DeskName
    desk_set: DeskSet | None = None


class Note(Strict):
    """The note that admins keep on a customer, and who wrote it when; after all events."""

    note: Annotated[NoteText, AfterValidator(check_visible)]
    customer: Id
    source: SourceName
    author: Email
    at: Timestamp


class Outcome(Strict):
    """The outcome of a suggestion, after all events: its time, why it was ignored, the admin who
    decided, and the message that was sent."""

    outcome: Literal["used", "edited", "ignored"]
    suggestion: Reference
    source: SourceName
    at: Timestamp
    reason: Literal["answered", "dismissed", "moved_on"] | None = None
    author: Email | None = None
    reply: Reference | None = None


class Received(Strict):
    """The members of all events: the source of their thread, and the time of receipt."""

    source: SourceName
    received_at: Timestamp


class SentEvent(Received):
    """An event of a chatbot. `message` is the message of a receipt, or the one that a suggestion or
    a summary names by its number."""

    event: JsonObject
    message: Reference | None = None


class Act(Received):
    """An act of an admin on the dashboard. `seen`: the last event that the admin had seen;
    `undoes`: the event that this one undoes."""

    event: JsonObject
    author: Email
    seen: Reference | None = None
    undoes: Reference | None = None


class ErasedEvent(EventBase):
    """The remains of a deleted person's event in another person's thread."""

    type: Literal["message"]
    thread: Id
    role: Role
    private: StrictBool = False


class Erased(Received):
    erased: ErasedEvent


class _Attachment(Strict):
    url: Address
    type: MediaType | None = None
    name: Name | None = None


class Reply(EventBase):
    id: Reference
    type: Literal["message"]
    thread: Id
    role: ClassVar[Role] = "admin"
    body: Body = ""
    private: StrictBool = False
    attachments: Annotated[list[_Attachment], Field(max_length=ATTACHMENTS_MAX)] = Field([])


class Receipt(EventBase):
    type: Literal["receipt"]
    state: ReceiptState


#: The models of an admin's events, by type.
ACTS: Mapping[Any, type[EventBase]] = {
    type.name: create_model(name, __base__=type.stored_model or type.model, id=(Reference, ...))
    for name, type in EVENT_TYPES.items()
    if type.outgoing is not None
} | {MESSAGE.name: Reply}
#: Kinds of lines, by a member that tells them: the first of these members in a line decides.
KINDS: Mapping[str, type[Strict]] = {
    "format": Header,
    "note": Note,
    "outcome": Outcome,
    "author": Act,
    "event": SentEvent,
    "erased": Erased,
    "thread": Thread,
    "admin": Admin,
    "source": Source,
    "desk": Desk,
}
