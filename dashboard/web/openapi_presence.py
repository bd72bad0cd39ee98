"""The part of the OpenAPI document that is about presence."""

from collections.abc import Callable
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from dashboard.attendance.forms import (
    PresenceBeats,
    PresenceDevices,
    PresenceSettings,
    PresenceTyping,
)
from dashboard.web.openapi_schemas import REF, Schema, nullable, object_of, ref, text, whole
from presence.settings import STATUSES as SETTABLE
from presence.settings import VISIBILITIES
from presence.states import STATUSES

_TIME = "Milliseconds since 1970 (UTC)."
_POSTED: tuple[type[BaseModel], ...] = (
    PresenceBeats,
    PresenceDevices,
    PresenceSettings,
    PresenceTyping,
)
_LOOKING = ("429",)
_ALWAYS = ("401", "403", "422", "503")
_WRITING = (*_ALWAYS, "400", "413", "415")


def paths(parameter: Callable, answer: Callable, problems: Callable) -> dict[str, Any]:
    """The calls; handed what all calls of the document are written with."""

    def call(
        id: str,
        summary: str,
        description: str,
        answers: str,
        *,
        body: tuple[str, Any] | None = None,
        parameters: list[Any] | None = None,
        missing: tuple[str, ...] = (),
    ) -> dict[str, Any]:
        made: dict[str, Any] = {
            "operationId": id,
            "summary": summary,
            "description": f"Scope `presence`. {description}",
            "responses": {
                "200": answer("Done.", ref(answers)),
                **problems(*(_WRITING if body else _ALWAYS), *missing),
            },
        }
        if parameters:
            made["parameters"] = parameters
        if body:
            content = {"application/json": {"schema": ref(body[0]), "example": body[1]}}
            made["requestBody"] = {"required": True, "content": content}
        return made

    customers = {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 500}
    number = {"type": "integer", "minimum": 0}
    limit = {"type": "integer", "minimum": 1, "maximum": 500, "default": 100}
    within = {"type": "integer", "minimum": 1, "maximum": 86_400, "default": 900}
    beat = {"customer": "c-7", "device": "browser-1", "type": "web", "active": True}
    return {
        "/presence": {
            "post": call(
                "postPresence",
                "Report that customers are there",
                "Send a beat of each connected device every 25 to 30 seconds; a first one brings "
                "the device online, a silent device is gone after 90. A customer's message and "
                "typing count as beats of the device `messages`.",
                "Accepted",
                body=("PresenceBeats", {"beats": [beat]}),
            ),
            "get": call(
                "getPresence",
                "Look up to 500 of your customers up",
                "Every one asked for is in the answer. A key may look up 10,000 customers a "
                "minute, twenty full calls; pages of `presence/online` count, too.",
                "States",
                parameters=[parameter("customer", "query", customers, ["c-7"])],
                missing=_LOOKING,
            ),
        },
        "/presence/offline": {
            "post": call(
                "postPresenceOffline",
                "Report that devices went offline",
                "At once, without waiting for their silence.",
                "Accepted",
                body=("PresenceDevices", {"devices": [{"customer": "c-7", "device": "browser-1"}]}),
            )
        },
        "/presence/{customer}": {
            "put": call(
                "putPresence",
                "Set what a customer shows, and to whom",
                "What is left out stays, null takes back. `invisible` looks as if they had left, "
                "the visibility `nobody` as if they had never been there.",
                "SetPresence",
                body=("PresenceSettings", {"status": "busy", "text": "on the phone"}),
                parameters=[parameter("customer", "path", {"type": "string"}, "c-7")],
            )
        },
        "/presence/online": {
            "get": call(
                "getPresenceOnline",
                "List who was seen lately, or between two times",
                "Newest first, connected or not: `within` seconds, or `from` and `to` in "
                "milliseconds since 1970. A page counts as a look-up of `limit` customers.",
                "SeenPage",
                parameters=[
                    parameter("within", "query", within, 900),
                    parameter("from", "query", number, None),
                    parameter("to", "query", number, None),
                    parameter("limit", "query", limit, 100),
                    parameter("cursor", "query", {"type": "string"}, None),
                ],
                missing=_LOOKING,
            )
        },
        "/presence/team": {
            "get": call(
                "getPresenceTeam",
                "Ask whether the team is there",
                "All that a customer may know of the team.",
                "Team",
                parameters=[parameter("thread", "query", {"type": "string"}, "t-42")],
                missing=("404",),
            )
        },
        "/typing": {
            "post": call(
                "postTyping",
                "Report that a customer is writing",
                "Shown for 6 seconds, or until the message comes.",
                "Accepted",
                body=("PresenceTyping", {"thread": "t-42", "customer": "c-7"}),
                missing=("404",),
            )
        },
    }


def schemas() -> dict[str, Schema]:
    """What is posted, from the models, and what is answered."""
    _, made = models_json_schema(
        [(model, "validation") for model in _POSTED], ref_template=REF + "{model}"
    )
    posted: dict[str, Schema] = made["$defs"]
    return posted | _answered()


def _answered() -> dict[str, Schema]:
    seen = {"last_seen": whole(_TIME), "colour": {"enum": ["green", "yellow", "grey"]}}
    flag: Schema = {"type": "boolean"}
    team = object_of({"name": text(), "status": {"enum": list(STATUSES)}})
    return {
        "Accepted": object_of({"accepted": whole("How many.")}),
        "State": object_of(
            {
                "status": {"enum": list(STATUSES)},
                "last_seen": nullable(whole(_TIME)),
                "devices": {"type": "array", "items": text("The type of one device in use.")},
                "text": text(),
                "activity": text(),
                "at": whole("Since when it is so. " + _TIME),
                "v": whole("Grows with each change."),
            }
        ),
        "States": object_of({"presence": {"type": "object", "additionalProperties": ref("State")}}),
        "SetPresence": object_of(
            {
                "status": {"enum": list(SETTABLE)},
                "text": text(),
                "activity": text(),
                "until": nullable(whole(_TIME)),
                "visibility": {"enum": list(VISIBILITIES)},
                "show_last_seen": flag,
                "show_typing": flag,
            }
        ),
        "Seen": object_of({"id": text("Your id of the customer.")} | seen),
        "SeenPage": object_of(
            {
                "customers": {"type": "array", "items": ref("Seen")},
                "next": nullable(text("The cursor that goes on; null at the end.")),
                "total": whole("How many on all pages, as of the first."),
            }
        ),
        "Team": object_of({"online": flag, "assignee": nullable(team)}),
    }
