"""Signing in and out by a provider of accounts."""

import hmac
import logging
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from hashlib import sha256
from typing import NamedTuple

from flask import Blueprint, Request, Response, request
from redis.exceptions import RedisError
from sqlalchemy import Connection

from dashboard.db import audit
from dashboard.db.accounts import admins, oidc_accounts
from dashboard.db.accounts.oidc_accounts import Ended, Signed
from dashboard.db.accounts.sessions import connection_prefix
from dashboard.db.audit import PROVIDER, Actor, Target, add
from dashboard.db.database import Database
from dashboard.errors import Problem
from dashboard.oidc import (
    InvalidLogoutToken,
    Person,
    Provider,
    Secrets,
    SignInInvalid,
    SignInRefused,
    new_secrets,
)
from dashboard.presence.service import PresenceService
from dashboard.rate_limits import OIDC_SIGN_INS_PER_ADDRESS, SharedLimiter
from dashboard.signed_texts import NotSigned, SignedTexts
from dashboard.validation.accounts import network_of
from dashboard.web.admin.pages import Pages
from dashboard.web.admin.sign_in.calls import local_path
from dashboard.web.admin.sign_in.oidc_accounts import ProviderAccounts
from dashboard.web.http.audit import FailedSignIns
from dashboard.web.http.identity import CookieNames, Identities
from dashboard.web.http.problems import json_problem, prefers_page
from dashboard.web.http.queries import only_value

#: Prefix of the cookies' names; on https the prefix of the session's precedes it.
COOKIE = "lineup_oidc"
#: How long a person may take to sign in at the provider.
PENDING_MS = 15 * 60_000
_COOKIE_CHARACTERS_MAX = 3_500
#: Limit for all attempts of a browser together; the oldest are dropped. Headers have a limit.
_KEPT_CHARACTERS_MAX = 5_000
#: A longer path would not fit into the cookie.
_GOAL_CHARACTERS_MAX = 1_500


class SignInNotBegun(Problem):
    """The sign-in was not begun in this browser, took too long, or was completed before."""

    def __init__(self) -> None:
        super().__init__(400, "signin_not_begun", "This sign-in was not started here; start again.")


class _Attempt(NamedTuple):
    secrets: Secrets
    goal: str
    begun_at: int
    characters: int


class PendingSignIns:
    """Keeps unfinished sign-ins in cookies. `clock` gives milliseconds."""

    def __init__(self, secret_key: str, clock: Callable[[], int], names: CookieNames):
        self._clock = clock
        self._names = names
        self._texts = SignedTexts(secret_key, COOKIE, _COOKIE_CHARACTERS_MAX)

    def keep(
        self, request: Request, response: Response, secrets: Secrets, goal: str, *, secure: bool
    ) -> None:
        """Sets the attempt's cookie; the cookie alone lets nobody in."""
        kept_goal = goal if len(goal) <= _GOAL_CHARACTERS_MAX else "/"
        value = self._texts.text_of([*secrets, kept_goal, self._clock()])
        room = _KEPT_CHARACTERS_MAX - len(value)
        for attempt in sorted(self._attempts(request, secure), key=lambda one: -one.begun_at):
            room -= attempt.characters
            if room < 0 or not self._is_open(attempt):
                self.forget(response, attempt.secrets.state, secure=secure)
        response.set_cookie(
            self._name(secrets.state, secure),
            value,
            max_age=PENDING_MS // 1000,
            httponly=True,
            samesite="Lax",  # the provider leads back from another site
            secure=secure,
            path="/",
        )

    def found(self, request: Request, state: str, *, secure: bool) -> tuple[Secrets, str]:
        """Returns the attempt's secrets, and where to go afterwards. Raises SignInNotBegun."""
        data = state.encode("utf-8", "replace")
        for attempt in self._attempts(request, secure):
            if hmac.compare_digest(attempt.secrets.state.encode(), data) and self._is_open(attempt):
                return attempt.secrets, attempt.goal
        raise SignInNotBegun()

    def forget(self, response: Response, state: str, *, secure: bool) -> Response:
        """Deletes the attempt's cookie."""
        response.delete_cookie(
            self._name(state, secure), httponly=True, samesite="Lax", secure=secure, path="/"
        )
        return response

    def _attempts(self, request: Request, secure: bool) -> Iterator[_Attempt]:
        for text in self._names.values(request.cookies, COOKIE, host_only=secure):
            try:
                *values, goal, begun_at = self._texts.read(text)
            except NotSigned:
                continue
            yield _Attempt(Secrets(*values), goal, begun_at, len(text))

    def _is_open(self, attempt: _Attempt) -> bool:
        return 0 <= self._clock() - attempt.begun_at <= PENDING_MS

    def _name(self, state: str, secure: bool) -> str:
        digest = sha256(state.encode("utf-8", "replace")).hexdigest()[:12]
        return f"{self._names.of(COOKIE, host_only=secure)}_{digest}"


