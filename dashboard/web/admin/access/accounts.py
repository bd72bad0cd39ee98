"""The accounts of admins: routes, bodies, answers, their threads, and invitations."""

import threading
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import Annotated, Any, Literal

from flask import Blueprint, Response, request
from pydantic import Field, StrictInt
from pydantic_core import PydanticCustomError
from redis.exceptions import RedisError
from sqlalchemy import Connection

from dashboard import languages
from dashboard.db.accounts import admin_desks, admins, invitations, sessions, team
from dashboard.db.accounts.admin_desks import MAIN
from dashboard.db.accounts.admins import ROLES
from dashboard.db.accounts.invitations import Draft
from dashboard.db.accounts.invitations import Invitation as StoredInvitation
from dashboard.db.accounts.passwords import WeakPassword, hashed, require_strong
from dashboard.db.queues.admins import CAPACITY_MAX
from dashboard.errors import NotFound
from dashboard.errors import Problem as ProblemBody
from dashboard.ingest.accounts import Changed, Changes, InvitationOver
from dashboard.ingest.releases import left_of
from dashboard.rate_limits import RateLimitExceeded
from dashboard.services import Services
from dashboard.validation.accounts import AccountName, Email, check_account_name
from dashboard.validation.fields import INTEGER_MAX, DeskName, Partial, Strict
from dashboard.web.admin.pages import chosen_theme
from dashboard.web.admin.routes import SUPERVISOR
from dashboard.web.admin.sign_in.attempts import Devices, InvitationAttempts
from dashboard.web.admin.sign_in.oidc_accounts import require_passwords
from dashboard.web.http.audit import acting, signed_in, signing_in
from dashboard.web.http.identity import current, origin_of
from dashboard.web.http.responses import json_response, rendered
from dashboard.web.http.routes import NO_CONTENT, Documented, done, route
from dashboard.web.http.schemas import Absent, Answer, Milliseconds, Problem
from presence.people import MAX_LOOKED_UP
from presence.states import State, Viewer

#: Most desks of one account.
DESKS_MAX = 200
Role = Literal[ROLES]  # type: ignore[valid-type]
Capacity = Annotated[StrictInt, Field(ge=0, le=CAPACITY_MAX)]
DeskNames = Annotated[list[DeskName], Field(min_length=1, max_length=DESKS_MAX)]
#: The `changed_at` that the sender read: if the account has another by now, nothing is changed.
ChangedAt = Annotated[StrictInt, Field(ge=0, le=INTEGER_MAX)]


class AccountRequest(Partial):
    """The new state of an account; omitted members stay as they are."""

    role: Role | None = None
    desks: DeskNames | None = None
    name: AccountName | None = None
    capacity: Capacity | None = None
    email: Email | None = None
    changed_at: ChangedAt | None = None


class AccountStateRequest(Strict):
    """The account's `changed_at`; the URL decides whether it is disabled or enabled."""

    changed_at: ChangedAt | None = None


class InvitationRequest(Strict):
    """The invited address, and the new account; an omitted `name` is asked from the person."""

    email: Email
    name: AccountName | None = None
    role: Role
    desks: DeskNames = Field([MAIN])


class Account(Answer):
    """An account; `desks` are its chosen desks. A supervisor sees all desks in any case."""

    id: int
    email: str
    name: str
    role: Role
    desks: list[str]
    second_factor: Annotated[bool, Field(description="Whether signing in asks for a code.")]
    capacity: Annotated[
        int, Field(description="Up to how many threads queues give the admin more.")
    ]
    disabled_at: Milliseconds | None
    changed_at: Milliseconds


class ListedAccount(Account):
    """An account, with whether the admin is here.

    `releasing`: how many threads of a disabled account are still to be released.
    """

    status: Annotated[
        str | None, Field(description="Such as `online`; null while presence is unavailable.")
    ]
    last_seen_at: Annotated[Milliseconds | None, Field(description="Null: never seen.")]
    releasing: int


