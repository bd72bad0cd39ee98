"""Turns errors of the validation library into the codes of docs/protocol.md and JSON pointers."""

from collections.abc import Iterable
from typing import Any

from pydantic import ValidationError

from dashboard.errors import FieldError, Invalid, quoted

#: Most errors in one answer, to keep it small.
ERRORS_MAX = 20
_KEY_MAX = 40

_TYPE_NAMES = {
    "string_type": "a string",
    "int_type": "a whole number, written with digits only",
    "bool_type": "true or false",
    "list_type": "a list",
    "model_type": "an object",
    "dict_type": "an object",
}
_CODES = {
    "missing": ("missing_field", "is missing"),
    "extra_forbidden": ("unknown_field", "is not known here"),
    "string_unicode": ("invalid_unicode", "holds a lone surrogate"),
    "invalid_key": ("invalid_unicode", "has a name that is no text"),
}
_OPTIONAL = frozenset({"private", "attachments", "member_status", "add", "remove"})


def invalid(error: ValidationError, pointer: str = "") -> Invalid:
    """Returns the problem to answer; `pointer` is the place of the validated object."""
    found = error.errors(include_url=False, include_context=True)
    return Invalid([_field_error(one, pointer) for one in found[:ERRORS_MAX]])


def field_error(pointer: str, code: str, detail: str) -> Invalid:
    """Returns a problem with one error."""
    return Invalid([FieldError(pointer, code, f"{named(pointer)} {detail}.")])


def named(pointer: str) -> str:
    """Returns the name of a pointer for a sentence."""
    return quoted(pointer.lstrip("/"), _KEY_MAX + 20) if pointer else "The document"


def json_pointer(pointer: str, loc: Iterable[int | str]) -> str:
    """Appends a location to a pointer (RFC 6901); keys that the sender chose are cut."""
    for part in loc:
        key = str(part)[:_KEY_MAX].encode("utf-8", "replace").decode()
        pointer += "/" + key.replace("~", "~0").replace("/", "~1")
    return pointer


def _field_error(error: Any, pointer: str) -> FieldError:
    where = json_pointer(pointer, error["loc"])
    code, detail = _meaning(error)
    return FieldError(where, code, f"{named(where)} {detail}.")


def _meaning(error: Any) -> tuple[str, str]:
    kind, given, context = error["type"], error["input"], error.get("ctx", {})
    field = error["loc"][-1] if error["loc"] else None
    if "detail" in context:
        return kind, context["detail"]
    if kind in _CODES:
        return _CODES[kind]
    if given is None and field not in _OPTIONAL:
        return "missing_field", "is missing (null)"
    if kind == "string_type" and field == "occurred_at" and type(given) in (int, float):
        return "invalid_timestamp", "must be an RFC 3339 timestamp, not a number"
    if kind == "literal_error" and isinstance(given, str):
        return "unknown_value", f"must be {context['expected']}, not {quoted(given, 60)}"
    if kind == "too_long":
        return "too_long", f"has {context['actual_length']} entries of {context['max_length']}"
    if kind in ("greater_than_equal", "less_than_equal"):
        bound = context.get("ge", context.get("le"))
        side = "at least" if "ge" in context else "at most"
        return "number_out_of_range", f"must be {side} {bound}"
    return "wrong_type", f"must be {_TYPE_NAMES.get(kind, 'a string')}"
