"""Webhooks and their deliveries: routes and answers."""

from functools import partial
from typing import Annotated, Literal

from flask import Response
from pydantic import AfterValidator, Field, StrictInt

from dashboard.db.accounts.sources import NAME
from dashboard.db.outbox.webhooks import GONE, REVOKED
from dashboard.errors import NotFound
from dashboard.services import Services
from dashboard.validation.field_errors import field_error
from dashboard.validation.fields import INTEGER_MAX, Strict, check_characters
from dashboard.validation.strict_json import JsonObject
from dashboard.web.admin.requests import EmptyRequest
from dashboard.web.admin.routes import SUPERVISOR
from dashboard.web.http.audit import acting
from dashboard.web.http.queries import DIGITS, Query, RowId
from dashboard.web.http.responses import json_response
from dashboard.web.http.routes import NO_CONTENT, Documented, done, route
from dashboard.web.http.schemas import Answer, Milliseconds


class Webhook(Answer):
    """A webhook without its secrets; `waiting` deliveries are pending."""

    id: int
    source: str
    url: str
    events: Annotated[
        list[str] | None, Field(description="The event types to post; null: all but `presence.*`.")
    ]
    created_at: Milliseconds
    failing_since: Milliseconds | None
    disabled_at: Milliseconds | None
    disabled_why: Literal[GONE, REVOKED] | None  # type: ignore[valid-type]
    waiting: int


class Webhooks(Answer):
    """All webhooks that are not revoked, the oldest first."""

    webhooks: list[Webhook]


class Created(Answer):
    """The id of a new webhook, and its secret, which cannot be read again."""

    id: int
    secret: str


class Rotated(Answer):
    """The new secret."""

    secret: str


class Tested(Answer):
    """The headers of a test request, and its answer; `error` if there was none."""

    at: Milliseconds
    took_ms: int
    request: dict[str, str]
    status: int | None
    error: str | None
    answer: str


class LoggedRequest(Answer):
    """A request: its headers, and the event; null for a test."""

    headers: dict[str, str]
    body: JsonObject | None


class WebhookDelivery(Answer):
    """The current state of a delivery."""

    state: Literal["pending", "done", "failed"]
    attempts: int
    next_at: Milliseconds


class LoggedAttempt(Answer):
    """A request to the receiver and its answer; `delivery` is null for a test."""

    id: int
    at: Milliseconds
    took_ms: int
    request: LoggedRequest
    status: int | None
    error: str | None
    answer: str
    delivery: WebhookDelivery | None


class Log(Answer):
    """A part of a webhook's log, newest first; whether there are older entries."""

    attempts: list[LoggedAttempt]
    more: bool


class Replayed(Answer):
    """The number of events that are delivered again."""

    replayed: int


LOG_DEFAULT = 50
LOG_MAX = 200
#: Every call is for supervisors.
_route = partial(route, scope=SUPERVISOR)
Time = Annotated[StrictInt, Field(ge=0, le=INTEGER_MAX)]


class WebhookRequest(Strict):
    """A new webhook; without `events` it receives all types but `presence.*`."""

    source: str
    url: str
    events: list[str] | None = None


class ReplayRequest(Strict):
    """The events to send again: one by its id, or all of a period in milliseconds."""

    event: Annotated[str, AfterValidator(check_characters)] | None = None
    since: Time | None = None
    until: Time | None = None


class LogQuery(Query):
    """A part of a webhook's log, newest first."""

    before: RowId | None = None
    limit: Annotated[int, Field(ge=1, le=LOG_MAX), DIGITS] = LOG_DEFAULT


class WebhookApi:
    """The routes below `/webhooks`, for supervisors."""

    def __init__(self, services: Services):
        self._service = services.webhooks

    @_route("GET", "/webhooks", "getWebhooks", summary="List the webhooks", answers=done(Webhooks))
    def listing(self) -> Response:
        rows = self._service.listing()
        return json_response(
            {"webhooks": [webhook._asdict() | {"waiting": count} for webhook, count in rows]}
        )

    @_route(
        "POST",
        "/webhooks",
        "postWebhook",
        summary="Create a webhook",
        body=(WebhookRequest,),
        example={"source": "shop", "url": "https://bot.example/lineup"},
        answers={201: Documented("Created.", (Created,))},
    )
    def create(self, body: WebhookRequest) -> Response:
        if not NAME.fullmatch(body.source):
            raise field_error("/source", "invalid_id", "must be 1 to 64 of a-z, 0-9 and “-”")
        webhook = self._service.create(acting(), body.source, body.url, body.events)
        return json_response(webhook._asdict(), 201)

    @_route(
        "POST",
        "/webhooks/{id}/rotate",
        "postRotate",
        summary="Make a new secret; the old one stays valid for a day",
        body=(EmptyRequest,),
        answers=done(Rotated),
    )
    def rotate(self, id: int) -> Response:
        return json_response({"secret": self._service.rotate(acting(), id)})

    @_route(
        "POST",
        "/webhooks/{id}/enable",
        "postEnable",
        summary="Enable a webhook that answered 410",
        body=(EmptyRequest,),
        answers=NO_CONTENT,
    )
    def enable(self, id: int) -> Response:
        self._service.enable(acting(), id)
        return Response(status=204)

    @_route(
        "DELETE", "/webhooks/{id}", "deleteWebhook", summary="Revoke a webhook", answers=NO_CONTENT
    )
    def revoke(self, id: int) -> Response:
        self._service.revoke(acting(), id)
        return Response(status=204)

    @_route(
        "POST",
        "/webhooks/{id}/test",
        "postTest",
        summary="Post a test event at once",
        body=(EmptyRequest,),
        answers=done(Tested),
        problems=(409,),
    )
    def test(self, id: int) -> Response:
        return json_response(self._service.test(id)._asdict())

    @_route(
        "GET",
        "/webhooks/{id}/log",
        "getLog",
        summary="Read a part of the delivery log",
        query=LogQuery,
        answers=done(Log),
    )
    def log(self, id: int, query: LogQuery) -> Response:
        attempts, more = self._service.log(id, query.before, query.limit)
        return json_response({"attempts": attempts, "more": more})

    @_route(
        "POST",
        "/webhooks/{id}/replay",
        "postReplay",
        summary="Deliver events again",
        body=(ReplayRequest,),
        example={"since": 0},
        answers=done(Replayed),
        problems=(409,),
    )
    def replay(self, id: int, body: ReplayRequest) -> Response:
        if (body.event is None) == (body.since is None):
            raise field_error("/event", "missing_field", "or since must be given, but not both")
        if body.event is not None:
            count = self._service.replay(acting(), id, name=body.event)
            if not count:
                raise NotFound("There is no such event for this webhook.")
        else:
            until = INTEGER_MAX if body.until is None else body.until
            count = self._service.replay(acting(), id, from_ms=body.since, to_ms=until)
        return json_response({"replayed": count})
