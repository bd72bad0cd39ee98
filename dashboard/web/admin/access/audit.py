"""The audit log: routes, bodies, answers, and its export."""

from functools import partial
from typing import Annotated, Literal

from flask import Response
from pydantic import AfterValidator, Field, StrictInt, model_validator

from dashboard.db import audit
from dashboard.db.audit import (
    VIAS,
    Entry,
    Filters,
    Position,
    Target,
    add,
    csv_lines,
    is_action,
    json_lines,
)
from dashboard.services import Services
from dashboard.validation.fields import INTEGER_MAX, Strict, check_characters, check_visible, fault
from dashboard.validation.strict_json import JsonObject
from dashboard.web.admin.routes import SUPERVISOR
from dashboard.web.http.audit import acting
from dashboard.web.http.queries import DIGITS, Cursor, Query
from dashboard.web.http.responses import json_response
from dashboard.web.http.routes import done, route
from dashboard.web.http.schemas import Answer, Milliseconds

LIMIT_DEFAULT = 50
LIMIT_MAX = 200
TEXT_MAX = 254


def _action(name: str) -> str:
    if not is_action(name):
        raise fault("unknown_value", "is not an action or a group of actions")
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
    """The part of the log to export; or only `cursor`, for the next part of an export."""

    from_ms: Time | None = Field(default=None, alias="from")
    to_ms: Time | None = Field(default=None, alias="to")
    action: Action | None = None
    actor: Words | None = None
    target: Words | None = None
    format: Annotated[Literal["csv", "jsonl"] | None, Field(description="`csv` by default.")] = None
    cursor: Annotated[str, AfterValidator(check_characters)] | None = None

    @model_validator(mode="after")
    def _alone(self) -> "ExportRequest":
        if self.cursor is not None and self.model_fields_set != {"cursor"}:
            raise fault("unknown_field", "has other members besides `cursor`")
        return self


def filters_of(query: AuditQuery | ExportRequest) -> Filters:
    return Filters(query.from_ms, query.to_ms, query.action, query.actor, query.target)


class AuditActor(Answer):
    """The actor as of that time. Without `admin_id`: the user of a command, or unknown."""

    via: Literal[VIAS]  # type: ignore[valid-type]
    admin_id: int | None
    name: str
    email: str | None
    address: Annotated[str, Field(description="An IP address; for a command, the machine.")]
    user_agent: str


class AuditTarget(Answer):
    """The target of an act, as of that time."""

    kind: str
    id: str | None
    name: str


class AuditEntry(Answer):
    """One act. A value of `data` that changed is `{"from", "to"}`."""

    id: int
    at: Milliseconds
    action: str
    actor: AuditActor
    target: AuditTarget
    data: JsonObject


class AuditEntries(Answer):
    """A part of the audit log, newest first; `next` is the cursor of older entries."""

    entries: list[AuditEntry]
    next: str | None


class AuditExport(Answer):
    """A part of a file, newest first; `next` is the cursor of the next part."""

    text: str
    entries: int
    next: str | None


#: Entries in one part of an export.
EXPORTED = 1_000
_LIST = "audit"
_EXPORT = "audit export"
_route = partial(route, scope=SUPERVISOR)


class AuditApi:
    """The routes below /audit. `clock` gives milliseconds."""

    def __init__(self, services: Services):
        self._database = services.database
        self._cursors = services.cursors
        self._clock = services.clock

    @_route(
        "GET",
        "/audit",
        "getAudit",
        summary="Read a part of the audit log, newest first",
        description="`action` is an action or a group such as `webhook`; `actor` an e-mail address "
        "or a name; `target` a kind, `KIND:ID`, or a name.",
        query=AuditQuery,
        answers=done(AuditEntries),
    )
    def read(self, query: AuditQuery) -> Response:
        after = None
        if query.cursor is not None:
            after = Position(*self._cursors.decode(_LIST, query.cursor))
        with self._database.read() as connection:
            rows = audit.page(connection, filters_of(query), query.limit + 1, after)
        part = rows[: query.limit]
        next = self._cursors.encode(_LIST, part[-1].position) if len(rows) > len(part) else None
        return json_response({"entries": [_json(entry) for entry in part], "next": next})

    @_route(
        "POST",
        "/audit/export",
        "postAuditExport",
        summary="Export the audit log as CSV or JSON lines",
        description="The first call selects the part to export, and is logged. Further calls send "
        "only `cursor`.",
        body=(ExportRequest,),
        example={"from": 0, "action": "webhook", "format": "csv"},
        answers=done(AuditExport),
    )
    def export(self, body: ExportRequest) -> Response:
        filters, format, after = filters_of(body), body.format or "csv", None
        if body.cursor is not None:
            values, format, place = self._cursors.decode(_EXPORT, body.cursor)
            filters, after = Filters(*values), Position(*place)
        now = self._clock()
        # Not in the transaction that writes: other writers would wait for its lock.
        with self._database.read() as connection:
            rows = audit.page(connection, filters, EXPORTED + 1, after)
        if after is None:
            details = {"format": format, "filters": _given(filters)}
            exported = (now, acting(), audit.EXPORT_MADE, Target(None, "audit"), details)
            self._database.write(lambda connection: add(connection, *exported))
        part = rows[:EXPORTED]
        next = None
        if len(rows) > len(part):
            next = self._cursors.encode(_EXPORT, (filters, format, part[-1].position))
        is_csv = format == "csv"
        text = csv_lines(part, with_head=after is None) if is_csv else json_lines(part)
        return json_response({"text": text, "entries": len(part), "next": next})


def _given(filters: Filters) -> dict[str, object]:
    # Not “from” and “to”: these say that a value changed.
    names = ("since", "until", "action", "actor", "target")
    return {name: value for name, value in zip(names, filters, strict=True) if value is not None}


def _json(entry: Entry) -> AuditEntry:
    actor = AuditActor(
        via=entry.via,
        admin_id=entry.admin_id,
        name=entry.actor_name,
        email=entry.actor_email,
        address=entry.address,
        user_agent=entry.user_agent,
    )
    return AuditEntry(
        id=entry.id,
        at=entry.at,
        action=entry.action,
        actor=actor,
        target=AuditTarget(kind=entry.target_kind, id=entry.target_id, name=entry.target_name),
        data=entry.data,
    )
