"""Queues: routes, bodies, answers, and their audit log entries; the next thread of an admin."""

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, Literal

from flask import Response
from pydantic import BeforeValidator, Field, StrictInt, TypeAdapter
from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from dashboard.db import audit
from dashboard.db.accounts import admin_desks
from dashboard.db.audit import Target, add, changes
from dashboard.db.lists import query_lists, views
from dashboard.db.queues import definitions, entries, standing
from dashboard.db.queues.definitions import QUEUES_MAX, Load, Mode, Queue, QueueDraft, Which
from dashboard.db.queues.standing import Numbers, Reader, Standing
from dashboard.errors import ChangedMeanwhile, FieldError, Invalid, NotFound, Problem
from dashboard.live.requests import ViewId
from dashboard.services import Services
from dashboard.validation.field_errors import field_error, named
from dashboard.validation.fields import DeskName, Strict, fault
from dashboard.web.admin.lists.calendars import ChangedAt, Count, Id
from dashboard.web.admin.routes import SUPERVISOR
from dashboard.web.http import schemas
from dashboard.web.http.audit import acting
from dashboard.web.http.identity import current
from dashboard.web.http.responses import json_response
from dashboard.web.http.routes import NO_CONTENT, Documented, done, route
from dashboard.web.http.schemas import Absent, Answer, Milliseconds
from scoring.conditions.language.query import QueryError

#: Most desks of one queue.
DESKS_MAX = 200


class ReturnRequest(Strict):
    """The return of threads from an admin who is offline: after how long, and which."""

    offline_after: Annotated[
        StrictInt, Field(ge=30, le=3_600, description="Seconds that the admin must be offline.")
    ] = 120
    which: Which = "waiting"


_Desks = Annotated[
    list[DeskName], Field(min_length=1, max_length=DESKS_MAX, description="Desks of its admins.")
]
_DESKS: TypeAdapter[list[str]] = TypeAdapter(_Desks)


def _desks_or_all(value: Any) -> Any:
    """Returns `all`, or the desks, parsed here so that a mistake has its place among them."""
    if isinstance(value, list):
        return _DESKS.validate_python(value)
    if value != "all":
        raise fault("wrong_type", "must be `all`, or a list of desks")
    return value


_Admins = Annotated[_Desks | Literal["all"], BeforeValidator(_desks_or_all)]


class TriedQueueRequest(Strict):
    """A queue that is being edited."""

    view: ViewId
    mode: Mode
    admins: _Admins = "all"
    take_within: Annotated[
        StrictInt, Field(ge=10, le=3_600, description="Seconds in which it must be opened.")
    ] = 60
    delay: Annotated[
        StrictInt, Field(ge=0, le=3_600, description="Seconds that it must have been in the queue.")
    ] = 0
    returning: Annotated[ReturnRequest, Field(alias="return")] = ReturnRequest()


class QueueRequest(TriedQueueRequest):
    """The new state of a queue; it keeps its place."""

    changed_at: ChangedAt = None


class QueueOrderRequest(Strict):
    """The ids of all queues in their new order."""

    ids: Annotated[list[Id], Field(max_length=QUEUES_MAX)]


class LoadRequest(Strict):
    """The threads of an admin that count against the capacity."""

    load: Load


class QueueReturn(Answer):
    """The return of threads from an admin who is offline."""

    offline_after: int
    which: Which


class QueueNumbers(Answer):
    """The numbers of a queue now."""

    waiting: Annotated[Count, Field(description="Threads that it may hand out now.")]
    accepting: Annotated[Count, Field(description="Its admins who seem to accept threads.")]
    eligible: Annotated[Count, Field(description="Admins among them with a free place.")]


class ListedQueue(QueueNumbers):
    """A queue as the reader sees it; `waiting` counts only threads that the reader sees."""

    id: int
    view: Annotated[str, Field(description="The id of its view.")]
    name: Annotated[str, Field(description="The name of its view.")]
    mode: Mode
    admins: list[str] | Literal["all"]
    take_within: int
    delay: int
    returning: Annotated[QueueReturn, Field(alias="return")]
    changed_at: Milliseconds
    mine: Annotated[bool, Field(description="The reader is one of its admins.")]


class Queues(Answer):
    """The queues in their order."""

    queues: list[ListedQueue]
    load: Annotated[Load, Field(description="The threads that count against a capacity.")]
    next: Annotated[Count, Field(description="Threads that the reader could take, each once.")]


class OneQueue(Answer):
    """The queue as it is now."""

    queue: ListedQueue


class LoadAnswer(Answer):
    """The threads that count against a capacity."""

    load: Load


class QueueProblem(schemas.Problem):
    """A problem; with `changed_meanwhile` it has the queue as it is now."""

    queue: ListedQueue = Absent


_route = partial(route, scope=SUPERVISOR)
_EXAMPLE = {"view": "v17", "mode": "push", "admins": ["main"], "take_within": 60}


