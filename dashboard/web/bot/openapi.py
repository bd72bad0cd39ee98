"""The OpenAPI document of the bot API, and the pages made from it."""

import json
import re
from functools import cache
from typing import Any, NamedTuple
from urllib.parse import urlencode

from flask import Blueprint, Response, request
from pydantic.json_schema import JsonSchemaValue

from dashboard import PROGRAM, languages
from dashboard.event_types import OUTGOING_TYPES, TYPING, WEBHOOK_TEST
from dashboard.web.bot.api import ROUTES, URL_PREFIX
from dashboard.web.bot.responses import OUTGOING, AdminTyping, WebhookTest
from dashboard.web.http import openapi
from dashboard.web.http.responses import json_response, rendered

#: Members of an example that must be new at each call, with the shell's text for them. The time is
#: the end of the second: a time ahead of the server's counts as that of receipt.
_SHELL = (
    (re.compile(r'("id": )"m-\d+"'), """\\1"m-'$(date +%s)'\""""),
    (re.compile(r'("occurred_at": )"[^"]+"'), """\\1"'$(date -u +%FT%T.999Z)'\""""),
)


class Member(NamedTuple):
    """A line of a schema's table."""

    name: str
    kind: str
    required: bool
    description: str


class Table(NamedTuple):
    """An object's schema."""

    name: str
    description: str
    members: list[Member]


class Call(NamedTuple):
    """A method of a path."""

    anchor: str
    method: str
    path: str
    summary: str
    description: str
    parameters: list[JsonSchemaValue]
    curl: str
    answers: list[tuple[str, str]]


class Reference(NamedTuple):
    calls: list[Call]
    posted: list[Table]
    answered: list[Table]


def reference(api: JsonSchemaValue, server: str) -> Reference:
    """Returns all that the page shows, in its order; `server` is the address in examples."""
    prefix = api["servers"][0]["url"]
    calls = [
        _call(method, server, prefix + path, call)
        for path, methods in api["paths"].items()
        for method, call in methods.items()
    ]
    schemas = api["components"]["schemas"]
    tables = [_table(name, schema) for name, schema in schemas.items() if "properties" in schema]
    posted = names_in_bodies(api)
    return Reference(
        calls,
        [table for table in tables if table.name in posted],
        [table for table in tables if table.name not in posted],
    )


def names_in_bodies(api: JsonSchemaValue) -> set[str]:
    """Returns the schemas that request bodies are made of."""
    calls = (call for methods in api["paths"].values() for call in methods.values())
    names: set[str] = set()
    queue = [name for call in calls for name in _references(call.get("requestBody"))]
    while queue:
        name = queue.pop()
        if name not in names:
            names.add(name)
            queue += _references(api["components"]["schemas"][name])
    return names


def _references(value: Any) -> list[str]:
    """Returns the names of all schemas that a part of the document refers to."""
    if isinstance(value, list):
        return [name for entry in value for name in _references(entry)]
    if not isinstance(value, dict):
        return []
    own = [value["$ref"].rpartition("/")[2]] if "$ref" in value else []
    return own + [name for entry in value.values() for name in _references(entry)]


def kind(schema: JsonSchemaValue) -> str:
    """Describes a schema in a few words."""
    if "$ref" in schema:
        return schema["$ref"].rpartition("/")[2]
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return " | ".join(map(str, schema["enum"]))
    for word in ("anyOf", "oneOf"):
        if word in schema:
            return " or ".join(kind(part) for part in schema[word])
    if schema.get("type") == "array":
        return f"list of {kind(schema['items'])}{_bounds(schema, 'minItems', 'maxItems')}"
    return schema.get("type", "any") + (
        _bounds(schema, "minimum", "maximum") or _bounds(schema, "minLength", "maxLength")
    )


def _call(method: str, server: str, path: str, call: JsonSchemaValue) -> Call:
    parameters = call.get("parameters", [])
    return Call(
        anchor=call["operationId"],
        method=method.upper(),
        path=path,
        summary=call["summary"],
        description=call["description"],
        parameters=[one | {"kind": kind(one["schema"])} for one in parameters],
        curl=_curl(server, path, call),
        answers=[
            (status, answer["description"]) for status, answer in sorted(call["responses"].items())
        ],
    )


