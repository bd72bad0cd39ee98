"""What the dashboard may send: bodies of its calls, and numbers of its query strings."""

import re
from typing import Annotated, Literal

from flask import request
from pydantic import AfterValidator, Field, StrictBool, StrictInt
from pydantic_core import PydanticCustomError

from dashboard.errors import quoted
from dashboard.intake.field_errors import one
from dashboard.intake.fields import (
    INTEGER_MAX,
    Body,
    Id,
    Priority,
    Strict,
    check_characters,
    check_length,
    fault,
)

IDS_MAX = 200
SHORTCUT_MAX = 32
_SHORTCUT = re.compile("[a-z0-9-]+")
_DIGITS_MAX = 16


def _said(text: str) -> str:
    if not text.strip():
        raise fault("empty_text", "is empty")
    return text


ThreadId = Annotated[StrictInt, Field(ge=1, le=INTEGER_MAX)]


Said = Annotated[Body, AfterValidator(_said)]


class ReplyForm(Strict):
    """A message to the customer, or a note (`private`)."""

    body: Said
    token: Id
    private: StrictBool = False
    seen_message_id: Annotated[StrictInt, Field(ge=0, le=INTEGER_MAX)] | None = None
    confirm: StrictBool = False


class NothingForm(Strict):
    """A call that says all by its address."""


class PriorityForm(Strict):
    priority: Priority


class BulkForm(Strict):
    """One action on many threads."""

    ids: Annotated[list[ThreadId], Field(min_length=1, max_length=IDS_MAX)]
    action: Literal["claim", "release", "close", "reopen", "priority"]
    priority: Priority | None = None


def shortcut(text: str) -> str:
    """What is typed for a canned reply."""
    check_length(check_characters(text), SHORTCUT_MAX)
    if not _SHORTCUT.fullmatch(text):
        raise fault("unknown_value", f"{quoted(text, 60)} is none of a-z 0-9 - alone")
    return text


def text(name: str, most: int) -> str:
    """A text of the query string that says something. Raises Invalid."""
    given = request.args.get(name)
    if given is None:
        raise one(f"/{name}", "missing_field", "is missing")
    if not given.strip():
        raise one(f"/{name}", "empty_text", "is empty")
    try:
        return check_length(check_characters(given), most)
    except PydanticCustomError as error:
        raise one(f"/{name}", error.type, error.message()) from None


def one_number_of(*names: str) -> tuple[str | None, int]:
    """Which of these stands in the query string, and its number; one at most. Raises Invalid."""
    given = [name for name in names if name in request.args]
    if len(given) > 1:
        raise one(f"/{given[1]}", "unknown_field", f"does not go with {given[0]}")
    if not given:
        return None, 0
    return given[0], number(given[0], None, 1) or 0


def number(name: str, default: int | None, low: int, high: int = INTEGER_MAX) -> int | None:
    """A number of the query string. Raises Invalid."""
    text = request.args.get(name)
    return default if text is None else _number(f"/{name}", text, low, high)


def ids() -> list[int]:
    """`ids=1,2,3`, each once. Raises Invalid."""
    text = request.args.get("ids")
    if text is None:
        raise one("/ids", "missing_field", "is missing")
    parts = text.split(",") if text else []
    if len(parts) > IDS_MAX:
        raise one("/ids", "too_long", f"has {len(parts)} entries of {IDS_MAX}")
    return list(dict.fromkeys(_number("/ids", part, 1, INTEGER_MAX) for part in parts))


def choice(name: str, allowed: tuple[str, ...], default: str | None = None) -> str:
    """One of a few values in the query string. Raises Invalid."""
    text = request.args.get(name, default)
    if text is None:
        raise one(f"/{name}", "missing_field", "is missing")
    if text not in allowed:
        raise one(f"/{name}", "unknown_value", f"must be one of {', '.join(allowed)}")
    return text


def _number(pointer: str, text: str, low: int, high: int) -> int:
    if not (text.isascii() and text.removeprefix("-").isdigit()):
        raise one(pointer, "wrong_type", "must be a whole number, written with digits only")
    if len(text) > _DIGITS_MAX or not low <= int(text) <= high:
        raise one(pointer, "number_out_of_range", f"must be {low} to {high}")
    return int(text)
