"""The dashboard's calls about customers as persons, with all their threads."""

import logging

from flask import Response

from dashboard.errors import NotFound
from dashboard.presence.erasing import Erasing
from dashboard.validation.fields import Id, Strict
from dashboard.web.admin.responses import Answer
from dashboard.web.admin.routes import SUPERVISOR
from dashboard.web.http.audit.actors import acting
from dashboard.web.http.identity import current
from dashboard.web.http.responses import json_response
from dashboard.web.http.routes import done, route

log = logging.getLogger(__name__)

#: How long PostgreSQL may remove traces before the answer: pages cancel a request after 15 s.
TRACES_SECONDS = 10.0


class DeletedCustomerRequest(Strict):
    """The customer by the name of the source and their id there. Not by a thread: its customer may
    be another one by now."""

    source: Id
    customer: Id


class DeletedCustomer(Answer):
    """The deleted data: the customer's threads, and events with erased contents."""

    threads: int
    events: int


class CustomersApi:
    """Calls below /admin/api/customers."""

    def __init__(self, erasing: Erasing):
        self._erasing = erasing

    @route(
        "POST",
        "/customers/delete",
        "postDeleteCustomer",
        summary="Delete all data of a customer, for good",
        description="All threads of theirs with their messages and notes, wherever they are, and "
        "their presence. 503 with nothing deleted, or with all deleted but traces in the files of "
        "the database: PostgreSQL may need minutes and goes on by itself; else a second call "
        "removes these.",
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
