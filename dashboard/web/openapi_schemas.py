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
    found["Batch"] = object_of(
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
        "Result": object_of(
            {
                "status": {"enum": ["created", "duplicate"]},
                "id": text("The event's id."),
                "thread_id": whole("Lineup's id of the thread, where the event names one."),
            },
            optional={"thread_id"},
        ),
        "BatchResult": object_of(
            {
                "index": whole("Which event of the batch, from 0."),
                "status": {"enum": ["created", "duplicate", "rejected"]},
                "id": nullable(text("The event's id, where it has one.")),
                "thread_id": whole("Lineup's id of the thread, where the event names one."),
                "problem": ref("Problem"),
            },
            optional={"thread_id", "problem"},
        ),
        "BatchResults": object_of({"results": {"type": "array", "items": ref("BatchResult")}}),
        "Row": _row(),
        "List": _list(),
        "OutgoingEvent": _outgoing_event(),
        "OutgoingEvents": object_of(
            {
                "events": {"type": "array", "items": ref("OutgoingEvent")},
                "next": text("The cursor that goes on."),
            }
        ),
        "Problem": _problem(),
    }


def _row() -> Schema:
    time = "Milliseconds since 1970 (UTC)."
    customer = object_of(
        {
            "id": text("Your id of the customer."),
            "name": nullable(text()),
            "avatar_url": nullable(text()),
            "member_status": {"type": "integer", "minimum": -1, "maximum": 5},
            "locale": nullable(text()),
        }
    )
    preview = object_of({"role": text(), "body": text("Up to 140 characters."), "at": whole(time)})
    return object_of(
        {
            "id": whole("Lineup's id of the thread."),
            "rev": whole("Grows by one with each change of the thread."),
            "thread": text("Your id of the thread."),
            "source": text(),
            "customer": nullable(customer),
            "preview": nullable(preview),
            "open": {"type": "boolean"},
            "priority": {"enum": list(PRIORITIES)},
            "recent_at": whole(time),
            "waiting_since": nullable(whole(time)),
            "answered": {"type": "boolean"},
            "unanswered": whole("Messages of the customer since the last answer."),
            "assignee": nullable(object_of({"id": whole(), "name": text()})),
        }
    )


def _list() -> Schema:
    entry = object_of(
        {
            "id": whole("Lineup's id of the thread."),
            "source": text(),
            "thread": text("The source's id of the thread."),
            "score": whole("The lower, the higher up; of equal scores, the lower id."),
        }
    )
    return object_of(
        {
            "page": {"enum": list(PAGES)},
            "sort": {"enum": list(SORTS)},
            "epoch": nullable(text("Changes when the order was rebuilt.")),
            "version": whole("Grows with each change of the list."),
            "total": whole("How many threads the list holds."),
            "threads": {"type": "array", "items": entry},
            "next": nullable(text("The cursor that goes on; null at the end.")),
        }
    )


def _outgoing_event() -> Schema:
    data: Schema = {
        "type": "object",
        "description": "For message.created the message, as dashboards show it: id (for receipts), "
        "thread_id, role, author, body, attachments, private, at, delivery. Else thread_id, by "
        "(the admin who did it), and what changed: assignee or priority.",
    }
    return object_of(
        {
            "id": text("The same however often the event is sent."),
            "type": {"enum": list(TYPES)},
            "occurred_at": {"type": "string", "format": "date-time"},
            "seq": whole("Counts within the thread, from 1."),
            "thread": text("Your id of the thread."),
            "data": data,
        }
    )


def _problem() -> Schema:
    error = object_of({"pointer": text("A JSON pointer."), "code": text(), "detail": text()})
    return object_of(
        {
            "type": text("/problems/CODE"),
            "title": text(),
            "status": whole(),
            "code": text("What went wrong, for programs."),
            "detail": text("What went wrong, for people."),
            "instance": text("The path that was called."),
            "errors": {"type": "array", "items": error},
        },
        optional={"instance"},
    )


def object_of(properties: dict[str, Schema], optional: Collection[str] = ()) -> Schema:
    required = [name for name in properties if name not in optional]
    return {"type": "object", "properties": properties, "required": required}


def text(description: str = "") -> Schema:
    return {"type": "string"} | ({"description": description} if description else {})


def whole(description: str = "") -> Schema:
    return {"type": "integer"} | ({"description": description} if description else {})


def nullable(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}
