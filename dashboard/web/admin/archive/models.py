"""What is asked of the archive, and what it answers."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field, WithJsonSchema

from dashboard.db.lists.looking_through import Position
from dashboard.validation.fields import INTEGER_MAX, fault
from dashboard.web.admin.requests import ExplainQuery
from dashboard.web.admin.responses import Row
from dashboard.web.http.queries import DIGITS, Ids
from dashboard.web.http.schemas import Answer, ThreadId

ROWS_DEFAULT = 50
ROWS_MAX = 100
_DIGITS_MAX = 16


def _position(text: Any) -> Any:
    """`score,id`"""
    parts = text.split(",") if isinstance(text, str) else ()
    if len(parts) != 2 or not all(part.isascii() and part.isdigit() for part in parts):
        raise fault("wrong_type", "must be score,id: two whole numbers")
    score, id = (int(part[: _DIGITS_MAX + 1]) for part in parts)
    if max(score, id) > INTEGER_MAX:
        raise fault("number_out_of_range", f"must be 0 to {INTEGER_MAX}")
    return score, id


class ArchiveQuery(ExplainQuery):
    """A list, and which part of its archived threads."""

    after: Annotated[
        Position | None,
        BeforeValidator(_position),
        WithJsonSchema({"type": "string", "pattern": "^[0-9]{1,16},[0-9]{1,16}$"}),
        Field(description="`next` of the answer before, as `score,id`."),
    ] = None
    limit: Annotated[int, Field(ge=1, le=ROWS_MAX), DIGITS] = ROWS_DEFAULT
    ids: Annotated[Ids, Field(description="Those of these threads alone.")] = []  # noqa: RUF012


class Archived(Answer):
    """Archived threads of a list in its order: their ids and scores, and their rows."""

    ids: list[ThreadId]
    scores: list[int]
    rows: list[Row]
    next: Annotated[
        tuple[int, int] | None,
        Field(description="(score, id) after which more may follow; null at the end."),
    ]
    days: Annotated[int, Field(description="What was closed longer ago is archived.")]
