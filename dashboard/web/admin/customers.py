"""Calls about customers: their notes, and the deletion of all their data."""

import logging
from typing import Annotated

from flask import Response
from pydantic import Field, StrictInt

from dashboard.errors import NotFound
from dashboard.ingest.customer_notes import NewNote
from dashboard.services import Services
from dashboard.validation.fields import INTEGER_MAX, Customer, Id, NoteText, Strict
from dashboard.web.admin import responses
from dashboard.web.admin.bulk import ActingAdmin
from dashboard.web.admin.responses import Answer
from dashboard.web.admin.routes import SUPERVISOR
from dashboard.web.http.audit import acting
from dashboard.web.http.identity import current
from dashboard.web.http.responses import json_response
from dashboard.web.http.routes import done, route

log = logging.getLogger(__name__)

#: How long PostgreSQL may remove traces before the answer: pages cancel a request after 15 s.
TRACES_SECONDS = 10.0


class DeletedCustomerRequest(Strict):
    """The customer, by the name of the source and their id there. A thread would not do: its
    customer may have changed."""

    source: Id
    customer: Id


class DeletedCustomer(Answer):
    """The deleted data: the customer's threads, and events with erased contents."""

    threads: int
    events: int


class NoteRequest(Strict):
    """The note on a customer, empty to delete it; `customer` is SOURCE/ID, as the row has it.

    `changed_at` is the `at` of the note that the admin had seen, null if there was none.
    """

    customer: Customer
    text: NoteText
    changed_at: Annotated[StrictInt, Field(ge=0, le=INTEGER_MAX)] | None = None


class CustomersApi:
    """Calls about customers."""

    def __init__(self, services: Services):
        self._admin = ActingAdmin(services)
        self._notes = services.customer_notes
        self._erasing = services.erasing

    @route(
        "PUT",
        "/threads/{thread_id}/customer/note",
        "putCustomerNote",
        summary="Change the note on the customer of a thread",
        description="The note is one for all threads of the customer. Repeating a call changes "
        "nothing.",
        body=(NoteRequest,),
        example={"customer": "shop/c-7", "text": "Prefers to be called.", "changed_at": None},
        answers=done(responses.ChangedNote),
        problems=(404, 409),
        problem=responses.NoteProblem,
    )
    def note(self, thread_id: int, body: NoteRequest) -> Response:
        """Replaces the note. 409 `changed_meanwhile`, with the present `note`, if somebody has
        changed it since `changed_at`."""
        new = NewNote(body.customer, body.text, body.changed_at)
        note = self._admin.act(self._notes.change, acting(), thread_id, new)
        return json_response({"note": note})

    @route(
        "POST",
        "/customers/delete",
        "postDeleteCustomer",
        summary="Delete all data of a customer, for good",
        description="Deletes all threads of the customer with their messages and notes, at every "
        "desk, and the customer's presence. 503: nothing was deleted, or traces are left in the "
        "files of the database. PostgreSQL may need minutes, and continues by itself; otherwise "
        "a second call removes them.",
        scope=SUPERVISOR,
        body=(DeletedCustomerRequest,),
        example={"source": "shop", "customer": "c-7"},
        answers=done(DeletedCustomer),
        problems=(404,),
    )
    def delete(self, body: DeletedCustomerRequest) -> Response:
        deleted = self._erasing.erase(acting(), body.source, body.customer, TRACES_SECONDS)
        if deleted is None:
            raise NotFound("There is no such customer.")
        admin_id = current().admin_id
        log.info("admin %d deleted a customer with %d threads", admin_id, deleted.threads)
        return json_response({"threads": deleted.threads, "events": deleted.events})
