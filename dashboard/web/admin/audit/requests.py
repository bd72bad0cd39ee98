"""What the calls of the audit log are asked with."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StrictInt, model_validator

from dashboard.db.audit.reading import Filters, is_action
from dashboard.validation.fields import INTEGER_MAX, Strict, check_characters, check_visible, fault
from dashboard.web.http.queries import DIGITS, Cursor, Query

LIMIT_DEFAULT = 50
LIMIT_MAX = 200
TEXT_MAX = 254


def _action(name: str) -> str:
    if not is_action(name):
        raise fault("unknown_value", "names no action and no group of actions")
    return name


_TEXT = Field(max_length=TEXT_MAX)
Action = Annotated[str, AfterValidator(_action)]
Words = Annotated[str, _TEXT, AfterValidator(check_visible), AfterValidator(check_characters)]
QueryTime = Annotated[int, Field(ge=0, le=INTEGER_MAX), DIGITS]
Time = Annotated[StrictInt, Field(ge=0, le=INTEGER_MAX)]


class AuditQuery(Query):
    """A part of the audit log, newest first. Times in milliseconds; `to` is not included."""

    from_ms: QueryTime | None = Field(default=None, alias="from")
    to_ms: QueryTime | None = Field(default=None, alias="to")
    action: Action | None = None
    actor: Words | None = None
    target: Words | None = None
    cursor: Cursor = None
    limit: Annotated[int, Field(ge=1, le=LIMIT_MAX), DIGITS] = LIMIT_DEFAULT


class ExportRequest(Strict):
    """What to export, or by `cursor` alone what comes next of an export."""

    from_ms: Time | None = Field(default=None, alias="from")
    to_ms: Time | None = Field(default=None, alias="to")
    action: Action | None = None
    actor: Words | None = None
    target: Words | None = None
    format: Annotated[
        Literal["csv", "jsonl"] | None, Field(description="`csv` where none is named.")
    ] = None
    cursor: Annotated[str, AfterValidator(check_characters)] | None = None

    @model_validator(mode="after")
    def _alone(self) -> "ExportRequest":
        if self.cursor is not None and self.model_fields_set != {"cursor"}:
            raise fault("unknown_field", "a cursor stands alone")
        return self


def filters_of(given: AuditQuery | ExportRequest) -> Filters:
    return Filters(given.from_ms, given.to_ms, given.action, given.actor, given.target)
