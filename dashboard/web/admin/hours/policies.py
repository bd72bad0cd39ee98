"""The routes of policies, for supervisors."""

from collections.abc import Callable
from functools import partial
from typing import Any

from flask import Response
from sqlalchemy import Connection

from dashboard.db.hours import calendars, due_times, policies
from dashboard.db.hours.policies import POLICIES_MAX, PolicyDraft, SavedPolicy
from dashboard.db.lists import allowances, versions
from dashboard.errors import ChangedMeanwhile, FieldError, Invalid, NotFound
from dashboard.validation.field_errors import field_error, named
from dashboard.validation.queries import invalid_query
from dashboard.web.admin.hours import audited, requests, responses
from dashboard.web.admin.hours.api import HoursApi
from dashboard.web.admin.routes import SUPERVISOR
from dashboard.web.http.identity import current
from dashboard.web.http.responses import json_response
from dashboard.web.http.routes import NO_CONTENT, Documented, done, route
from scoring.conditions.language.errors import QueryError
from scoring.hours.policies import resolve_query

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
        answers=done(responses.Policies),
    )
    def listing(self) -> Response:
        with self._database.read() as connection:
            return json_response(_all(connection))

    @_route(
        "POST",
        "/policies",
        "postPolicy",
        summary="Save a policy behind all others",
        body=(requests.NewPolicyRequest,),
        example=_EXAMPLE,
        answers={201: Documented("Saved.", (responses.OnePolicy,))},
        problems=(409,),
        problem=responses.HoursProblem,
    )
    def create(self, body: requests.NewPolicyRequest) -> Response:
        admin_id, now = current().admin_id, self._clock()

        def write(connection: Connection) -> SavedPolicy:
            versions.grow_policies(connection)
            if len(policies.listing(connection)) >= POLICIES_MAX:
                most = f"{POLICIES_MAX} policies are saved, which is the most"
                raise field_error("/name", "too_many_policies", f"cannot be saved: {most}")
            draft = _checked(connection, body, None)
            made = policies.create(connection, draft, admin_id, now)
            audited.policy_created(connection, now, made)
            return made

        return json_response({"policy": _json(self._write(body.name, write))}, 201)

    @_route(
        "PUT",
        "/policies/order",
        "putPolicyOrder",
        summary="Set the order of the policies",
        description="Those that are not named stay behind the others, in the order they have.",
        body=(requests.PolicyOrderRequest,),
        example={"ids": [5, 3, 4]},
        answers=done(responses.Policies),
        problem=responses.HoursProblem,
    )
    def order(self, body: requests.PolicyOrderRequest) -> Response:
        now = self._clock()

        def write(connection: Connection) -> dict[str, Any]:
            versions.grow_policies(connection)
            before = policies.listing(connection)
            known = [policy.id for policy in before]
            unknown = [
                FieldError(f"/ids/{at}", "unknown_value", f"{named(f'/ids/{at}')} is no policy.")
                for at, id in enumerate(body.ids)
                if id not in known
            ]
            if unknown:
                raise Invalid(unknown[:20])
            policies.put_in_order(connection, list(dict.fromkeys([*body.ids, *known])))
            audited.policies_ordered(connection, now, before)
            return _all(connection)

        answer = self._database.write(write)
        self._wake()
        return json_response(answer)

    @_route(
        "PUT",
        "/policies/{policy_id}",
        "putPolicy",
        summary="Change a policy",
        description="Threads get other times soon afterwards; `GET policies` tells how many have.",
        body=(requests.PolicyRequest,),
        example=_EXAMPLE,
        answers=done(responses.OnePolicy),
        problems=(404, 409),
        problem=responses.HoursProblem,
    )
    def change(self, policy_id: int, body: requests.PolicyRequest) -> Response:
        admin_id, now = current().admin_id, self._clock()

        def write(connection: Connection) -> SavedPolicy:
            versions.grow_policies(connection)
            before = policies.find(connection, policy_id)
            if before is None:
                raise _no_such()
            if body.changed_at not in (None, before.changed_at):
                raise ChangedMeanwhile("the policy", policy=_json(before))
            draft = _checked(connection, body, policy_id)
            changed = policies.change(connection, before, draft, admin_id, now)
            audited.policy_changed(connection, now, before, changed)
            return changed

        return json_response({"policy": _json(self._write(body.name, write))})

    @_route(
        "DELETE",
        "/policies/{policy_id}",
        "deletePolicy",
        summary="Delete a policy",
        answers=NO_CONTENT,
        problems=(404, 415),
    )
    def remove(self, policy_id: int) -> Response:
        now = self._clock()

        def write(connection: Connection) -> None:
            versions.grow_policies(connection)
            policy = policies.find(connection, policy_id)
            if policy is None:
                raise _no_such()
            audited.policy_deleted(connection, now, policy)
            policies.remove(connection, policy_id)

        self._database.write(write)
        self._wake()
        return Response(status=204)

    def _write(self, name: str, work: Callable[[Connection], SavedPolicy]) -> SavedPolicy:
        saved = self._write_named(f"There is a policy “{name}” already.", work)
        self._wake()
        return saved


def _checked(
    connection: Connection, body: requests.NewPolicyRequest, policy_id: int | None
) -> PolicyDraft:
    """The policy; `policy_id`: the one that becomes it. Raises Problem (422) for an unknown
    calendar, for what is no query of a policy, and for one of too many conditions."""
    calendar = calendars.lock(connection, body.calendar)
    if calendar is None:
        raise field_error("/calendar", "unknown_value", "is no calendar")
    try:
        resolve_query(body.query, calendar.timezone, policies.admin_id_of(connection))
    except QueryError as error:
        raise invalid_query(error) from error
    saved = {policy.id: policy.query for policy in policies.listing(connection)}
    after = saved | {policy_id: body.query}
    allowances.check_rules("/query", "policies", saved.values(), after.values())
    return body.draft()


def _all(connection: Connection) -> dict[str, Any]:
    return {
        "policies": [_json(policy) for policy in policies.listing(connection)],
        "recompute": due_times.progress(connection),
    }


def _json(policy: SavedPolicy) -> dict[str, Any]:
    values = policy._asdict()
    return values | {"calendar": values.pop("calendar_id")}


def _no_such() -> NotFound:
    return NotFound("There is no such policy.")
