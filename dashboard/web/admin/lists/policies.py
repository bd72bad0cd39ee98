"""Policies of due times: routes, bodies, answers, the audit log, and a preview."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Annotated, Any

from flask import Response
from pydantic import BeforeValidator, Field
from sqlalchemy import Connection

from dashboard.db import audit, calendars, policies
from dashboard.db.audit import Target, add, changes
from dashboard.db.lists import allowances, versions
from dashboard.db.policies import POLICIES_MAX, PolicyDraft, SavedPolicy
from dashboard.errors import ChangedMeanwhile, FieldError, Invalid, NotFound
from dashboard.services import Services
from dashboard.validation.field_errors import field_error, invalid_query, named
from dashboard.validation.fields import Strict, fault
from dashboard.web.admin.lists.calendars import (
    ChangedAt,
    Count,
    HoursApi,
    HoursProblem,
    Id,
    MinutesRequest,
    Name,
    Policy,
    TriedCalendarRequest,
)
from dashboard.web.admin.routes import SUPERVISOR
from dashboard.web.http.audit import acting
from dashboard.web.http.identity import current
from dashboard.web.http.responses import json_response
from dashboard.web.http.routes import NO_CONTENT, Documented, done, route
from dashboard.web.http.schemas import Answer
from scoring.calendar import Calendar as OpeningHours
from scoring.calendar import read_calendar
from scoring.conditions.language.parser import LENGTH_MAX
from scoring.conditions.language.query import QueryError
from scoring.policies import Policies as HeldPolicies
from scoring.policies import Policy as HeldPolicy
from scoring.policies import resolve_query


class _TargetsRequest(Strict):
    name: Name
    query: Annotated[str, Field(description=f"Conditions, up to {LENGTH_MAX:,} characters.")]
    first_reply: Annotated[
        MinutesRequest,
        Field(description="Minutes of opening time for a first reply; null: no target."),
    ]
    next_reply: Annotated[
        MinutesRequest,
        Field(description="Minutes of opening time for later replies; null: no target."),
    ]


class NewPolicyRequest(_TargetsRequest):
    """A new policy, to be saved after all others."""

    calendar: Id

    def draft(self) -> PolicyDraft:
        return PolicyDraft(self.name, self.query, self.calendar, self.first_reply, self.next_reply)


class PolicyRequest(NewPolicyRequest):
    """The new state of a policy; it keeps its place."""

    changed_at: ChangedAt = None


def _id_or_calendar(value: Any) -> Any:
    """Returns the id, or the calendar, parsed here so that a mistake has its place in it."""
    if isinstance(value, dict):
        return TriedCalendarRequest.model_validate(value)
    if type(value) is not int:
        raise fault("wrong_type", "must be the id of a calendar, or a calendar")
    return value


class TriedPolicyRequest(_TargetsRequest):
    """A policy that is being edited, or a saved one; its id is ignored."""

    calendar: Annotated[Id | TriedCalendarRequest, BeforeValidator(_id_or_calendar)]
    id: Any = None
    changed_at: Any = None


class PolicyPreviewRequest(Strict):
    """All policies in their order, as they would be after the change."""

    policies: Annotated[list[TriedPolicyRequest], Field(max_length=POLICIES_MAX)]


class PolicyOrderRequest(Strict):
    """The ids of all policies in their new order."""

    ids: Annotated[list[Id], Field(max_length=POLICIES_MAX)]


class Recompute(Answer):
    """The progress of a change: how many of the waiting threads it has reached."""

    done: Count
    of: Count


class Policies(Answer):
    """All policies in their order."""

    policies: list[Policy]
    recompute: Annotated[
        Recompute | None, Field(description="Null when the last change has reached all threads.")
    ]


class OnePolicy(Answer):
    """The policy as it is now."""

    policy: Policy


class PolicyPreview(Answer):
    """The threads that policies would make late."""

    waiting: Annotated[Count, Field(description="Threads in which a customer waits.")]
    late_now: Count
    late_after: Count
    newly_late: Annotated[Count, Field(description="Threads among them that are not late now.")]


def policy_created(connection: Connection, now_ms: int, policy: SavedPolicy) -> None:
    details = _said(connection, policy)
    add(connection, now_ms, acting(), audit.POLICY_CREATED, _target(policy), details)


def policy_changed(
    connection: Connection, now_ms: int, before: SavedPolicy, after: SavedPolicy
) -> None:
    old, new = ({"name": policy.name} | _said(connection, policy) for policy in (before, after))
    differences = changes(old, new)
    if differences:
        add(connection, now_ms, acting(), audit.POLICY_CHANGED, _target(after), differences)


def policy_deleted(connection: Connection, now_ms: int, policy: SavedPolicy) -> None:
    details = _said(connection, policy)
    add(connection, now_ms, acting(), audit.POLICY_DELETED, _target(policy), details)


def policies_ordered(connection: Connection, now_ms: int, before: Sequence[SavedPolicy]) -> None:
    """Adds the audit log entry of a new order; `before` are all policies in the old one."""
    old, new = (
        {"order": [policy.name for policy in order]}
        for order in (before, policies.listing(connection))
    )
    differences = changes(old, new)
    if differences:
        add(connection, now_ms, acting(), audit.POLICIES_ORDERED, Target(None), differences)


def _target(policy: SavedPolicy) -> Target:
    return Target(policy.id, policy.name)


def _said(connection: Connection, policy: SavedPolicy) -> dict[str, object]:
    """Returns a policy's data for the audit log, besides its name; of its calendar the name."""
    names = {calendar.id: calendar.name for calendar in calendars.listing(connection)}
    return {
        "query": policy.query,
        "calendar": names.get(policy.calendar_id),
        "first_reply": policy.first_reply,
        "next_reply": policy.next_reply,
    }


