"""The schemas of the bot API: what is posted, from the models; what is answered, written here."""

from collections.abc import Collection
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from dashboard.intake.schema import BATCH_MAX, EVENT_MODELS
from dashboard.store.outgoing_document import TYPES
from scoring.pages import PAGES
from scoring.sorts import PRIORITIES, SORTS

Schema = dict[str, Any]
REF = "#/components/schemas/"


def ref(name: str) -> Schema:
    return {"$ref": REF + name}


def schemas() -> dict[str, Schema]:
    """All of them by name."""
    return _posted() | _answered()


def _posted() -> dict[str, Schema]:
    models: list[type[BaseModel]] = [*EVENT_MODELS.values()]
    _, made = models_json_schema(
        [(model, "validation") for model in models], ref_template=REF + "{model}"
    )
    names = {type: model.__name__ for type, model in EVENT_MODELS.items()}
    found: dict[str, Schema] = made["$defs"]
    found["Event"] = {
        "oneOf": [ref(name) for name in names.values()],
        "discriminator": {
            "propertyName": "type",
            "mapping": {type: REF + name for type, name in names.items()},
        },
    }
    found["Batch"] = _object(
        {
            "events": {
                "type": "array",
                "items": ref("Event"),
                "minItems": 1,
                "maxItems": BATCH_MAX,
            }
        }
    ) | {"additionalProperties": False}
    return found


def _answered() -> dict[str, Schema]:
    return {
        "Result": _object(
            {
                "status": {"enum": ["created", "duplicate"]},
                "id": _text("The event's id."),
                "thread_id": _whole("Lineup's id of the thread, where the event names one."),
            },
            optional={"thread_id"},
        ),
        "BatchResult": _object(
            {
                "index": _whole("Which event of the batch, from 0."),
                "status": {"enum": ["created", "duplicate", "rejected"]},
                "id": _nullable(_text("The event's id, where it has one.")),
                "thread_id": _whole("Lineup's id of the thread, where the event names one."),
                "problem": ref("Problem"),
            },
            optional={"thread_id", "problem"},
        ),
        "BatchResults": _object({"results": {"type": "array", "items": ref("BatchResult")}}),
        "Row": _row(),
        "List": _list(),
        "OutgoingEvent": _outgoing_event(),
        "OutgoingEvents": _object(
            {
                "events": {"type": "array", "items": ref("OutgoingEvent")},
                "next": _text("The cursor that goes on."),
            }
        ),
        "Problem": _problem(),
    }


def _row() -> Schema:
    time = "Milliseconds since 1970 (UTC)."
    customer = _object(
        {
            "id": _text("Your id of the customer."),
            "name": _nullable(_text()),
            "avatar_url": _nullable(_text()),
            "member_status": {"type": "integer", "minimum": -1, "maximum": 5},
            "locale": _nullable(_text()),
        }
    )
    preview = _object({"role": _text(), "body": _text("Up to 140 characters."), "at": _whole(time)})
    return _object(
        {
            "id": _whole("Lineup's id of the thread."),
            "rev": _whole("Grows by one with each change of the thread."),
            "thread": _text("Your id of the thread."),
            "source": _text(),
            "customer": _nullable(customer),
            "preview": _nullable(preview),
            "open": {"type": "boolean"},
            "priority": {"enum": list(PRIORITIES)},
            "recent_at": _whole(time),
            "waiting_since": _nullable(_whole(time)),
            "answered": {"type": "boolean"},
            "unanswered": _whole("Messages of the customer since the last answer."),
            "assignee": _nullable(_object({"id": _whole(), "name": _text()})),
        }
    )


def _list() -> Schema:
    entry = _object(
        {
            "id": _whole("Lineup's id of the thread."),
            "source": _text(),
            "thread": _text("The source's id of the thread."),
            "score": _whole("The lower, the higher up; of equal scores, the lower id."),
        }
    )
    return _object(
        {
            "page": {"enum": list(PAGES)},
            "sort": {"enum": list(SORTS)},
            "epoch": _nullable(_text("Changes when the order was rebuilt.")),
            "version": _whole("Grows with each change of the list."),
            "total": _whole("How many threads the list holds."),
            "threads": {"type": "array", "items": entry},
            "next": _nullable(_text("The cursor that goes on; null at the end.")),
        }
    )


def _outgoing_event() -> Schema:
    data: Schema = {
        "type": "object",
        "description": "For message.created the message, as dashboards show it: id (for receipts), "
        "thread_id, role, author, body, attachments, private, at, delivery. Else thread_id, by "
        "(the admin who did it), and what changed: assignee or priority.",
    }
    return _object(
        {
            "id": _text("The same however often the event is sent."),
            "type": {"enum": list(TYPES)},
            "occurred_at": {"type": "string", "format": "date-time"},
            "seq": _whole("Counts within the thread, from 1."),
            "thread": _text("Your id of the thread."),
            "data": data,
        }
    )


def _problem() -> Schema:
    error = _object({"pointer": _text("A JSON pointer."), "code": _text(), "detail": _text()})
    return _object(
        {
            "type": _text("/problems/CODE"),
            "title": _text(),
            "status": _whole(),
            "code": _text("What went wrong, for programs."),
            "detail": _text("What went wrong, for people."),
            "instance": _text("The path that was called."),
            "errors": {"type": "array", "items": error},
        },
        optional={"instance"},
    )


def _object(properties: dict[str, Schema], optional: Collection[str] = ()) -> Schema:
    required = [name for name in properties if name not in optional]
    return {"type": "object", "properties": properties, "required": required}


def _text(description: str = "") -> Schema:
    return {"type": "string"} | ({"description": description} if description else {})


def _whole(description: str = "") -> Schema:
    return {"type": "integer"} | ({"description": description} if description else {})


def _nullable(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}
