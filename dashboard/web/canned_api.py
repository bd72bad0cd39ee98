"""The dashboard's calls for canned replies, which all admins share."""

from collections.abc import Callable
from typing import Annotated, Any, TypeVar

from flask import Response
from pydantic import AfterValidator
from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from dashboard.errors import NotFound, Problem
from dashboard.intake.fields import Strict
from dashboard.store import canned_replies
from dashboard.store.database import Database
from dashboard.web.admin_forms import Said, shortcut
from dashboard.web.calls import answer, parsed

Result = TypeVar("Result")


class CannedForm(Strict):
    """What stands in the composer when somebody types `/` and the shortcut."""

    shortcut: Annotated[str, AfterValidator(shortcut)]
    body: Said


class CannedApi:
    """Placeholders such as `{{customer.name}}` are filled in by the page."""

    def __init__(self, database: Database, clock: Callable[[], int]):
        self._database = database
        self._clock = clock

    def listing(self) -> Response:
        with self._database.read() as connection:
            return answer({"canned": canned_replies.listing(connection)})

    def create(self) -> Response:
        form = parsed(CannedForm)
        now = self._clock()

        def write(connection: Connection) -> dict[str, Any] | None:
            id = canned_replies.create(connection, form.shortcut, form.body, now)
            return canned_replies.one(connection, id)

        return answer(self._write(form, write), 201)

    def change(self, canned_id: int) -> Response:
        form = parsed(CannedForm)
        now = self._clock()

        def write(connection: Connection) -> dict[str, Any] | None:
            canned_replies.change(connection, canned_id, form.shortcut, form.body, now)
            return canned_replies.one(connection, canned_id)

        changed = self._write(form, write)
        if changed is None:
            raise _no_such()
        return answer(changed)

    def remove(self, canned_id: int) -> Response:
        if not self._database.write(lambda c: canned_replies.remove(c, canned_id)):
            raise _no_such()
        return Response(status=204)

    def _write(self, form: CannedForm, work: Callable[[Connection], Result]) -> Result:
        try:
            return self._database.write(work)
        except IntegrityError as error:
            detail = f"There is a canned reply “{form.shortcut}” already."
            raise Problem(409, "shortcut_taken", detail) from error


def _no_such() -> NotFound:
    return NotFound("There is no such canned reply.")
