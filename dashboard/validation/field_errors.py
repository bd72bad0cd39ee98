"""Errors of fields: what pydantic and the query language find, as pointers into the request."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import PydanticSerializationError, to_json

from dashboard.errors import FieldError, Invalid, Problem, quoted
from scoring.conditions.language.query import QueryError
from scoring.sorting.rules import UnknownSort

#: Most errors in one answer, to keep it small.
ERRORS_MAX = 20
_KEY_MAX = 40

_TYPE_NAMES = {
    "string_type": "a string",
    "int_type": "a whole number, written with digits only",
    "bool_type": "true or false",
    "list_type": "a list",
    "too_short": "a list with at least one entry",
    "model_type": "an object",
    "dict_type": "an object",
}
_CODES = {
    "missing": ("missing_field", "is missing"),
    "extra_forbidden": ("unknown_field", "is not known here"),
    "string_unicode": ("invalid_unicode", "holds a lone surrogate"),
    "invalid_key": ("invalid_unicode", "has a name that is not text"),
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
    loc = error["loc"]
    # A name that is wrong itself, not its value.
    where = json_pointer(pointer, loc[:-1] if loc[-1:] == ("[key]",) else loc)
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
        return "too_long", f"has {context['actual_length']} entries (limit {context['max_length']})"
    if kind in ("greater_than_equal", "less_than_equal"):
        bound = context.get("ge", context.get("le"))
        side = "at least" if "ge" in context else "at most"
        return "number_out_of_range", f"must be {side} {bound}"
    return "wrong_type", f"must be {_TYPE_NAMES.get(kind, 'a string')}"


Model = TypeVar("Model", bound=BaseModel)
_SURROGATE = re.compile("[\ud800-\udfff]")


def validated(model: type[Model], value: Any, pointer: str = "") -> Model:
    """Returns the value as the model; `pointer` is its place in the document. Raises Invalid."""
    try:
        made = model.model_validate(value)
    except ValidationError as error:
        raise invalid(error, pointer) from None
    _check_unicode(value, pointer)
    return made


def read_call(model: type[Model], arguments: tuple[Any, ...]) -> Model:
    """Reads the one object that a Socket.IO call is given as the model. Raises Invalid."""
    if len(arguments) != 1 or not isinstance(arguments[0], dict):
        raise Invalid([FieldError("", "wrong_type", "A call takes one object.")])
    # A name with a lone surrogate would hide all other errors.
    names = {name.encode("utf-8", "replace").decode(): name for name in arguments[0]}
    return validated(model, {text: arguments[0][name] for text, name in names.items()})


def _check_unicode(value: Any, pointer: str) -> None:
    """Raises Invalid for a lone surrogate: neither SQL nor Redis nor an answer can hold one."""
    try:
        to_json(value)
    except PydanticSerializationError:
        where = _first_surrogate(value)
        if where is not None:
            pointer = json_pointer(pointer, where)
            raise field_error(pointer, "invalid_unicode", "holds a lone surrogate") from None


def _first_surrogate(value: Any) -> tuple[int | str, ...] | None:
    """Returns the path to the first text that UTF-8 cannot encode."""
    if isinstance(value, str):
        return () if _SURROGATE.search(value) else None
    children: Iterable[tuple[int | str, Any]] = ()
    if isinstance(value, dict):
        children = value.items()
    elif isinstance(value, list):
        children = enumerate(value)
    for key, child in children:
        if isinstance(key, str) and _SURROGATE.search(key):
            return (key,)
        inner = _first_surrogate(child)
        if inner is not None:
            return (key, *inner)
    return None


@dataclass(frozen=True)
class QueryFieldError(FieldError):
    """A mistake in a query: `at` counts characters from 0, `expected` is what may stand there."""

    at: int
    expected: tuple[str, ...]


def invalid_query(error: QueryError, pointer: str = "/query") -> Problem:
    """Returns the problem (422) of a wrong query or an unknown sort; `pointer` names its place.

    The place stands beside the standard members and in `errors`.
    """
    if isinstance(error, UnknownSort):
        return unknown_sort()
    # People count characters from 1.
    place_said = f"at character {error.at + 1}"
    detail = f"{named(pointer)} cannot be read {place_said}."
    if error.reason:
        detail = f"{named(pointer)} cannot ask what stands {place_said}. {error.reason}"
    return Problem(
        422,
        "invalid_query",
        detail,
        [QueryFieldError(pointer, "invalid_query", detail, error.at, error.expected)],
        extra={"pointer": pointer, "at": error.at, "expected": list(error.expected)},
    )


def unknown_sort() -> Problem:
    """Returns the problem (422) of a request that names an unknown sort."""
    return field_error("/sort", "unknown_value", "is not the name of a sort")
