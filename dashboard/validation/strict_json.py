"""A JSON decoder that refuses all input that two readers could read differently."""

import json
import math
import re
from itertools import accumulate
from typing import Any

from dashboard.errors import Problem, quoted

#: A JSON object from outside, or one with members that depend on its kind.
JsonObject = dict[str, Any]
DEPTH_MAX = 32
_UTF8 = ("utf-8", "utf-8-sig")
#: More digits than any number here may have; beyond Python's own limit `int` raises ValueError.
_DIGITS_MAX = 25
#: Begins with a set without a count, so that `re` searches for the beginning in C.
_LONG_INTEGER = re.compile(rf"[0-9][0-9]{{{_DIGITS_MAX}}}")
_STEP = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
_NO_BRACKETS = bytes(set(range(256)) - set(_STEP))


def loads(data: bytes) -> Any:
    """Decodes a JSON document in UTF-8. Raises Problem (400) if it is unreadable.

    An integer written as `-0` becomes a float, so that a strict integer refuses it. Escaped lone
    surrogates are let through: the schema names their place.
    """
    encoding = json.detect_encoding(data)
    if encoding not in _UTF8:
        raise _unreadable("not_utf8", f"The body is in {encoding[:6].upper()}; send UTF-8.")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _unreadable("invalid_encoding", "The body is not valid UTF-8.") from error
    return loads_text(text, data)


def loads_text(text: str, data: bytes | None = None) -> Any:
    """Decodes a text as `loads` does; `data` is the same in UTF-8, if the caller has it."""
    if text.count("[") + text.count("{") > DEPTH_MAX:
        _check_depth(data or text.encode("utf-8", "replace"))
    try:
        # Only here may `_integer` differ from `int`, which is faster, as it runs no Python code.
        is_unusual = "-0" in text or _LONG_INTEGER.search(text)
        return (_DECODER if is_unusual else _FAST_DECODER).decode(text)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise _unreadable("malformed_json", f"The body is not valid JSON ({where}).") from error


def _check_depth(data: bytes) -> None:
    """Counts brackets outside of strings, so that the parser never meets a deep document."""
    outside = data.replace(rb"\\", b"").replace(rb"\"", b"").split(b'"')[::2]
    brackets = b"".join(outside).translate(None, _NO_BRACKETS)
    # Not `max`: it would count to the end without giving other threads a chance.
    if any(depth > DEPTH_MAX for depth in accumulate(map(_STEP.__getitem__, brackets))):
        raise _unreadable("too_deep", f"The document is nested deeper than {DEPTH_MAX} levels.")


def _object(pairs: list[tuple[str, Any]]) -> JsonObject:
    made = dict(pairs)
    if len(made) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise _unreadable("duplicate_key", f"An object has the key {quoted(twice)} twice.")
    return made


def _integer(digits: str) -> int | float:
    if digits == "-0":
        return -0.0
    return int(digits[:_DIGITS_MAX])


def _float(digits: str) -> float:
    value = float(digits)
    return value if math.isfinite(value) else _constant(digits)


def _constant(name: str) -> float:
    raise _unreadable("not_finite", f"The number {quoted(name)} is not finite.")


def _unreadable(code: str, detail: str) -> Problem:
    return Problem(400, code, detail)


_FAST_DECODER, _DECODER = (
    json.JSONDecoder(
        object_pairs_hook=_object, parse_int=parse_int, parse_float=_float, parse_constant=_constant
    )
    for parse_int in (int, _integer)
)
