"""Requests of presence: from chatbots over HTTP, from admins over sockets."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, PlainValidator, StrictBool, WithJsonSchema

from dashboard.validation.fields import (
    INTEGER_MAX,
    Id,
    Partial,
    Strict,
    check_characters,
    check_length,
    check_visible,
    fault,
    read_timestamp,
)

BEATS_MAX = 1_000
#: The longest status text, and the longest activity, in characters.
TEXT_MAX, ACTIVITY_MAX = 140, 60
#: A text without control characters and line breaks.
_LINE_PATTERN = r"^[^\u0000-\u0008\u000a-\u000d\u000e-\u001f\u007f-\u009f]*$"


def _moment(given: Any) -> int:
    """Parses a future time: RFC 3339, or milliseconds since 1970."""
    if type(given) is int:
        if not 0 <= given <= INTEGER_MAX:
            raise fault("number_out_of_range", f"must be 0 to {INTEGER_MAX}")
        return given
    if not isinstance(given, str):
        raise fault("wrong_type", "must be an RFC 3339 timestamp, or milliseconds since 1970")
    return read_timestamp(given)


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
    """A sign of life of one of a customer's devices; a first one brings it online."""

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
    """A person's settings; absent ones stay, null resets."""

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
