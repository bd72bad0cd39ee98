"""The dashboard's calls for canned replies, which all admins share."""

from collections.abc import Callable
from typing import Annotated, TypeVar

from flask import Response
from pydantic import AfterValidator
from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from dashboard.db.accounts import canned_replies
from dashboard.db.accounts.canned_replies import Canned
from dashboard.errors import NotFound, Problem
from dashboard.services import Services
from dashboard.validation.fields import Strict
from dashboard.web.admin.requests import MessageText, shortcut
from dashboard.web.admin.responses import CannedReplies, CannedReply
from dashboard.web.http.responses import json_response
from dashboard.web.http.routes import NO_CONTENT, Documented, done, route

Result = TypeVar("Result")


class CannedRequest(Strict):
    """The text that the composer inserts for `/` and the shortcut."""

    shortcut: Annotated[str, AfterValidator(shortcut)]
    body: MessageText


_EXAMPLE = {"shortcut": "hello", "body": "Hello {{customer.name}}"}


class CannedApi:
    """Calls for canned replies. The page fills in placeholders such as `{{customer.name}}`."""

    def __init__(self, services: Services):
        self._database = services.database
        self._clock = services.clock

    @route(
        "GET",
        "/canned",
        "getCanned",
        summary="List the canned replies",
        answers=done(CannedReplies),
    )
    def listing(self) -> Response:
        with self._database.read() as connection:
            rows = canned_replies.listing(connection)
        return json_response({"canned": [row._asdict() for row in rows]})

    @route(
        "POST",
        "/canned",
        "postCanned",
        summary="Create a canned reply",
        body=(CannedRequest,),
        example=_EXAMPLE,
        answers={201: Documented("Created.", (CannedReply,))},
        problems=(409,),
    )
    def create(self, body: CannedRequest) -> Response:
        now = self._clock()

        def write(connection: Connection) -> Canned | None:
            id = canned_replies.create(connection, body.shortcut, body.body, now)
            return canned_replies.one(connection, id)

        canned = self._write(body, write)
        assert canned is not None, "it was created in the same transaction"
        return json_response(canned._asdict(), 201)

    @route(
        "PUT",
        "/canned/{canned_id}",
        "putCanned",
        summary="Change a canned reply",
        body=(CannedRequest,),
        example=_EXAMPLE,
        answers=done(CannedReply),
        problems=(409,),
    )
    def change(self, canned_id: int, body: CannedRequest) -> Response:
        now = self._clock()

        def write(connection: Connection) -> Canned | None:
            canned_replies.change(connection, canned_id, body.shortcut, body.body, now)
            return canned_replies.one(connection, canned_id)

        changed = self._write(body, write)
        if changed is None:
            raise _no_such()
        return json_response(changed._asdict())

    @route(
        "DELETE",
        "/canned/{canned_id}",
        "deleteCanned",
        summary="Delete a canned reply",
        answers=NO_CONTENT,
    )
    def remove(self, canned_id: int) -> Response:
        if not self._database.write(lambda c: canned_replies.remove(c, canned_id)):
            raise _no_such()
        return Response(status=204)

    def _write(self, body: CannedRequest, work: Callable[[Connection], Result]) -> Result:
        try:
            return self._database.write(work)
        except IntegrityError as error:
            detail = f"There is a canned reply “{body.shortcut}” already."
            raise Problem(409, "shortcut_taken", detail) from error


def _no_such() -> NotFound:
    return NotFound("There is no such canned reply.")
