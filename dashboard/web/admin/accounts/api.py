"""Accounts and invitations, for supervisors."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from flask import Response, request
from redis.exceptions import RedisError

from dashboard.db.accounts import desks, directory, invitations
from dashboard.db.accounts.invitations import Draft, Invitation
from dashboard.db.database import Database
from dashboard.ingest.accounts.accounts import Accounts, Changed, Changes
from dashboard.ingest.accounts.invitations import Invitations
from dashboard.ingest.assignment.releases import left_of
from dashboard.presence.service import PresenceService
from dashboard.web.admin.accounts import requests, responses
from dashboard.web.admin.routes import SUPERVISOR
from dashboard.web.admin.sign_in.methods import require_passwords
from dashboard.web.http.audit.actors import acting
from dashboard.web.http.identity import Identities, current
from dashboard.web.http.responses import json_response
from dashboard.web.http.routes import NO_CONTENT, Documented, done, route
from presence.people import MAX_LOOKED_UP
from presence.states import State, Viewer

#: Every call is for supervisors.
_route = partial(route, scope=SUPERVISOR)
_changes = partial(
    _route,
    answers=done(responses.ChangedAccount),
    problems=(404, 409),
    problem=responses.AccountProblem,
)


class AccountsApi:
    """The routes below /accounts."""

    def __init__(
        self,
        database: Database,
        accounts: Accounts,
        presence_service: PresenceService,
        clock: Callable[[], int],
        invalidate_sessions: Callable[[], object],
    ):
        """`invalidate_sessions()` has the sockets look up their sessions again."""
        self._database = database
        self._accounts = accounts
        self._presence_service = presence_service
        self._clock = clock
        self._invalidate_sessions = invalidate_sessions

    @_route(
        "GET",
        "/accounts",
        "getAccounts",
        summary="List the accounts, and the invitations that can be used",
        answers=done(responses.Accounts),
    )
    def listing(self) -> Response:
        with self._database.read() as connection:
            found = directory.accounts(connection)
            seen = directory.last_seen(connection)
            invited = invitations.usable(connection, self._clock())
            all_desks = desks.names(connection)
            off = [account["id"] for account in found if account["disabled_at"] is not None]
            left = left_of(connection, off)
        states = self._states([account["id"] for account in found])
        for account in found:
            state = states.get(account["id"])
            account["status"] = state and state["status"]
            account["releasing"] = left.get(account["id"], 0)
            times = [seen.get(account["id"]), state and state["last_seen"]]
            account["last_seen_at"] = max((time for time in times if time), default=None)
        return json_response(
            {
                "accounts": found,
                "invitations": [invitation_json(each) for each in invited],
                "desks": all_desks,
            }
        )

    @_changes(
        "PUT",
        "/accounts/{account_id}",
        "putAccount",
        summary="Change name, role and desks of an account",
        description="Open pages of the admin follow within two seconds. Threads at desks that the "
        "admin does not see any more are released.",
        body=(requests.AccountRequest,),
        example={"role": "admin", "desks": ["main", "billing"], "changed_at": 1795687200123},
    )
    def change(self, account_id: int, body: requests.AccountRequest) -> Response:
        given = Changes(body.role, body.desks, body.name, body.changed_at)
        changed = self._accounts.change(acting(), account_id, given)
        return self._answer(changed)

    @_changes(
        "POST",
        "/accounts/{account_id}/disable",
        "postDisable",
        summary="Disable an account: all sessions end, all threads are released",
        body=(requests.AccountStateRequest,),
    )
    def disable(self, account_id: int, body: requests.AccountStateRequest) -> Response:
        changed = self._accounts.disable(acting(), account_id, body.changed_at)
        with suppress(RedisError):
            # Else presence ends with the connections.
            self._presence_service.sign_out(account_id)
        return self._answer(changed)

    @_changes(
        "POST",
        "/accounts/{account_id}/enable",
        "postEnableAccount",
        summary="Enable an account: the admin may sign in again",
        body=(requests.AccountStateRequest,),
    )
    def enable(self, account_id: int, body: requests.AccountStateRequest) -> Response:
        changed = self._accounts.enable(acting(), account_id, body.changed_at)
        return self._answer(changed)

    def _answer(self, changed: Changed) -> Response:
        self._invalidate_sessions()
        return json_response(changed._asdict())

    def _states(self, ids: list[int]) -> dict[int, State]:
        """Presence of these admins; none while it is not available."""
        viewer = Viewer(str(current().admin_id), truth=True)
        people = [str(id) for id in ids[:MAX_LOOKED_UP]]
        with suppress(RedisError):
            found = self._presence_service.look_up("admin", people, viewer)
            return {int(person): state for person, state in found.items()}
        return {}


class InvitationsApi:
    """The routes below /invitations."""

    def __init__(self, service: Invitations, identities: Identities):
        self._service = service
        self._identities = identities

    @_route(
        "POST",
        "/invitations",
        "postInvitation",
        summary="Invite somebody, by a link that is answered this once",
        description="For one use, seven days. An earlier invitation of the address ends.",
        body=(requests.InvitationRequest,),
        example={"email": "mai@example.com", "role": "admin", "desks": ["main"]},
        answers={201: Documented("Invited.", (responses.NewInvitation,))},
        problems=(409,),
    )
    def create(self, body: requests.InvitationRequest) -> Response:
        require_passwords()
        draft = Draft(body.email, body.name or "", body.role, frozenset(body.desks))
        made, token = self._service.create(acting(), draft)
        scheme = "https" if self._identities.is_https() else "http"
        link = f"{scheme}://{request.host}/invitation#{token}"
        return json_response({"invitation": invitation_json(made), "link": link}, 201)

    @_route(
        "DELETE",
        "/invitations/{invitation_id}",
        "deleteInvitation",
        summary="Withdraw an invitation",
        answers=NO_CONTENT,
        problems=(404, 415),
    )
    def withdraw(self, invitation_id: int) -> Response:
        self._service.withdraw(acting(), invitation_id)
        return Response(status=204)


def invitation_json(invitation: Invitation) -> dict[str, Any]:
    names = ("id", "email", "role", "created_by", "created_at", "expires_at")
    shown = {name: getattr(invitation, name) for name in names}
    return shown | {"name": invitation.name or None, "desks": sorted(invitation.desks)}