class Invitation(Answer):
    """A valid invitation; `name` is null if the invited person gives it."""

    id: int
    email: str
    name: str | None
    role: Role
    desks: list[str]
    created_by: int
    created_at: Milliseconds
    expires_at: Milliseconds


class Accounts(Answer):
    """All accounts by name, the valid invitations, the newest first, and all desks."""

    accounts: list[ListedAccount]
    invitations: list[Invitation]
    desks: list[str]


class ChangedAccount(Answer):
    """The account as it is now, and how many threads are released.

    The answer waits for 5 s at most; `remaining` threads are released after it.
    """

    account: Account
    released: int
    remaining: int


class NewInvitation(Answer):
    """An invitation with its link, which cannot be read again."""

    invitation: Invitation
    link: str


class AccountProblem(Problem):
    """A problem; with `changed_meanwhile` it has the account as it is now."""

    account: Account = Absent


#: Every call is for supervisors.
_route = partial(route, scope=SUPERVISOR)
_changes = partial(
    _route, answers=done(ChangedAccount), problems=(404, 409), problem=AccountProblem
)


class AccountsApi:
    """The routes below /accounts."""

    def __init__(self, services: Services):
        self._database = services.database
        self._accounts = services.accounts
        self._presence_service = services.presence_service
        self._clock = services.clock
        self._invalidate_sessions = services.sockets.invalidate_sessions

    @_route(
        "GET",
        "/accounts",
        "getAccounts",
        summary="List the accounts and the valid invitations",
        answers=done(Accounts),
    )
    def listing(self) -> Response:
        with self._database.read() as connection:
            accounts = team.accounts(connection)
            last_seen = team.last_seen(connection)
            invited = invitations.usable(connection, self._clock())
            all_desks = admin_desks.names(connection)
            off = [account["id"] for account in accounts if account["disabled_at"] is not None]
            counts = left_of(connection, off)
        states = self._states([account["id"] for account in accounts])
        entries: list[Mapping[str, object]] = []
        for account in accounts:
            state = states.get(account["id"])
            times = [last_seen.get(account["id"]), state and state["last_seen"]]
            entries.append(
                {
                    **account,
                    "status": state and state["status"],
                    "releasing": counts.get(account["id"], 0),
                    "last_seen_at": max((time for time in times if time), default=None),
                }
            )
        return json_response(
            {
                "accounts": entries,
                "invitations": [invitation_json(invitation) for invitation in invited],
                "desks": all_desks,
            }
        )

    @_changes(
        "PUT",
        "/accounts/{account_id}",
        "putAccount",
        summary="Change name, role, desks, capacity and address of an account",
        description="The admin's open pages change within two seconds. Threads at desks that the "
        "admin no longer sees are released. Another address ends all sessions of the account.",
        body=(AccountRequest,),
        example={"role": "admin", "desks": ["main", "billing"], "changed_at": 1795687200123},
    )
    def change(self, account_id: int, body: AccountRequest) -> Response:
        edit = Changes(body.role, body.desks, body.name, body.changed_at, body.capacity, body.email)
        changed = self._accounts.change(acting(), account_id, edit)
        return self._answer(changed)

    @_changes(
        "POST",
        "/accounts/{account_id}/disable",
        "postDisable",
        summary="Disable an account: all sessions end, all threads are released",
        body=(AccountStateRequest,),
    )
    def disable(self, account_id: int, body: AccountStateRequest) -> Response:
        changed = self._accounts.disable(acting(), account_id, body.changed_at)
        with suppress(RedisError):
            # While Redis is away, presence ends later, with the connections.
            self._presence_service.sign_out(account_id)
        return self._answer(changed)

    @_changes(
        "POST",
        "/accounts/{account_id}/enable",
        "postEnableAccount",
        summary="Enable an account: the admin may sign in again",
        body=(AccountStateRequest,),
    )
    def enable(self, account_id: int, body: AccountStateRequest) -> Response:
        changed = self._accounts.enable(acting(), account_id, body.changed_at)
        return self._answer(changed)

    def _answer(self, changed: Changed) -> Response:
        self._invalidate_sessions()
        return json_response(changed._asdict())

    def _states(self, ids: list[int]) -> dict[int, State]:
        """Returns the presence of these admins; none while it is not available."""
        viewer = Viewer(str(current().admin_id), truth=True)
        states: dict[int, State] = {}
        with suppress(RedisError):
            for first in range(0, len(ids), MAX_LOOKED_UP):
                people = [str(id) for id in ids[first : first + MAX_LOOKED_UP]]
                some = self._presence_service.look_up("admin", people, viewer)
                states |= {int(person): state for person, state in some.items()}
        return states