def _curl(server: str, path: str, call: JsonSchemaValue) -> str:
    """Returns a command that works whenever it is typed."""
    for parameter in call.get("parameters", []):
        if parameter["in"] == "path":
            path = path.replace(f"{{{parameter['name']}}}", str(parameter["example"]))
    query = urlencode(
        [
            (one["name"], one["example"])
            for one in call.get("parameters", [])
            if one["in"] == "query" and "example" in one
        ],
        doseq=True,
    )
    lines = [f"curl '{server}{path}{'?' + query if query else ''}'"]
    lines.append('-H "Authorization: Bearer $KEY"')
    if "requestBody" in call:
        example = call["requestBody"]["content"]["application/json"]["example"]
        lines.append("-H 'Content-Type: application/json'")
        document = json.dumps(example, ensure_ascii=False, indent=2)
        for pattern, replacement in _SHELL:
            document = pattern.sub(replacement, document)
        lines.append(f"-d '{document}'")
    return " \\\n  ".join(lines)


def _table(name: str, schema: JsonSchemaValue) -> Table:
    required = set(schema.get("required", ()))
    members = [
        Member(member, kind(definition), member in required, definition.get("description", ""))
        for member, definition in schema["properties"].items()
    ]
    return Table(name, schema.get("description", ""), members)


def _bounds(schema: JsonSchemaValue, low: str, high: str) -> str:
    if high not in schema:
        return ""
    return f" ({schema[low]} to {schema[high]})" if low in schema else f" (up to {schema[high]})"


_API = openapi.Api(
    title="Lineup bot API",
    about=(
        "A 2xx means: committed, and not lost whatever happens. Post an event again whenever you "
        "are in doubt: its id is unique for ever, and the same event counts once. Times are RFC "
        "3339 with an offset, from the year 2000 to 2100; ids are 1 to 128 of A-Z a-z 0-9 . _ : -"
    ),
    url_prefix=URL_PREFIX,
    security={
        "type": "http",
        "scheme": "bearer",
        "description": f"An API key, made with `{PROGRAM} create-key`.",
    },
    problems={
        401: "No valid API key.",
        403: "The key lacks the scope.",
        409: "Another event has this id (`event_id_conflict`).",
        410: "The customer was deleted: after the event had occurred, or without having written"
        " since (`customer_erased`).",
        429: "Over the key's quota; nothing was done. Try again after `Retry-After`.",
    },
    tags={
        "events": "Your events for Lineup, and the acts of admins in your threads.",
        "threads": "Threads as dashboards show them.",
        "lists": "Threads in their order.",
        "reports": "Numbers over time.",
        "presence": "Presence of customers.",
        "typing": "Typing notices.",
        "webhooks": "The requests that Lineup posts to your webhooks.",
    },
)
_MODELS: dict[str, type] = {**OUTGOING, TYPING.name: AdminTyping, WEBHOOK_TEST.name: WebhookTest}
_WEBHOOKS = [
    openapi.Webhook(type.name, type.summary, _MODELS[type.name])
    for type in (*OUTGOING_TYPES, TYPING, WEBHOOK_TEST)
]


@cache
def document() -> JsonSchemaValue:
    """Returns the document, made once in a process: making it takes 40 ms."""
    return openapi.document(_API, ROUTES, _WEBHOOKS)


def blueprint() -> Blueprint:
    """Returns the blueprint of `/api/v1/openapi.json` and `/api/docs`, which need no key."""
    routes = Blueprint("openapi", __name__)

    @routes.get(f"{URL_PREFIX}/openapi.json")
    def machine_readable() -> Response:
        return json_response(document())

    @routes.get("/api/docs")
    def readable() -> Response:
        server = request.host_url.rstrip("/")
        locale = languages.preferred_locale()
        texts = languages.texts(locale)
        page = reference(document(), server)
        # The same words as on an empty desk.
        first = languages.page_texts(locale)
        response = rendered(
            "api_docs.html", locale=locale, t=texts, first=first, reference=page, program=PROGRAM
        )
        response.vary.update(("Accept-Language", "Cookie"))
        return response

    return routes
