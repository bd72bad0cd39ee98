"""Signing in by the provider: there by a redirect, and back with a code."""

import logging

from flask import Blueprint, Response, request

from dashboard.errors import Problem
from dashboard.oidc.people import Person
from dashboard.oidc.provider import Provider, new_secrets
from dashboard.oidc.refusals import SignInInvalid, SignInRefused
from dashboard.rate_limits import OIDC_SIGN_INS_PER_ADDRESS
from dashboard.shared_limits.buckets import SharedLimiter
from dashboard.validation.addresses import network_of
from dashboard.web.admin.pages import Pages
from dashboard.web.admin.sign_in.local_paths import local_path
from dashboard.web.admin.sign_in.oidc.accounts import ProviderAccounts
from dashboard.web.admin.sign_in.oidc.pending import PendingSignIns, SignInNotBegun
from dashboard.web.http.audit.signins import FailedSignIns
from dashboard.web.http.identity import Identities
from dashboard.web.http.problems import json_problem, prefers_page
from dashboard.web.http.queries import only_value

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
        """Leads to the provider."""
        goal = local_path(only_value("next", "/"))
        if self._identities.is_signed_in():
            return _see(goal)
        try:
            self._require_turn()
            given = new_secrets()
            url = self._provider.authorization_url(self._own_url(CALLBACK_PATH), given)
        except Problem as problem:
            return self._refused(problem, goal)
        answer = _see(url)
        secure = self._identities.is_https()
        self._pending.keep(request, answer, given, goal, secure=secure)
        return answer

    def callback(self) -> Response:
        """The provider leads back here, with a code or with the reason why there is none."""
        goal, email, state = "/", "", ""
        secure = self._identities.is_https()
        try:
            self._require_turn()
            state = only_value("state")
            given, goal = self._pending.found(request, state, secure=secure)
            person = self._provider.person(self._code(), self._own_url(CALLBACK_PATH), given)
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
        """After signing out here: leads to the provider, to sign out there as well."""
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
        """The code of the provider's answer. Raises SignInRefused and SignInInvalid."""
        # RFC 9207: an answer of another provider is not ours.
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
        """The address of one of our pages; `Host` has been checked to be ours."""
        scheme = "https" if self._identities.is_https() else "http"
        return f"{scheme}://{request.host}{path}"

    def _refused(self, problem: Problem, goal: str) -> Response:
        """The sign-in page with the reason; for programs the problem."""
        if problem.status >= 500:
            log.warning("no sign-in by the provider: %s", problem.__cause__ or problem)
        if not prefers_page():
            return json_problem(problem, request.path)
        shown = self._pages.login(next=goal, problem=problem)
        shown.status_code = problem.status
        shown.headers.update(problem.headers)
        return shown


def routes(calls: ProviderSignIn) -> Blueprint:
    """The pages of a sign-in by the provider."""
    made = Blueprint("oidc", __name__)
    made.add_url_rule(BEGIN_PATH, view_func=calls.begin, methods=["GET"], endpoint="begin")
    made.add_url_rule(CALLBACK_PATH, view_func=calls.callback, methods=["GET"], endpoint="callback")
    made.add_url_rule(LEAVE_PATH, view_func=calls.leave, methods=["GET"], endpoint="leave")
    return made


def _see(goal: str) -> Response:
    """A redirect that is followed by GET."""
    return Response(status=303, headers={"Location": goal, "Cache-Control": "no-store"})
