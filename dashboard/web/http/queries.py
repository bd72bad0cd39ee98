"""Queries of URLs, and the cursors that they take."""

from collections.abc import Sequence
from typing import Annotated, Any, TypeVar, get_origin

from flask import request
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from dashboard.errors import Invalid
from dashboard.signed_texts import NotSigned, SignedTexts
from dashboard.validation.field_errors import field_error, validated
from dashboard.validation.fields import INTEGER_MAX, check_characters, check_visible, fault

IDS_MAX = 200
_DIGITS_MAX = 16
_TWICE = "is given more than once"


class Query(BaseModel):
    """The parameters of a query string; unknown ones are ignored, as HTTP allows."""

    model_config = ConfigDict(frozen=True, extra="ignore")


QueryModel = TypeVar("QueryModel", bound=Query)


def read_query(model: type[QueryModel]) -> QueryModel:
    """Reads the request's query string as the model.

    A parameter may be given once, unless it is a list of texts. Raises Invalid.
    """
    members: dict[str, object] = {}
    for field_name, field in model.model_fields.items():
        name = field.alias or field_name
        values = request.args.getlist(name)
        if get_origin(field.annotation) is list and values:
            members[name] = values
        elif values:
            members[name] = only_value(name)
    return validated(model, members)


def only_value(name: str, default: str = "") -> str:
    """Returns the value of a parameter, or the default if it is missing. Raises Invalid for two."""
    values = request.args.getlist(name)
    if len(values) > 1:
        raise field_error(f"/{name}", "duplicate_parameter", _TWICE)
    return values[0] if values else default


def only_one_of(query: Query, names: Sequence[str]) -> tuple[str | None, int]:
    """Returns the given one of these parameters, and its number. Raises Invalid for two of them."""
    pairs = [(name, getattr(query, name)) for name in names if getattr(query, name) is not None]
    if len(pairs) > 1:
        raise excluded(pairs[1][0], pairs[0][0])
    return pairs[0] if pairs else (None, 0)


def excluded(name: str, other: str) -> Invalid:
    """Returns the problem of two parameters that exclude each other."""
    return field_error(f"/{name}", "unknown_field", f"does not go with {other}")


def _whole_number(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    if not (value.isascii() and value.removeprefix("-").isdigit()):
        raise fault("wrong_type", "must be a whole number, written with digits only")
    return int(value[: _DIGITS_MAX + 1])


def _ids(values: list[str]) -> list[int]:
    if len(values) > 1:
        raise fault("duplicate_parameter", _TWICE)
    parts = values[0].split(",") if values[0] else []
    if len(parts) > IDS_MAX:
        raise fault("too_long", f"has {len(parts)} entries (limit {IDS_MAX})")
    ids = [_whole_number(part) for part in parts]
    if any(not 1 <= id <= INTEGER_MAX for id in ids):
        raise fault("number_out_of_range", f"must be 1 to {INTEGER_MAX}")
    return list(dict.fromkeys(ids))


def _position(text: Any) -> Any:
    parts = text.split(",") if isinstance(text, str) else ()
    if len(parts) != 2 or not all(part.isascii() and part.isdigit() for part in parts):
        raise fault("wrong_type", "must be score,id: two whole numbers")
    score, id = (int(part[: _DIGITS_MAX + 1]) for part in parts)
    if max(score, id) > INTEGER_MAX:
        raise fault("number_out_of_range", f"must be 0 to {INTEGER_MAX}")
    return score, id


#: An integer in a query string is written with digits only. Its bounds, `Field(ge=…, le=…)`, must
#: precede this, or the schema lacks them.
DIGITS = BeforeValidator(_whole_number)
#: The id of a database row.
RowId = Annotated[int, Field(ge=1, le=INTEGER_MAX), DIGITS]
#: A text that is not empty.
Words = Annotated[str, AfterValidator(check_visible), AfterValidator(check_characters)]
#: `1,2,3`: ids, each once.
Ids = Annotated[list[int], BeforeValidator(_ids)]
#: `score,id`: the position after which the next part begins.
After = Annotated[
    tuple[int, int] | None,
    BeforeValidator(_position),
    WithJsonSchema({"type": "string", "pattern": "^[0-9]{1,16},[0-9]{1,16}$"}),
]
#: A cursor; an empty one counts as none: reading begins at the head.
Cursor = Annotated[str | None, BeforeValidator(lambda text: text or None)]

#: Longest cursor that is read; issued ones are shorter.
_CHARACTERS_MAX = 1_000


class Cursors:
    """Encodes positions as text that cannot be forged without the secret key.

    A cursor is valid for the list that it was made for, in every worker and after a restart, until
    the secret key changes.
    """

    def __init__(self, secret_key: str):
        self._texts = SignedTexts(secret_key, "cursor of ", _CHARACTERS_MAX)

    def encode(self, list_name: str, position: Any) -> str:
        """Returns the cursor after a position of a list; the position is any JSON value."""
        return self._texts.text_of(position, list_name)

    def decode(self, list_name: str, cursor: str, pointer: str = "/cursor") -> Any:
        """Returns the position of a cursor; `pointer` names its parameter.

        Raises Invalid for a text that is not a cursor of this list.
        """
        try:
            return self._texts.read(cursor, list_name)
        except NotSigned:
            detail = "is not a cursor of this list"
            raise field_error(pointer, "unknown_value", detail) from None