_route = partial(route, scope=SUPERVISOR)
_EXAMPLE = {
    "name": "VIPs",
    "query": "member:0,1",
    "calendar": 3,
    "first_reply": 30,
    "next_reply": 60,
}


class PoliciesApi(HoursApi):
    """The routes below /policies."""

    @_route(
        "GET",
        "/policies",
        "getPolicies",
        summary="List the policies in their order",
        answers=done(Policies),
    )
    def listing(self) -> Response:
        with self._database.read() as connection:
            return json_response(_all(connection))

    @_route(
        "POST",
        "/policies",
        "postPolicy",
        summary="Save a policy after all others",
        body=(NewPolicyRequest,),
        example=_EXAMPLE,
        answers={201: Documented("Saved.", (OnePolicy,))},
        problems=(409,),
        problem=HoursProblem,
    )
    def create(self, body: NewPolicyRequest) -> Response:
        admin_id, now = current().admin_id, self._clock()

        def write(connection: Connection) -> SavedPolicy:
            versions.grow_policies(connection)
            if len(policies.listing(connection)) >= POLICIES_MAX:
                most = f"the limit of {POLICIES_MAX} policies is reached"
                raise field_error("/name", "too_many_policies", f"cannot be saved: {most}")
            draft = _as_saved(connection, body, None)
            policy = policies.create(connection, draft, admin_id, now)
            policies.keep(connection, now)
            policy_created(connection, now, policy)
            return policy

        return json_response({"policy": _json(self._write(body.name, write))}, 201)

    @_route(
        "PUT",
        "/policies/order",
        "putPolicyOrder",
        summary="Set the order of the policies",
        description="Omitted policies follow the others in their present order.",
        body=(PolicyOrderRequest,),
        example={"ids": [5, 3, 4]},
        answers=done(Policies),
        problem=HoursProblem,
    )
    def order(self, body: PolicyOrderRequest) -> Response:
        now = self._clock()

        def write(connection: Connection) -> dict[str, object]:
            versions.grow_policies(connection)
            before = policies.listing(connection)
            ids = [policy.id for policy in before]
            unknown = [
                FieldError(f"/ids/{at}", "unknown_value", f"{named(f'/ids/{at}')} is not a policy.")
                for at, id in enumerate(body.ids)
                if id not in ids
            ]
            if unknown:
                raise Invalid(unknown[:20])
            policies.put_in_order(connection, list(dict.fromkeys([*body.ids, *ids])))
            policies.keep(connection, now)
            policies_ordered(connection, now, before)
            return _all(connection)

        answer = self._database.write(write)
        self._wake()
        return json_response(answer)

    @_route(
        "PUT",
        "/policies/{policy_id}",
        "putPolicy",
        summary="Change a policy",
        description="Due times change soon afterwards; `GET policies` has the progress.",
        body=(PolicyRequest,),
        example=_EXAMPLE,
        answers=done(OnePolicy),
        problems=(404, 409),
        problem=HoursProblem,
    )
    def change(self, policy_id: int, body: PolicyRequest) -> Response:
        admin_id, now = current().admin_id, self._clock()

        def write(connection: Connection) -> SavedPolicy:
            versions.grow_policies(connection)
            before = policies.find(connection, policy_id)
            if before is None:
                raise _no_such()
            if body.changed_at not in (None, before.changed_at):
                raise ChangedMeanwhile("the policy", policy=_json(before))
            draft = _as_saved(connection, body, policy_id)
            changed = policies.change(connection, before, draft, admin_id, now)
            policies.keep(connection, now)
            policy_changed(connection, now, before, changed)
            return changed

        return json_response({"policy": _json(self._write(body.name, write))})

    @_route(
        "DELETE",
        "/policies/{policy_id}",
        "deletePolicy",
        summary="Delete a policy",
        answers=NO_CONTENT,
        problems=(404,),
    )
    def remove(self, policy_id: int) -> Response:
        now = self._clock()

        def write(connection: Connection) -> None:
            versions.grow_policies(connection)
            policy = policies.find(connection, policy_id)
            if policy is None:
                raise _no_such()
            policy_deleted(connection, now, policy)
            policies.remove(connection, policy_id)
            policies.keep(connection, now)

        self._database.write(write)
        self._wake()
        return Response(status=204)

    def _write(self, name: str, work: Callable[[Connection], SavedPolicy]) -> SavedPolicy:
        saved = self._write_named(f"There is a policy “{name}” already.", work)
        self._wake()
        return saved