PATH = "/login/oidc/logout"
_BODY_BYTES = 20 * 1024
_FORM = "application/x-www-form-urlencoded"


class BackChannelLogout:
    """The call that the provider makes by itself: it has no session and no Origin of ours.

    Only the token, which the provider has signed, gives the call its rights.
    """

    def __init__(
        self,
        provider: Provider,
        database: Database,
        clock: Callable[[], int],
        presence_service: PresenceService,
        invalidate_sessions: Callable[[], object],
    ):
        """`invalidate_sessions()` makes the sockets look up their sessions again."""
        self._provider = provider
        self._database = database
        self._clock = clock
        self._presence_service = presence_service
        self._invalidate_sessions = invalidate_sessions

    def logout(self) -> Response:
        """Ends the sessions; sockets of all workers follow within two seconds."""
        request.max_content_length = _BODY_BYTES
        if request.mimetype != _FORM:
            raise Problem(415, "unsupported_media_type", f"Send {_FORM}.")
        tokens = request.form.getlist("logout_token")
        if len(tokens) != 1:
            raise InvalidLogoutToken()
        token = self._provider.logout(tokens[0])
        issuer = self._provider.settings.issuer
        signed = Signed(issuer, token.subject, token.sid, token.issued_at * 1000)
        address = request.remote_addr or ""

        def write(connection: Connection) -> list[Ended]:
            now = self._clock()
            if not oidc_accounts.take_token(connection, token.token_id, signed, now):
                raise InvalidLogoutToken()
            ended = oidc_accounts.end(connection, signed)
            _note(connection, now, address, ended)
            return ended

        ended = self._database.write(write)
        self._invalidate_sessions()
        with suppress(RedisError):
            for admin_id, session in ended:
                self._presence_service.sign_out(admin_id, connection_prefix(session))
        return Response(status=200, headers={"Cache-Control": "no-store"})


def _note(connection: Connection, now: int, address: str, ended: list[Ended]) -> None:
    """Adds one audit log entry for each admin."""
    counts: dict[int, int] = defaultdict(int)
    for session in ended:
        counts[session.admin_id] += 1
    for admin_id, count in sorted(counts.items()):
        admin = admins.by_id(connection, admin_id)
        assert admin is not None, "sessions have an admin"
        by, target = Actor(PROVIDER, address=address), Target(admin.id, admin.email)
        add(connection, now, by, audit.SESSIONS_ENDED, target, {"count": count})


def add_route(blueprint: Blueprint, calls: BackChannelLogout) -> None:
    blueprint.add_url_rule(PATH, view_func=calls.logout, methods=["POST"], endpoint="logout")


log = logging.getLogger(__name__)

BEGIN_PATH = "/login/oidc"
CALLBACK_PATH = "/login/oidc/callback"
LEAVE_PATH = "/login/oidc/leave"
_CODE_CHARACTERS_MAX = 4_000


class NoAccess(Problem):
    """The person is in none of the groups that LINEUP_OIDC_GROUPS names."""

    def __init__(self) -> None:
        super().__init__(403, "no_access", "None of your groups may use this Lineup.")