class InvitationsApi:
    """The routes below /invitations."""

    def __init__(self, services: Services):
        self._service = services.invitations
        self._identities = services.identities

    @_route(
        "POST",
        "/invitations",
        "postInvitation",
        summary="Invite a person by a link, which is shown only in this answer",
        description="For one use within seven days. Replaces an earlier invitation of the address.",
        body=(InvitationRequest,),
        example={"email": "mai@example.com", "role": "admin", "desks": ["main"]},
        answers={201: Documented("Invited.", (NewInvitation,))},
        problems=(409,),
    )
    def create(self, body: InvitationRequest) -> Response:
        require_passwords()
        draft = Draft(body.email, body.name or "", body.role, frozenset(body.desks))
        invitation, token = self._service.create(acting(), draft)
        scheme = "https" if self._identities.is_https() else "http"
        link = f"{scheme}://{request.host}/invitation#{token}"
        return json_response({"invitation": invitation_json(invitation), "link": link}, 201)

    @_route(
        "DELETE",
        "/invitations/{invitation_id}",
        "deleteInvitation",
        summary="Withdraw an invitation",
        answers=NO_CONTENT,
        problems=(404,),
    )
    def withdraw(self, invitation_id: int) -> Response:
        self._service.withdraw(acting(), invitation_id)
        return Response(status=204)


def invitation_json(invitation: StoredInvitation) -> dict[str, object]:
    names = ("id", "email", "role", "created_by", "created_at", "expires_at")
    shown = {name: getattr(invitation, name) for name in names}
    return shown | {"name": invitation.name or None, "desks": sorted(invitation.desks)}


#: Longest body: it is sent without a session, so refusing it must be cheap.
_BODY_BYTES = 16 * 1024
_FORM = "application/x-www-form-urlencoded"
_TOKEN_CHARACTERS_MAX = 100
#: Maximum number of passwords that are checked and hashed here at once; sign-ins do not count.
_AT_ONCE = 2


class _Refused(Exception):
    """A value cannot be accepted; `text` is the key of the sentence with the reason."""

    def __init__(self, text: str):
        self.text = text


