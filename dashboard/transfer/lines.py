"""Reads and writes the lines of an export."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from pydantic import ValidationError

from dashboard.errors import Problem, StartError
from dashboard.event_types import ADVICE, RECEIPT
from dashboard.ingest import schema
from dashboard.ingest.schema import NO_FINGERPRINT, ParsedEvent
from dashboard.transfer.models import (
    ACTS,
    KINDS,
    OF_DASHBOARD,
    Act,
    Admin,
    Desk,
    Erased,
    Header,
    Note,
    Outcome,
    Receipt,
    SentEvent,
    Source,
    Thread,
)
from dashboard.validation import strict_json
from dashboard.validation.field_errors import field_error, invalid, named
from dashboard.validation.fields import Strict, accepted_before
from dashboard.validation.strict_json import JsonObject

#: The content of the first line.
HEADER: Mapping[str, Any] = {"format": "lineup-events", "version": 1}
#: Longest line: a message with the longest text and the most attachments.
LINE_BYTES = 512 * 1024
_dumps = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class Event(NamedTuple):
    """A parsed event of a line; references as in `Act` and `SentEvent`."""

    line: int
    source: str
    event: ParsedEvent
    author: str | None = None
    seen: str | None = None
    undoes: str | None = None
    message: str | None = None


Entry = Event | Thread | Admin | Source | Desk | Note | Outcome


class LineError(StartError):
    """A mistake in a line, and its place."""

    def __init__(self, line: int, problem: Problem):
        error = problem.errors[0] if problem.errors else None
        # Problems of request bodies name a place in the body; here the body is one line.
        detail = problem.detail.replace("The body ", "").replace("(line 1, ", "(")
        if error is not None:
            detail = (
                f"{error.pointer or '/'} {error.detail.removeprefix(named(error.pointer)).strip()}"
            )
        super().__init__(f"line {line}: {detail}")


def written(line: Mapping[str, Any]) -> bytes:
    return _dumps(line).encode() + b"\n"


def parsed(data: bytes, line: int, *, is_first: bool) -> Entry | None:
    """Parses a line; returns None for the header, which must be the first line that is not empty.

    Raises LineError.
    """
    try:
        document = strict_json.loads(data)
        kind = _kind_of(document)
        if is_first and kind is not Header:
            raise field_error("/format", "missing_field", "is missing: this is not an export")
        if not is_first and kind is Header:
            raise field_error("/format", "unknown_value", "may stand in the first line only")
        with accepted_before():
            model = _validated(kind, document)
            entry = None if isinstance(model, Header) else _entry(model, line)
        if isinstance(model, Header) and model.version != HEADER["version"]:
            raise field_error("/version", "unknown_value", "belongs to another release of Lineup")
        return entry
    except Problem as problem:
        raise LineError(line, problem) from None


def _kind_of(document: Any) -> type[Strict]:
    if not isinstance(document, dict):
        raise field_error("", "wrong_type", "must be an object")
    kind = next((kind for name, kind in KINDS.items() if name in document), None)
    if kind is None:
        raise field_error("", "unknown_value", "is not a line of an export")
    return kind


def _validated(model: type[Strict], document: Any, pointer: str = "") -> Any:
    try:
        return model.__pydantic_validator__.validate_python(document)
    except ValidationError as error:
        raise invalid(error, pointer) from None


def _entry(model: Any, line: int) -> Entry:
    if isinstance(model, Act):
        event = _act(model.event)._replace(received_at=model.received_at)
        return Event(line, model.source, event, model.author, model.seen, model.undoes)
    if isinstance(model, SentEvent):
        event = _sent(model)._replace(received_at=model.received_at)
        return Event(line, model.source, event, message=model.message)
    if isinstance(model, Erased):
        rest = model.erased
        event = ParsedEvent(rest.id, rest.type, rest.occurred_at, NO_FINGERPRINT)
        event = event._replace(thread=rest.thread, role=rest.role, private=rest.private, body="")
        return Event(line, model.source, event._replace(received_at=model.received_at))
    assert isinstance(model, Thread | Admin | Source | Desk | Note | Outcome)
    return model


def _sent(model: SentEvent) -> ParsedEvent:
    if model.event.get("type") != RECEIPT.name:
        named = {}
        if model.message is not None and model.event.get("type") in ADVICE:
            # The importer puts the number here in its place.
            named = {ADVICE[model.event["type"]]: model.message.removeprefix(OF_DASHBOARD)}
        return schema.parse(model.event | named, "/event", is_stored=True)
    if model.message is None:
        raise field_error("/message", "missing_field", "is missing")
    return schema.parsed_event(_validated(Receipt, model.event, "/event"))


def _act(document: JsonObject) -> ParsedEvent:
    model = ACTS.get(document.get("type"))
    if model is None:
        raise field_error("/event/type", "unknown_value", "is not a type of an admin's event")
    return schema.parsed_event(_validated(model, document, "/event"))
