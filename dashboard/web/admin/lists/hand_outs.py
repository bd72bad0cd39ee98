"""Taking the next thread of a queue, and the switch that lets queues give threads to an admin."""

from collections.abc import Mapping
from typing import Annotated

from flask import Response
from pydantic import Field, StrictBool, StrictInt
from sqlalchemy import Connection

from dashboard.db.queues import admins, definitions
from dashboard.db.queues.admins import CAPACITY_MAX
from dashboard.db.queues.definitions import Load
from dashboard.db.threads import thread_rows
from dashboard.services import Services
from dashboard.validation.field_errors import field_error
from dashboard.validation.fields import Partial, Strict
from dashboard.validation.fields import Queue as QueueName
from dashboard.web.admin.bulk import ActingAdmin
from dashboard.web.admin.lists.calendars import Count, Id
from dashboard.web.admin.responses import Row
from dashboard.web.http import schemas
from dashboard.web.http.identity import current
from dashboard.web.http.responses import json_response
from dashboard.web.http.routes import Documented, done, route
from dashboard.web.http.schemas import Absent, Answer


class NextRequest(Strict):
    """The queue to take from; omitted: the first one that has a thread."""

    queue: Id | None = None


class AcceptingRequest(Partial):
    """Whether queues may give the admin threads, and the admin's own capacity: null for the one
    that supervisors have set."""

    accepting: StrictBool
    capacity: Annotated[StrictInt, Field(ge=0, le=CAPACITY_MAX)] | None = None


class NextThread(Answer):
    """The thread that the admin has got."""

    row: Row
    queue: QueueName
    rank: Annotated[int, Field(description="Its place in the queue, from 1 on.")]
    of: Annotated[Count, Field(description="Threads that stood in the queue.")]
    act: Annotated[int, Field(description="The act, to undo it.")]


class Accepting(Answer):
    """Whether the admin accepts threads, and the admin's places."""

    accepting: bool
    capacity: Annotated[Count, Field(description="The capacity in effect.")]
    capacity_max: Annotated[Count, Field(description="The capacity that supervisors have set.")]
    load: Annotated[Count, Field(description="Threads that count against it.")]
    counts: Annotated[Load, Field(description="The threads that count.")]


class NextProblem(schemas.Problem):
    """A problem; `at_capacity` has the admin's load and capacity."""

    load: int = Absent
    capacity: int = Absent


class HandOutsApi:
    """The calls of an admin about threads that queues may hand out to the admin."""

    def __init__(self, services: Services):
        self._services = services
        self._database = services.database
        self._admin = ActingAdmin(services)

    @route(
        "POST",
        "/queues/next",
        "postNext",
        summary="Take the next thread",
        body=(NextRequest,),
        answers={
            200: Documented("The thread is the admin's now.", (NextThread,)),
            204: Documented("No thread waits for the admin."),
        },
        problems=(404, 409),
        problem=NextProblem,
    )
    def next(self, body: NextRequest) -> Response:
        """Takes the first thread that the admin may have, of the first queue that has one and lets
        its admins ask for threads. Two admins never get the same one."""
        hand_out = self._admin.act(self._services.handing_out.pull, body.queue)
        if hand_out is None:
            return Response(status=204)
        with self._database.read() as connection:
            rows = thread_rows.rows(connection, [hand_out.thread_id], current().desks)
        answer = {
            "row": rows.get(hand_out.thread_id),
            "queue": {"id": hand_out.queue.id, "name": hand_out.queue.name},
            "rank": hand_out.rank,
            "of": hand_out.of,
            "act": hand_out.act_id,
        }
        return json_response(answer)

    @route(
        "GET",
        "/me/accepting",
        "getAccepting",
        summary="Read whether queues may give you threads",
        answers=done(Accepting),
    )
    def accepting(self) -> Response:
        with self._database.read() as connection:
            return json_response(admins.accepting(connection, current().admin_id))

    @route(
        "PUT",
        "/me/accepting",
        "putAccepting",
        summary="Say whether queues may give you threads",
        body=(AcceptingRequest,),
        example={"accepting": True, "capacity": 3},
        answers=done(Accepting),
    )
    def accept(self, body: AcceptingRequest) -> Response:
        """Sets the switch, and the admin's own capacity, which is never above the one that
        supervisors have set."""
        admin_id = current().admin_id

        def write(connection: Connection) -> Mapping[str, object]:
            definitions.lock(connection)
            values: dict[str, object] = {"accepting": body.accepting}
            if "capacity" in body.changes():
                most = admins.capacities(connection, [admin_id])[admin_id]
                if body.capacity is not None and body.capacity > most:
                    detail = f"is more than {most}, the capacity that supervisors have set"
                    raise field_error("/capacity", "number_out_of_range", detail)
                values["own_capacity"] = body.capacity
            admins.put(connection, admin_id, **values)
            return admins.accepting(connection, admin_id)

        answer = self._database.write(write)
        self._services.hand_outs.wake()
        self._services.queue_news.wake()
        self._services.presence_tasks.wake_queue_presence()
        return json_response(answer)
