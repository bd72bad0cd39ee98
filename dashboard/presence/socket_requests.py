"""Calls of presence from a browser: the object that each Socket.IO call takes."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, PlainValidator, StrictBool, StrictInt

from dashboard.live.requests import WATCH_MAX
from dashboard.validation.fields import INTEGER_MAX, Strict, ThreadId, fault
from presence.rooms import MODES

KINDS = ("customer", "admin")
#: The longest SOURCE/ID.
PERSON_MAX = 64 + 1 + 128
FIELD_MAX = 32


def _person(value: Any) -> str:
    """Checks an id of a person: a number, or SOURCE/ID."""
    is_id = isinstance(value, str) and 0 < len(value) <= PERSON_MAX
    if not (is_id and value.isascii() and value.isprintable()):
        raise fault("invalid_id", "is no id of a person")
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
    """`presence:watch`: the people who come on screen and leave it."""

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
