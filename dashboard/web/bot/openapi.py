"""The OpenAPI document of the bot API, and the pages made from it."""

from functools import cache
from typing import Any

from flask import Blueprint, Response, request

from dashboard import languages
from dashboard.event_types import OUTGOING_TYPES, TYPING, WEBHOOK_TEST
from dashboard.web.bot.api import ROUTES, URL_PREFIX
from dashboard.web.bot.responses import OUTGOING, AdminTyping, WebhookTest
from dashboard.web.http import openapi
from dashboard.web.http.api_reference import reference
from dashboard.web.http.rendering import rendered
from dashboard.web.http.responses import json_response

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
        "description": "An API key, made with `python app.py create-key`.",
    },
    problems={
        401: "No valid API key.",
        403: "The key lacks the scope.",
        409: "Another event has this id (`event_id_conflict`).",
        410: "The customer was deleted: after the event had occurred, or without having written"
        " since (`customer_erased`).",
        429: "Over the key's quota; nothing was done. `Retry-After` says when to come again.",
    },
    tags={
        "events": "What happened: yours to Lineup, and what admins did in your threads.",
        "threads": "Threads as dashboards show them.",
        "lists": "Threads in their order.",
        "presence": "Which customers are there, and what they show.",
        "typing": "Who is writing.",
        "webhooks": "What Lineup posts to your webhooks.",
    },
)
_MODELS: dict[str, type] = {**OUTGOING, TYPING.name: AdminTyping, WEBHOOK_TEST.name: WebhookTest}
_WEBHOOKS = [
    openapi.Webhook(type.name, type.summary, _MODELS[type.name])
    for type in (*OUTGOING_TYPES, TYPING, WEBHOOK_TEST)
]


@cache
def document() -> dict[str, Any]:
    """Returns the document, made once in a process: making it takes 40 ms."""
    return openapi.document(_API, ROUTES, _WEBHOOKS)


def blueprint() -> Blueprint:
    """The blueprint of `/api/v1/openapi.json` and `/api/docs`, which need no key."""
    made = Blueprint("openapi", __name__)

    @made.get(f"{URL_PREFIX}/openapi.json")
    def machine_readable() -> Response:
        return json_response(document())

    @made.get("/api/docs")
    def readable() -> Response:
        server = request.host_url.rstrip("/")
        locale = languages.preferred_locale()
        texts = languages.texts(locale)
        shown = reference(document(), server)
        response = rendered("api_docs.html", locale=locale, t=texts, reference=shown)
        response.vary.update(("Accept-Language", "Cookie"))
        return response

    return made
