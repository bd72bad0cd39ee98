"""Calls of presence from a browser or a chatbot: the object that each call takes."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, PlainValidator, StrictBool, StrictInt, WithJsonSchema

from dashboard.live.requests import WATCH_MAX
from dashboard.validation.fields import (
    INTEGER_MAX,
    Id,
    Partial,
    Strict,
    ThreadId,
    check_characters,
    check_length,
    check_visible,
    fault,
    read_timestamp,
)
from presence.rooms import MODES

KINDS = ("customer", "admin")
#: The longest SOURCE/ID.
PERSON_MAX = 64 + 1 + 128
FIELD_MAX = 32


def _person(value: Any) -> str:
    """Checks an id of a person: a number, or SOURCE/ID."""
    is_id = isinstance(value, str) and 0 < len(value) <= PERSON_MAX
    if not (is_id and value.isascii() and value.isprintable()):
        raise fault("invalid_id", "is not the id of a person")
    return value


def _unique(people: list[str]) -> list[str]:
    return list(dict.fromkeys(people))


def _field_name(text: str) -> str:
    if len(text) > FIELD_MAX or not text.isprintable():
        raise fault("too_long", f"may have up to {FIELD_MAX} printable characters")
    return text


_Integer = Annotated[StrictInt, Field(ge=0, le=INTEGER_MAX)]
#: Ids in the browser's own order, each once.
_People = Annotated[
    list[Annotated[str, PlainValidator(_person)]],
    Field(max_length=WATCH_MAX),
    AfterValidator(_unique),
]


class PongRequest(Strict):
    """`presence:pong`: whether the window is visible, and ms since its last input."""

    visible: StrictBool
    idle_ms: _Integer


class WatchPeopleRequest(Strict):
    """`presence:watch`: the people who came on screen, and those who left it."""

    kind: Literal[KINDS]  # type: ignore[valid-type]
    add: _People | None = None
    remove: Annotated[_People | None, Field(alias="del")] = None


class Cursor(Strict):
    """The place where an admin reads or writes."""

    field: Annotated[str, AfterValidator(_field_name)]
    position: _Integer
    message_id: _Integer | None = None


class ModeRequest(Strict):
    """`thread:mode`: the admin's mode in an open thread."""

    id: ThreadId
    mode: Literal[MODES]  # type: ignore[valid-type]
    cursor: Cursor | None = None


BEATS_MAX = 1_000
#: The longest status text, and the longest activity, in characters.
TEXT_MAX, ACTIVITY_MAX = 140, 60
#: A text without control characters and line breaks.
_LINE_PATTERN = r"^[^\u0000-\u0008\u000a-\u000d\u000e-\u001f\u007f-\u009f]*$"


def _moment(value: Any) -> int:
    """Parses a future time: RFC 3339, or milliseconds since 1970."""
    if type(value) is int:
        if not 0 <= value <= INTEGER_MAX:
            raise fault("number_out_of_range", f"must be 0 to {INTEGER_MAX}")
        return value
    if not isinstance(value, str):
        raise fault("wrong_type", "must be an RFC 3339 timestamp, or milliseconds since 1970")
    return read_timestamp(value)


def _one_line(text: str, most: int) -> str:
    check_length(check_characters(text), most)
    if "\n" in text or "\r" in text:
        raise fault("forbidden_character", "holds a line break")
    text = text.strip()
    return check_visible(text) if text else text


Text = Annotated[
    str,
    AfterValidator(lambda text: _one_line(text, TEXT_MAX)),
    WithJsonSchema({"type": "string", "maxLength": TEXT_MAX, "pattern": _LINE_PATTERN}),
]
Activity = Annotated[
    str,
    AfterValidator(lambda text: _one_line(text, ACTIVITY_MAX)),
    WithJsonSchema({"type": "string", "maxLength": ACTIVITY_MAX, "pattern": _LINE_PATTERN}),
]
Moment = Annotated[
    int,
    PlainValidator(_moment),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string", "format": "date-time"},
                {"type": "integer", "minimum": 0, "maximum": INTEGER_MAX},
            ]
        }
    ),
]


class PresenceBeat(Strict):
    """A heartbeat of one of a customer's devices; the first one brings it online."""

    customer: Id
    device: Id
    type: Literal["web", "desktop", "mobile", "tablet", "http"] = "web"
    active: StrictBool = True


class PresenceDevice(Strict):
    customer: Id
    device: Id


class PresenceBeats(Strict):
    beats: Annotated[list[PresenceBeat], Field(min_length=1, max_length=BEATS_MAX)]


class PresenceDevices(Strict):
    devices: Annotated[list[PresenceDevice], Field(min_length=1, max_length=BEATS_MAX)]


class PresenceSettings(Partial):
    """A person's settings; omitted ones stay, null resets them."""

    status: Literal["auto", "away", "busy", "dnd", "invisible"] | None = None
    text: Text | None = None
    activity: Activity | None = None
    until: Moment | None = None
    visibility: Literal["everyone", "contacts", "nobody"] | None = None
    show_last_seen: StrictBool | None = None
    show_typing: StrictBool | None = None


class PresenceTyping(Strict):
    """A customer is writing in a thread."""

    thread: Id
    customer: Id
