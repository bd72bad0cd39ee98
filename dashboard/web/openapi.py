"""The OpenAPI document of the bot API, and the pages that people read instead."""

from typing import Any

from flask import Blueprint, Response, jsonify, render_template

from dashboard.web import openapi_presence
from dashboard.web.api_reference import reference
from dashboard.web.openapi_schemas import ref, schemas
from scoring.pages import PAGES
from scoring.sorts import SORTS

VERSION = "1.0"
_ABOUT = (
    "A 2xx means: committed, and not lost whatever happens. Post an event again whenever you are "
    "in doubt: its id is unique for ever, and the same event counts once. Times are RFC 3339 with "
    "an offset, from the year 2000 to 2100; ids are 1 to 128 of A-Z a-z 0-9 . _ : -"
)
_MESSAGE = {
    "id": "m-1001",
    "type": "message",
    "thread": "t-42",
    "occurred_at": "2026-11-20T10:00:00.123Z",
    "customer": {"id": "c-7", "name": "Mai", "member_status": 2, "locale": "vi"},
    "role": "client",
    "body": "Xin chào",
}
_ANSWERS = {
    "400": "Unreadable: no JSON, not UTF-8, a key twice, nested too deeply, a number not finite.",
    "401": "No valid API key.",
    "403": "The key lacks the scope.",
    "404": "There is no such thing.",
    "409": "Another event has this id (`event_id_conflict`).",
    "413": "A body of more than 1 MiB, or a batch of more than 500 events.",
    "415": "Something else than JSON in UTF-8, without a content encoding.",
    "422": "Understood but wrong; `errors` says what and where.",
    "429": "Over the key's quota; nothing was done. `Retry-After` says when to come again.",
    "503": "The storage is away; nothing was stored. `Retry-After` says when to come again.",
}


def document() -> dict[str, Any]:
    """The whole document, OpenAPI 3.1."""
    return {
        "openapi": "3.1.0",
        "info": {"title": "Lineup bot API", "version": VERSION, "description": _ABOUT},
        "servers": [{"url": "/api/v1"}],
        "security": [{"key": []}],
        "paths": {
            "/events": {"post": _post_events(), "get": _get_events()},
            "/threads/{thread}": {"get": _get_thread()},
            "/lists/{page}/{sort}": {"get": _get_list()},
            **openapi_presence.paths(_parameter, _json_answer, _problems),
        },
        "components": {
            "schemas": schemas() | openapi_presence.schemas(),
            "securitySchemes": {
                "key": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "An API key, made with `python app.py create-key`.",
                }
            },
        },
    }


def blueprint() -> Blueprint:
    """`/api/v1/openapi.json` and `/api/docs`, for anybody."""
    made = Blueprint("openapi", __name__)
    described = document()

    @made.get("/api/v1/openapi.json")
    def machine_readable() -> Response:
        return jsonify(described)

    @made.get("/api/docs")
    def readable() -> str:
        return render_template("api_docs.html", api=described, reference=reference(described))

    return made


def _post_events() -> dict[str, Any]:
    body = {"oneOf": [ref("Event"), ref("Batch")]}
    answer = {"oneOf": [ref("Result"), ref("BatchResults")]}
    return {
        "operationId": "postEvents",
        "summary": "Post one event, or a batch of up to 500",
        "description": "Scope `events`. Good events of a bad batch are stored; every result of a "
        "batch says what became of its event.",
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": body, "example": _MESSAGE}},
        },
        "responses": {
            "200": _json_answer("A duplicate, or a batch without any rejected event.", answer),
            "201": _json_answer("The event was recorded.", ref("Result")),
            "207": _json_answer("A batch with some rejected events.", ref("BatchResults")),
            "422": {
                "description": _ANSWERS["422"] + " For a batch: every event is rejected.",
                "content": {
                    "application/problem+json": {"schema": ref("Problem")},
                    "application/json": {"schema": ref("BatchResults")},
                },
            },
            **_problems("400", "401", "403", "409", "413", "415", "429", "503"),
        },
    }


def _get_events() -> dict[str, Any]:
    limit = {"type": "integer", "minimum": 1, "maximum": 500, "default": 100}
    return {
        "operationId": "getEvents",
        "summary": "Read what admins did in your threads",
        "description": "Scope `read`. In the order in which it was committed, none skipped, kept "
        "for 30 days. Come back with `next` as `after`, also when nothing came: a chatbot that was "
        "away catches up by itself, and what stands before `after` counts as received. The same "
        "events go to webhooks, with the headers and signatures of Standard Webhooks; an `id` "
        "stays the same however often its event is sent, and `seq` counts within a thread. Notes "
        "are never among them. To webhooks alone goes `admin.typing`, while an admin writes a "
        "reply: without `seq`, with `data.by` and `data.until`, not kept. When the customer has a "
        "message, post a `receipt` for `data.id`.",
        "parameters": [
            _parameter("after", "query", {"type": "string"}, None),
            _parameter("limit", "query", limit, 100),
        ],
        "responses": {
            "200": _json_answer("Up to `limit` events.", ref("OutgoingEvents")),
            **_problems("401", "403", "422", "503"),
        },
    }


def _get_thread() -> dict[str, Any]:
    return {
        "operationId": "getThread",
        "summary": "Read one of your threads, by your own id",
        "description": "Scope `read`.",
        "parameters": [_parameter("thread", "path", {"type": "string"}, "t-42")],
        "responses": {
            "200": _json_answer("The thread as dashboards show it.", ref("Row")),
            **_problems("401", "403", "404", "503"),
        },
    }


def _get_list() -> dict[str, Any]:
    limit = {"type": "integer", "minimum": 1, "maximum": 500, "default": 100}
    return {
        "operationId": "getList",
        "summary": "Walk a list in its order",
        "description": "Scope `read`. The whole desk, all sources. Following `next` to the end "
        "meets every thread that did not move meanwhile exactly once.",
        "parameters": [
            _parameter("page", "path", {"type": "string", "enum": list(PAGES)}, "not_respond"),
            _parameter("sort", "path", {"type": "string", "enum": list(SORTS)}, "longest_wait"),
            _parameter("limit", "query", limit, 100),
            _parameter("cursor", "query", {"type": "string"}, None),
        ],
        "responses": {
            "200": _json_answer("A part of the list.", ref("List")),
            **_problems("401", "403", "404", "422", "503"),
        },
    }


def _parameter(name: str, place: str, schema: dict[str, Any], example: Any) -> dict[str, Any]:
    made = {"name": name, "in": place, "required": place == "path", "schema": schema}
    return made if example is None else made | {"example": example}


def _json_answer(description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


def _problems(*statuses: str) -> dict[str, Any]:
    content = {"application/problem+json": {"schema": ref("Problem")}}
    return {status: {"description": _ANSWERS[status], "content": content} for status in statuses}
