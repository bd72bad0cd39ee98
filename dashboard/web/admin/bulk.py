"""Acts of an admin: one on one thread, one on many threads, and undoing acts."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, TypeVar

from flask import Response

from dashboard.db.threads import thread_rows
from dashboard.errors import Problem, StorageUnavailable
from dashboard.ingest.actions import Admin
from dashboard.ingest.assigning import HandOver
from dashboard.ingest.tagging import TagNames
from dashboard.services import Services
from dashboard.validation.field_errors import field_error, json_pointer
from dashboard.validation.tags import check_change
from dashboard.web.admin import requests, responses
from dashboard.web.http.identity import current
from dashboard.web.http.responses import json_response
from dashboard.web.http.routes import done, route

#: Actions that need only the thread.
SIMPLE_ACTIONS = ("claim", "release", "reopen", "wake")
#: Those among them that have no body either.
WITHOUT_BODY = ("claim", "reopen", "wake")


class ActingAdmin:
    """Runs the methods that change threads as the admin of the current request."""

    def __init__(self, services: Services):
        self._ingest = services.ingest
        self.actions = services.actions
        self.assigning = services.assigning
        self.snoozing = services.snoozing
        self.tagging = services.tagging

    def act(self, action: Callable[..., Any], *arguments: Any) -> Any:
        """Returns the result of `action(admin, *arguments)`, after its thread is placed."""
        identity = current()
        admin = Admin(identity.admin_id, identity.name, identity.role, identity.desks)
        return self._ingest.act(action, admin, *arguments)

    def act_simply(self, name: str, thread_id: int) -> int | None:
        """Returns the id of the act; None if nothing changed. `name` is one of SIMPLE_ACTIONS."""
        assert name in SIMPLE_ACTIONS, name
        acts = self.snoozing if name == "wake" else self.actions
        return self.act(getattr(acts, name), thread_id)


Result = TypeVar("Result")


class BulkApi:
    """Calls below /admin/api/threads with a result for each thread."""

    def __init__(self, services: Services):
        self._database = services.database
        self._admin = ActingAdmin(services)
        self._undo = services.undo

    @route(
        "POST",
        "/threads/bulk",
        "postBulk",
        summary="Do one action on many threads",
        body=(requests.BulkRequest,),
        example={"ids": [1, 2], "action": "close"},
        answers=done(responses.BulkResults),
    )
    def bulk(self, body: requests.BulkRequest) -> Response:
        _check_goes_with(body, "priority", "priority", is_needed=True)
        _check_goes_with(body, "until", "snooze", is_needed=True)
        _check_goes_with(body, "wake", "snooze")
        _check_goes_with(body, "seen", "close")
        # Null means nobody.
        is_named = "admin_id" in body.model_fields_set
        _check_goes_with(body, "admin_id", "assign", is_needed=not is_named)
        _check_goes_with(body, "desk", "assign")
        _check_goes_with(body, "note", "assign")
        _check_goes_with(body, "held_by", "assign")
        _check_goes_with(body, "add", "tag")
        _check_goes_with(body, "remove", "tag")
        if body.action == "tag":
            check_change(body.add or (), body.remove or ())
        if body.until is not None:
            self._admin.snoozing.check_until(body.until)
        if body.action == "close":
            seen = self._seen(body)
            return json_response({"results": list(self._results(body, seen))})
        return json_response({"results": list(self._results(body))})

    @route(
        "POST",
        "/threads/undo",
        "postUndo",
        summary="Undo your recent acts",
        body=(requests.UndoRequest,),
        example={"acts": [17]},
        answers=done(responses.UndoneActs),
    )
    def undo(self, body: requests.UndoRequest) -> Response:
        """Undoes acts. An undone close, reopen or change of tags counts as never made. An act stays
        if another admin has set the same again since (`done_meanwhile`), and after an hour
        (`too_late`)."""
        undone = list(_each(body.acts, lambda act_id: self._admin.act(self._undo.undo, act_id)))
        with self._database.read() as connection:
            ids = {result for _, result in undone if isinstance(result, int)}
            rows = thread_rows.rows(connection, ids, current().desks)
        results = [
            {"act": act_id, "status": "rejected", "problem": result.body()}
            if isinstance(result, Problem)
            else {"act": act_id, "status": "done", "row": rows.get(result)}
            for act_id, result in undone
        ]
        return json_response({"results": results})

    def _seen(self, body: requests.BulkRequest) -> dict[int, int]:
        """Maps thread ids to the seen messages of the body; by default the last ones by now."""
        ids = {str(id): id for id in body.ids}
        message_ids = body.seen or {}
        for name in message_ids:
            if name not in ids:
                pointer = json_pointer("/seen", [name])
                raise field_error(pointer, "unknown_value", "is not one of the ids")
        seen = {ids[name]: message_id for name, message_id in message_ids.items()}
        return self._admin.actions.last_messages(body.ids) | seen

    def _results(
        self, body: requests.BulkRequest, seen: Mapping[int, int] = MappingProxyType({})
    ) -> Iterator[dict[str, object]]:
        def act_on(id: int) -> int | None:
            return self._act_on(body, id, seen.get(id, 0))

        for id, result in _each(body.ids, act_on):
            if isinstance(result, Problem):
                yield {"id": id, "status": "rejected", "problem": result.body()}
            else:
                yield {"id": id, "status": "done", "act": result}

    def _act_on(self, body: requests.BulkRequest, thread_id: int, seen: int) -> int | None:
        """Acts on one thread; returns the id of the act, or None if nothing changed."""
        if body.priority is not None:
            return self._admin.act(self._admin.actions.set_priority, thread_id, body.priority)
        if body.until is not None:
            wake = body.wake or "reply"
            return self._admin.act(self._admin.snoozing.snooze, thread_id, body.until, wake)
        if body.action == "assign":
            handover = HandOver(body.admin_id, body.note, body.desk, body.held_by)
            return self._admin.act(self._admin.assigning.hand_over, thread_id, handover)
        if body.action == "tag":
            names = TagNames(body.add or (), body.remove or ())
            return self._admin.act(self._admin.tagging.change, thread_id, names)
        if body.action == "close":
            return self._admin.act(self._admin.actions.close, thread_id, seen, f"/seen/{thread_id}")
        return self._admin.act_simply(body.action, thread_id)


def _check_goes_with(
    body: requests.BulkRequest, field: str, action: str, *, is_needed: bool = False
) -> None:
    """Raises Invalid for a field that belongs to another action, or that is missing."""
    is_given = getattr(body, field) is not None
    if is_given and body.action != action:
        raise field_error(f"/{field}", "unknown_field", f"is allowed only with the action {action}")
    if is_needed and not is_given and body.action == action:
        raise field_error(f"/{field}", "missing_field", f"is required by the action {action}")


def _each(
    ids: Iterable[int], work: Callable[[int], Result]
) -> Iterator[tuple[int, Result | Problem]]:
    """Yields each id once, with the result of `work` or the reason of its refusal.

    Each id is a transaction of its own; once SQL is away no further one is tried.
    """
    away: Problem | None = None
    for id in dict.fromkeys(ids):
        try:
            if away is not None:
                raise away
            yield id, work(id)
        except Problem as problem:
            yield id, problem
            if isinstance(problem, StorageUnavailable):
                away = problem