def _as_saved(connection: Connection, body: NewPolicyRequest, policy_id: int | None) -> PolicyDraft:
    """Returns the policy; `policy_id` is the id of the one it replaces. Raises Problem (422) for an
    unknown calendar, for a text that is not a query of a policy, and for too many conditions."""
    calendar = calendars.lock(connection, body.calendar)
    if calendar is None:
        raise field_error("/calendar", "unknown_value", "is not a saved calendar")
    try:
        resolve_query(body.query, calendar.timezone, policies.admin_id_of(connection))
    except QueryError as error:
        raise invalid_query(error) from error
    saved = {policy.id: policy.query for policy in policies.listing(connection)}
    after = saved | {policy_id: body.query}
    allowances.check_rules("/query", "policies", saved.values(), after.values())
    return body.draft()


def _all(connection: Connection) -> dict[str, object]:
    return {
        "policies": [_json(policy) for policy in policies.listing(connection)],
        "recompute": policies.progress(connection),
    }


def _json(policy: SavedPolicy) -> dict[str, object]:
    values = policy._asdict()
    return values | {"calendar": values.pop("calendar_id")}


def _no_such() -> NotFound:
    return NotFound("There is no such policy.")


class PolicyPreviewApi:
    """The route `/policies/preview`. `clock` gives milliseconds."""

    def __init__(self, services: Services):
        self._database = services.database
        self._clock = services.clock

    @route(
        "POST",
        "/policies/preview",
        "postPolicyPreview",
        scope=SUPERVISOR,
        summary="Count the threads that policies would make late",
        body=(PolicyPreviewRequest,),
        example={
            "policies": [
                {
                    "name": "VIPs",
                    "query": "member:0,1",
                    "calendar": {
                        "timezone": "Asia/Ho_Chi_Minh",
                        "week": {"mon": [["09:00", "17:30"]]},
                        "exceptions": [],
                    },
                    "first_reply": 30,
                    "next_reply": None,
                }
            ]
        },
        answers=done(PolicyPreview),
        problem=HoursProblem,
    )
    def preview(self, body: PolicyPreviewRequest) -> Response:
        with self._database.read() as connection:
            tried = _policies(connection, body)
            return json_response(policies.count(connection, tried, self._clock())._asdict())


def _policies(connection: Connection, body: PolicyPreviewRequest) -> HeldPolicies:
    """Returns the policies. Raises Problem (422) for unknown calendars and wrong queries."""
    saved = {calendar.id: calendar for calendar in calendars.listing(connection)}
    unknown = [
        f"/policies/{at}/calendar"
        for at, policy in enumerate(body.policies)
        if isinstance(policy.calendar, int) and policy.calendar not in saved
    ]
    if unknown:
        details = ((pointer, f"{named(pointer)} is not a saved calendar.") for pointer in unknown)
        raise Invalid([FieldError(pointer, "unknown_value", detail) for pointer, detail in details])
    # Several policies may share a calendar.
    hours = {
        policy.calendar: saved[policy.calendar].calendar()
        for policy in body.policies
        if isinstance(policy.calendar, int)
    }
    admin_id_of = policies.admin_id_of(connection)

    def policy_of(at: int, policy: TriedPolicyRequest) -> HeldPolicy:
        calendar = _calendar(policy.calendar, hours)
        try:
            when = resolve_query(policy.query, calendar.timezone, admin_id_of)
        except QueryError as error:
            raise invalid_query(error, f"/policies/{at}/query") from error
        return HeldPolicy(policy.name, when, calendar, policy.first_reply, policy.next_reply)

    return HeldPolicies([policy_of(at, policy) for at, policy in enumerate(body.policies)])


def _calendar(calendar: int | TriedCalendarRequest, hours: dict[int, OpeningHours]) -> OpeningHours:
    if isinstance(calendar, int):
        return hours[calendar]
    draft = calendar.draft()
    return read_calendar(draft.timezone, draft.week, draft.exceptions)