class ProviderSignIn:
    """The calls `/login/oidc`, `/login/oidc/callback` and `/login/oidc/leave`."""

    def __init__(
        self,
        provider: Provider,
        accounts: ProviderAccounts,
        pending: PendingSignIns,
        failed_sign_ins: FailedSignIns,
        rate_limiter: SharedLimiter,
        identities: Identities,
        pages: Pages,
    ):
        self._provider = provider
        self._accounts = accounts
        self._pending = pending
        self._failed_sign_ins = failed_sign_ins
        self._rate_limiter = rate_limiter
        self._identities = identities
        self._pages = pages

    def begin(self) -> Response:
        """Redirects to the provider."""
        goal = local_path(only_value("next", "/"))
        if self._identities.is_signed_in():
            return _see(goal)
        try:
            self._require_turn()
            secrets = new_secrets()
            url = self._provider.authorization_url(self._own_url(CALLBACK_PATH), secrets)
        except Problem as problem:
            return self._refused(problem, goal)
        answer = _see(url)
        secure = self._identities.is_https()
        self._pending.keep(request, answer, secrets, goal, secure=secure)
        return answer

    def callback(self) -> Response:
        """Takes the provider's redirect back, with a code or with the reason for its refusal."""
        goal, email, state = "/", "", ""
        secure = self._identities.is_https()
        try:
            self._require_turn()
            state = only_value("state")
            secrets, goal = self._pending.found(request, state, secure=secure)
            person = self._provider.person(self._code(), self._own_url(CALLBACK_PATH), secrets)
            email = person.email
            answer = self._let_in(person, goal)
        except (SignInNotBegun, SignInRefused) as problem:
            # Another tab may have signed in by now, or this page was loaded again.
            answer = (
                _see(goal)
                if self._identities.is_signed_in()
                else self._failed(problem, goal, email)
            )
        except Problem as problem:
            answer = self._failed(problem, goal, email)
        return self._pending.forget(answer, state, secure=secure)

    def leave(self) -> Response:
        """Redirects to the provider after a sign-out here, to sign out there as well."""
        try:
            self._require_turn()
            url = self._provider.end_session_url(self._own_url("/login"))
        except Problem:
            url = None
        return _see(url or "/login")

    def _failed(self, problem: Problem, goal: str, email: str) -> Response:
        if problem.status not in (429, 503):
            self._failed_sign_ins.failed(email, problem.code)
        return self._refused(problem, goal)

    def _let_in(self, person: Person, goal: str) -> Response:
        grant = self._provider.settings.granted(person.groups)
        if grant is None:
            raise NoAccess()
        token = self._accounts.begin_session(person, grant)
        return self._identities.set_cookie(_see(goal), self._identities.cookie_of(token))

    def _code(self) -> str:
        """Returns the code of the provider's answer. Raises SignInRefused and SignInInvalid."""
        # RFC 9207: an answer of another provider is not for us.
        issuer = self._provider.settings.issuer
        if only_value("iss", issuer) != issuer:
            raise SignInInvalid()
        code = only_value("code")
        if only_value("error") or not 0 < len(code) <= _CODE_CHARACTERS_MAX:
            raise SignInRefused()
        return code

    def _require_turn(self) -> None:
        network = network_of(request.remote_addr or "")
        self._rate_limiter.require(OIDC_SIGN_INS_PER_ADDRESS, f"oidc|{network}")

    def _own_url(self, path: str) -> str:
        """Returns the URL of one of our pages; `Host` was checked before."""
        scheme = "https" if self._identities.is_https() else "http"
        return f"{scheme}://{request.host}{path}"

    def _refused(self, problem: Problem, goal: str) -> Response:
        """Renders the sign-in page with the reason; programs get the problem."""
        if problem.status >= 500:
            log.warning("the sign-in with the provider failed: %s", problem.__cause__ or problem)
        if not prefers_page():
            return json_problem(problem, request.path)
        shown = self._pages.login(next=goal, problem=problem)
        shown.status_code = problem.status
        shown.headers.update(problem.headers)
        return shown


def routes(calls: ProviderSignIn) -> Blueprint:
    """Returns the blueprint of the pages of a sign-in by the provider."""
    pages = Blueprint("oidc", __name__)
    pages.add_url_rule(BEGIN_PATH, view_func=calls.begin, endpoint="begin")
    pages.add_url_rule(CALLBACK_PATH, view_func=calls.callback, endpoint="callback")
    pages.add_url_rule(LEAVE_PATH, view_func=calls.leave, endpoint="leave")
    return pages


def _see(goal: str) -> Response:
    """Returns a redirect that is followed by GET."""
    return Response(status=303, headers={"Location": goal, "Cache-Control": "no-store"})