class QueuesApi:
    """The routes below /queues, except that of the next thread."""

    def __init__(self, services: Services):
        self._services = services
        self._database = services.database
        self._clock = services.clock

    @route("GET", "/queues", "getQueues", summary="List the queues", answers=done(Queues))
    def listing(self) -> Response:
        """Lists the queues that concern the reader: those of the reader, and those with a view that
        the reader sees; for supervisors all."""
        with self._database.read() as connection:
            return json_response(_all(connection, self._clock()))

    @_route(
        "POST",
        "/queues",
        "postQueue",
        summary="Make a view hand out its threads",
        body=(TriedQueueRequest,),
        example=_EXAMPLE,
        answers={201: Documented("Saved after all others.", (OneQueue,))},
        problems=(409,),
    )
    def create(self, body: TriedQueueRequest) -> Response:
        admin_id, now = current().admin_id, self._clock()

        def write(connection: Connection) -> dict[str, object]:
            draft = _draft(connection, body)
            if len(definitions.listing(connection)) >= QUEUES_MAX:
                most = f"the limit of {QUEUES_MAX} queues is reached"
                raise field_error("/view", "too_many_queues", f"cannot hand out threads: {most}")
            id = definitions.create(connection, draft, admin_id, now)
            entries.synchronize(connection)
            queue = _found(connection, id)
            add(connection, now, acting(), audit.QUEUE_CREATED, _target(queue), _said(queue))
            return _one(connection, id, now)

        return json_response({"queue": self._write(write)}, 201)

    @_route(
        "PUT",
        "/queues/order",
        "putQueueOrder",
        summary="Set the order of the queues",
        description="Omitted queues follow the others in their present order.",
        body=(QueueOrderRequest,),
        example={"ids": [5, 3, 4]},
        answers=done(Queues),
    )
    def order(self, body: QueueOrderRequest) -> Response:
        now = self._clock()

        def write(connection: Connection) -> dict[str, object]:
            definitions.lock(connection)
            before = definitions.listing(connection)
            ids = [queue.id for queue in before]
            unknown = [
                FieldError(f"/ids/{at}", "unknown_value", f"{named(f'/ids/{at}')} is not a queue.")
                for at, id in enumerate(body.ids)
                if id not in ids
            ]
            if unknown:
                raise Invalid(unknown[:20])
            definitions.put_in_order(connection, list(dict.fromkeys([*body.ids, *ids])))
            old, new = (
                {"order": [queue.name for queue in order]}
                for order in (before, definitions.listing(connection))
            )
            if differences := changes(old, new):
                target = Target(None)
                add(connection, now, acting(), audit.QUEUES_ORDERED, target, differences)
            return _all(connection, now)

        return json_response(self._write(write))

    @_route(
        "PUT",
        "/queues/load",
        "putQueueLoad",
        summary="Set which threads count against a capacity",
        body=(LoadRequest,),
        example={"load": "open"},
        answers=done(LoadAnswer),
    )
    def set_load(self, body: LoadRequest) -> Response:
        """Sets whether only threads with a waiting customer count (`waiting`), or all open ones."""
        now = self._clock()

        def write(connection: Connection) -> dict[str, object]:
            before = definitions.lock(connection)
            definitions.set_load(connection, body.load)
            if differences := changes({"load": before.load}, {"load": body.load}):
                target = Target(None)
                add(connection, now, acting(), audit.QUEUE_LOAD_CHANGED, target, differences)
            return {"load": body.load}

        return json_response(self._write(write))

    @_route(
        "POST",
        "/queues/preview",
        "postQueuePreview",
        summary="Try a queue",
        body=(TriedQueueRequest,),
        example=_EXAMPLE,
        answers=done(QueueNumbers),
    )
    def preview(self, body: TriedQueueRequest) -> Response:
        """Returns the numbers that the queue would have now; changes nothing."""
        now = self._clock()
        with self._database.read() as connection:
            view = _view(connection, body)
            assert view.list_id is not None
            people = standing.People(connection, definitions.state(connection).load)
            accepting = people.accepting(_desks_of(body), _reader())
            query_list = query_lists.list_of(connection, view.listed(None))
            waiting = entries.count_on_list(connection, query_list, now, body.delay * 1_000)
            eligible = sum(map(people.has_room, accepting))
        return json_response(Numbers(waiting, len(accepting), eligible)._asdict())

    @_route(
        "PUT",
        "/queues/{queue_id}",
        "putQueue",
        summary="Change a queue",
        body=(QueueRequest,),
        example=_EXAMPLE,
        answers=done(OneQueue),
        problems=(404, 409),
        problem=QueueProblem,
    )
    def change(self, queue_id: int, body: QueueRequest) -> Response:
        admin_id, now = current().admin_id, self._clock()

        def write(connection: Connection) -> dict[str, object]:
            draft = _draft(connection, body)
            before = _found(connection, queue_id)
            if body.changed_at not in (None, before.changed_at):
                raise ChangedMeanwhile("the queue", queue=_one(connection, queue_id, now))
            definitions.change(connection, before, draft, admin_id, now)
            entries.synchronize(connection)
            after = _found(connection, queue_id)
            if differences := changes(_said(before), _said(after)):
                add(connection, now, acting(), audit.QUEUE_CHANGED, _target(after), differences)
            return _one(connection, queue_id, now)

        return json_response({"queue": self._write(write)})

    @_route(
        "DELETE",
        "/queues/{queue_id}",
        "deleteQueue",
        summary="Delete a queue",
        answers=NO_CONTENT,
        problems=(404,),
    )
    def remove(self, queue_id: int) -> Response:
        """Deletes the queue; its view stays, and its threads stay with their admins."""
        now = self._clock()

        def write(connection: Connection) -> None:
            definitions.lock(connection)
            queue = _found(connection, queue_id)
            definitions.remove(connection, queue_id)
            entries.synchronize(connection)
            add(connection, now, acting(), audit.QUEUE_DELETED, _target(queue), _said(queue))

        self._write(write)
        return Response(status=204)

    def _write(self, work: Callable[[Connection], Any]) -> Any:
        """Runs a change of queues, then looks for threads to hand out. Raises Problem (409,
        `in_use`) if the view is a queue already."""
        try:
            answer = self._database.write(work)
        except IntegrityError as error:
            raise Problem(409, "in_use", "This view hands out its threads already.") from error
        self._services.hand_outs.wake()
        # Every worker looks at once, also at the first queue of a desk.
        self._services.queue_news.look()
        self._services.view_changes.announce()
        return answer


