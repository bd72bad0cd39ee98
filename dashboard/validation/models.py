"""Validates outside values against pydantic models."""

import re
from collections.abc import Iterable
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import PydanticSerializationError, to_json

from dashboard.errors import FieldError, Invalid
from dashboard.validation.field_errors import field_error, invalid, json_pointer

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