class Joining:
    """The invitation page: shows it and takes its forms. `offload(function, *arguments)` runs the
    slow hashing so that no other request waits for it."""

    def __init__(self, services: Services, attempts: InvitationAttempts, devices: Devices):
        self._invitations = services.invitations
        self._attempts = attempts
        self._devices = devices
        self._origins = services.origins
        self._identities = services.identities
        self._offload = services.offload
        self._hashing = threading.Semaphore(_AT_ONCE)

    def show(self) -> Response:
        """Asks for the token; the page's script takes it from the address and posts it."""
        return _page()

    def take(self) -> Response:
        """Takes a form: the first holds only the token, the second also a name and a password."""
        self._origins.check_origin(request.environ)
        require_passwords()
        request.max_content_length = _BODY_BYTES
        if request.mimetype != _FORM:
            raise ProblemBody(415, "unsupported_media_type", f"Send {_FORM}.")
        token, address = request.form.get("token", "").strip(), request.remote_addr or ""
        try:
            self._attempts.begin(address)
            invitation = self._invitations.of(token[:_TOKEN_CHARACTERS_MAX])
            if "password" in request.form:
                answer = self._join(token, invitation)
            else:
                answer = _page(token=token, email=invitation.email, name=invitation.name)
        except InvitationOver as over:
            return _page(over.status, over=f"invitation.{over.reason}")
        except RateLimitExceeded as exceeded:
            seconds = exceeded.headers["Retry-After"]
            page = _page(exceeded.status, over="invitation.rate_limited", seconds=seconds)
            page.headers["Retry-After"] = seconds
            return page
        except _Refused as refused:
            name = request.form.get("name", "")
            return _page(422, token=token, email=invitation.email, name=name, error=refused.text)
        self._attempts.succeeded(address)
        return answer

    def _join(self, token: str, invitation: StoredInvitation) -> Response:
        """Makes the account, and begins its first session."""
        name = _name(request.form.get("name", ""))
        password_hash = self._hash(request.form["password"], invitation.email, name)
        origin, decide = origin_of(request), signed_in("invitation")

        def begin(connection: Connection, now: int, admin_id: int) -> str:
            decide(connection, now, admin_id)
            return sessions.begin(connection, admin_id, now, origin)

        joined = self._invitations.accept(token, name, password_hash, signing_in(), begin)
        answer = Response(status=303, headers={"Location": "/"})
        self._identities.set_cookie(answer, self._identities.cookie_of(joined.token))
        secure = self._identities.is_https()
        self._devices.remember(request, answer, joined.email, secure=secure)
        return answer

    def _hash(self, password: str, email: str, name: str) -> str:
        with self._hashing:
            try:
                return self._offload(_judged_and_hashed, password, email, name)
            except WeakPassword as weak:
                raise _Refused(f"invitation.weak.{weak.reason}") from weak


def blueprint(joining: Joining) -> Blueprint:
    """Returns the blueprint of `/invitation`."""
    routes = Blueprint("invitation", __name__)
    routes.add_url_rule("/invitation", view_func=joining.show, methods=["GET"], endpoint="show")
    routes.add_url_rule("/invitation", view_func=joining.take, methods=["POST"], endpoint="take")
    return routes


def _judged_and_hashed(password: str, email: str, name: str) -> str:
    require_strong(password, email, name)
    return hashed(password)


def _name(name: str) -> str:
    try:
        return check_account_name(name)
    except PydanticCustomError as error:
        raise _Refused("invitation.wrong_name") from error


def _page(status: int = 200, **values: Any) -> Response:
    """Renders the page. `over` and `error` are keys: why the link or a form is refused."""
    locale = languages.preferred_locale()
    page = rendered(
        "cards/invitation.html",
        theme=chosen_theme(),
        locale=locale,
        texts=languages.texts(locale),
        **values,
    )
    page.status_code = status
    return page


#: Most threads in one answer.
THREADS_MAX = 5_000


class HeldThread(Answer):
    """A thread, and its desk."""

    id: int
    desk: str


class HeldThreads(Answer):
    """The open threads of an admin, including snoozed ones; at most 5,000."""

    threads: list[HeldThread]
    total: int


class TeamApi:
    """Calls below /admin/api/team/ID."""

    def __init__(self, services: Services):
        self._database = services.database

    @route(
        "GET",
        "/team/{admin_id}/threads",
        "getTeamThreads",
        summary="List the open threads that an admin has",
        answers=done(HeldThreads),
        problems=(404,),
    )
    def threads(self, admin_id: int) -> Response:
        """Returns the threads that the caller sees, by id, so that all can be handed over."""
        with self._database.read() as connection:
            if admins.by_id(connection, admin_id) is None:
                raise NotFound("There is no such admin.")
            rows = team.held_threads(connection, admin_id, current().desks)
        threads = [{"id": id, "desk": desk} for id, desk in rows[:THREADS_MAX]]
        return json_response({"threads": threads, "total": len(rows)})