def _draft(connection: Connection, body: TriedQueueRequest) -> QueueDraft:
    """Checks and locks; returns the queue. Raises Invalid for a view that cannot be a queue, and
    for unknown desks."""
    # In this order, as in changes of views.
    views.begin_change(connection)
    definitions.lock(connection)
    view = _view(connection, body)
    return QueueDraft(
        view.id,
        body.mode,
        _desks_of(body),
        body.take_within,
        body.delay,
        body.returning.offline_after,
        body.returning.which,
    )


def _view(connection: Connection, body: TriedQueueRequest) -> views.View:
    unknown = admin_desks.unknown(connection, _desks_of(body) or ())
    if unknown:
        at = next(at for at, desk in enumerate(body.admins) if desk in unknown)
        raise field_error(f"/admins/{at}", "unknown_value", "is not a desk")
    number = views.number_of(body.view)
    view = None if number is None else views.find(connection, number, None, None)
    if view is None:
        detail = "is not a saved view of everybody or of a desk"
        raise field_error("/view", "unknown_value", detail)
    if view.list_id is None:
        detail = "has other threads for each admin, so it cannot hand them out"
        raise field_error("/view", "unknown_value", detail)
    try:
        query_lists.list_of(connection, view.listed(None))
    except QueryError as error:
        detail = f"has a query that is wrong by now: {error}"
        raise field_error("/view", "unknown_value", detail) from error
    return view


def _desks_of(body: TriedQueueRequest) -> frozenset[str] | None:
    return None if body.admins == "all" else frozenset(body.admins)


def _found(connection: Connection, id: int) -> Queue:
    queue = definitions.find(connection, id)
    if queue is None:
        raise NotFound("There is no such queue.")
    return queue


def _reader() -> Reader:
    identity = current()
    return Reader(identity.admin_id, identity.role, identity.desks)


def _all(connection: Connection, now: int) -> dict[str, object]:
    reader, all_queues = _reader(), standing.AllQueues(connection, now)
    return {
        "queues": [_json(one) for one in all_queues.seen_by(connection, reader)],
        "load": definitions.state(connection).load,
        "next": all_queues.to_take(connection, reader),
    }


def _one(connection: Connection, id: int, now: int) -> dict[str, object]:
    listed = standing.standings(connection, _reader(), now)
    return next(_json(one) for one in listed if one.queue.id == id)


def _json(one: Standing) -> dict[str, object]:
    queue = one.queue
    return {
        "id": queue.id,
        "view": f"v{queue.view_id}",
        "name": queue.name,
        **_said(queue),
        "changed_at": queue.changed_at,
        **one.numbers._asdict(),
        "mine": one.mine,
    }


def _target(queue: Queue) -> Target:
    return Target(queue.id, queue.name)


def _said(queue: Queue) -> dict[str, object]:
    """Returns a queue's data for the audit log, besides its view."""
    return {
        "mode": queue.mode,
        "admins": "all" if queue.admins is None else sorted(queue.admins),
        "take_within": queue.take_within,
        "delay": queue.delay,
        "return": {"offline_after": queue.offline_after, "which": queue.which},
    }
