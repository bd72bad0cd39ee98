"""Webhooks, for supervisors: the page, and the calls that it makes."""

from functools import partial
from typing import Annotated

from flask import Response
from pydantic import AfterValidator, Field, StrictInt

from dashboard.db.accounts.sources import NAME
from dashboard.errors import NotFound
from dashboard.validation.field_errors import field_error
from dashboard.validation.fields import INTEGER_MAX, Strict, check_characters
from dashboard.web.admin.requests import EmptyRequest
from dashboard.web.admin.routes import SUPERVISOR
from dashboard.web.admin.webhooks import responses
from dashboard.web.http.audit.actors import acting
from dashboard.web.http.queries import DIGITS, Query, RowId
from dashboard.web.http.responses import json_response
from dashboard.web.http.routes import NO_CONTENT, Documented, done, route
from dashboard.webhooks.service import WebhookService

LOG_DEFAULT = 50
LOG_MAX = 200
#: Every call is for supervisors.
_route = partial(route, scope=SUPERVISOR)
Time = Annotated[StrictInt, Field(ge=0, le=INTEGER_MAX)]


class WebhookRequest(Strict):
    """A new webhook; without `events` it gets all types."""

    source: str
    url: str
    events: list[str] | None = None


class ReplayRequest(Strict):
    """What to send again: one event by its id, or all of a time in ms."""

    event: Annotated[str, AfterValidator(check_characters)] | None = None
    since: Time | None = None
    until: Time | None = None


class LogQuery(Query):
    """A part of a webhook's log, newest first."""

    before: RowId | None = None
    limit: Annotated[int, Field(ge=1, le=LOG_MAX), DIGITS] = LOG_DEFAULT


class WebhookApi:
    """The routes below `/webhooks`, for supervisors."""

    def __init__(self, service: WebhookService):
        self._service = service

    @_route(
        "GET",
        "/webhooks",
        "getWebhooks",
        summary="List the webhooks",
        answers=done(responses.Webhooks),
    )
    def listing(self) -> Response:
        found = self._service.listing()
        return json_response(
            {"webhooks": [each._asdict() | {"waiting": count} for each, count in found]}
        )

    @_route(
        "POST",
        "/webhooks",
        "postWebhook",
        summary="Create a webhook",
        body=(WebhookRequest,),
        example={"source": "shop", "url": "https://bot.example/lineup"},
        answers={201: Documented("Created.", (responses.Created,))},
    )
    def create(self, body: WebhookRequest) -> Response:
        if not NAME.fullmatch(body.source):
            raise field_error("/source", "invalid_id", "must be 1 to 64 of a-z, 0-9 and “-”")
        made = self._service.create(acting(), body.source, body.url, body.events)
        return json_response(made._asdict(), 201)

    @_route(
        "POST",
        "/webhooks/{id}/rotate",
        "postRotate",
        summary="Make a new secret; the old one stays valid for a day",
        body=(EmptyRequest,),
        answers=done(responses.Rotated),
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
        "DELETE",
        "/webhooks/{id}",
        "deleteWebhook",
        summary="Revoke a webhook",
        answers=NO_CONTENT,
        problems=(415,),
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
        answers=done(responses.Tested),
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
        answers=done(responses.Log),
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
        answers=done(responses.Replayed),
        problems=(409,),
    )
    def replay(self, id: int, body: ReplayRequest) -> Response:
        if (body.event is None) == (body.since is None):
            raise field_error("/event", "missing_field", "or since must be given, one of them")
        if body.event is not None:
            count = self._service.replay(acting(), id, name=body.event)
            if not count:
                raise NotFound("There is no such event for this webhook.")
        else:
            until = INTEGER_MAX if body.until is None else body.until
            count = self._service.replay(acting(), id, from_ms=body.since, to_ms=until)
        return json_response({"replayed": count})
