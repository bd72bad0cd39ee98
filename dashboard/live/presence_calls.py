"""What a browser may say of presence: each call's one object, checked to the letter."""

from typing import Any

from pydantic import ValidationError

from dashboard.attendance.forms import PresenceSettings
from dashboard.errors import FieldError, Invalid
from dashboard.intake.field_errors import invalid
from dashboard.live.calls import INTEGER_MAX, WATCH_MAX, Form, integer, one_of
from presence.rooms import MODES

KINDS = ("customer", "admin")
#: SOURCE/ID at its longest.
PERSON_MAX = 64 + 1 + 128
FIELD_MAX = 32


def flag(pointer: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise _wrong(pointer, "wrong_type", "This must be true or false.")
    return value


def people(pointer: str, value: Any) -> list[str]:
    """Ids of people: text, in the browser's own order, each once."""
    if not isinstance(value, list):
        raise _wrong(pointer, "wrong_type", "This must be a list of ids.")
    if len(value) > WATCH_MAX:
        raise _wrong(pointer, "too_long", f"There may be up to {WATCH_MAX} ids.")
    for at, one in enumerate(value):
        good = isinstance(one, str) and 0 < len(one) <= PERSON_MAX
        if not (good and one.isascii() and one.isprintable()):
            raise _wrong(f"{pointer}/{at}", "invalid_id", "This is no id of a person.")
    return list(dict.fromkeys(value))


def cursor(pointer: str, value: Any) -> dict[str, Any]:
    """`{message_id | null, field, position}`: where somebody reads or writes."""
    if not isinstance(value, dict):
        raise _wrong(pointer, "wrong_type", "This must be an object.")
    return dict(_CURSOR.read((value,)))


def settings(given: tuple[Any, ...]) -> dict[str, Any]:
    """What is to be set; what is left out stays. Raises Invalid."""
    if len(given) != 1 or not isinstance(given[0], dict):
        raise _wrong("", "wrong_type", "A call takes one object.")
    try:
        return PresenceSettings.model_validate(given[0]).changes()
    except ValidationError as error:
        raise invalid(error) from None


def _short(pointer: str, value: Any) -> str:
    if not isinstance(value, str):
        raise _wrong(pointer, "wrong_type", "This must be text.")
    if len(value) > FIELD_MAX or not value.isprintable():
        raise _wrong(pointer, "too_long", f"This may have up to {FIELD_MAX} characters.")
    return value


def _wrong(pointer: str, code: str, detail: str) -> Invalid:
    return Invalid([FieldError(pointer, code, detail)])


_CURSOR = Form(
    {"field": _short, "position": integer(0, INTEGER_MAX)},
    {"message_id": integer(0, INTEGER_MAX)},
)
PONG = Form({"visible": flag, "idle_ms": integer(0, INTEGER_MAX)})
WATCH = Form({"kind": one_of(KINDS)}, {"add": people, "del": people})
MODE = Form({"id": integer(1), "mode": one_of(MODES)}, {"cursor": cursor})
