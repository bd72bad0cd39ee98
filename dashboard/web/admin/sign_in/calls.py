"""Signing in and out: by forms or by JSON, with a session cookie."""

import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from urllib.parse import quote

from flask import Blueprint, Response, request
from redis.exceptions import RedisError

from dashboard.db.accounts.sessions import connection_prefix
from dashboard.errors import Problem
from dashboard.services import Services
from dashboard.validation.fields import Strict
from dashboard.web.admin.pages import Pages
from dashboard.web.admin.sign_in.checks import (
    TOKEN_MS,
    CodeCheck,
    PasswordCheck,
    SecondFactorRequired,
    SignInExpired,
)
from dashboard.web.admin.sign_in.oidc_accounts import require_passwords
from dashboard.web.http.bodies import is_json, read_body, require_json
from dashboard.web.http.identity import Unauthorized
from dashboard.web.http.queries import only_value

_CONTROLS = re.compile(r"[\x00-\x1f\x7f]")


def local_path(goal: str) -> str:
    """Returns the path to open after signing in: a path of this server, else "/"."""
    if _CONTROLS.search(goal):
        raise Problem(400, "forbidden_character", "`next` holds a control character.")
    is_local = goal.startswith("/") and not goal.startswith("//") and "\\" not in goal
    return goal if is_local else "/"


#: Longest body of a sign-in: it is sent without a session, so refusing it must be cheap.
_BODY_BYTES = 16 * 1024
_FORM = "application/x-www-form-urlencoded"
#: Prefix of the name of the cookie that holds the token between the two steps of a sign-in.
CODE_COOKIE = "lineup_signin"
CODE_PATH = "/login/code"


class SignIn:
    """The calls `/login`, `/login/code` and `/logout`."""

    def __init__(self, services: Services, password_check: PasswordCheck, code_check: CodeCheck):
        self._password_check = password_check
        self._code_check = code_check
        self._presence_service = services.presence_service
        self._invalidate_sessions = services.sockets.invalidate_sessions
        self._origins = services.origins
        self._identities = services.identities
        self._pages = Pages(services)

    def show(self) -> Response:
        """Renders the sign-in page; redirects a signed-in caller."""
        goal = local_path(only_value("next", "/"))
        return _see(goal) if self._identities.is_signed_in() else self._pages.login(next=goal)

    def login(self) -> Response:
        if self._is_by_json():
            body = read_body(_Credentials, _BODY_BYTES)
            return self._by_password(Response(status=204), body.email, body.password)
        return self._login_by_form()

    def show_code(self) -> Response:
        """Renders the page of the second step; redirects if no sign-in is under way."""
        goal = local_path(only_value("next", "/"))
        if not self._token():
            return _see(f"/login?next={quote(goal)}")
        return self._pages.code(goal, by_recovery_code=only_value("by", "") == "recovery")

    def code(self) -> Response:
        """Takes the second step of a sign-in."""
        if self._is_by_json():
            body = read_body(_Code, _BODY_BYTES)
            return self._by_code(Response(status=204), body.token, body.code)
        return self._code_by_form()

    def logout(self) -> Response:
        self._origins.check_origin(request.environ)
        require_json()
        self._leave()
        self._identities.end()
        self._invalidate_sessions()
        # Removes the pages, too, that the "back" button would show again.
        answer = Response(status=204, headers={"Clear-Site-Data": '"cache"'})
        return self._identities.delete_cookie(answer)

    def _leave(self) -> None:
        """Ends the presence of this session's windows at once."""
        with suppress(Unauthorized, RedisError):
            identity = self._identities.of(request.environ)
            self._presence_service.sign_out(identity.admin_id, connection_prefix(identity.session))

    def _is_by_json(self) -> bool:
        """Whether the body is JSON; if not, it is a form. Raises Problem for anything else."""
        self._origins.check_origin(request.environ)
        require_passwords()
        request.max_content_length = _BODY_BYTES
        if is_json():
            return True
        if request.mimetype != _FORM:
            raise Problem(415, "unsupported_media_type", f"Send JSON or {_FORM}.")
        return False

    def _login_by_form(self) -> Response:
        goal = local_path(request.form.get("next", "/"))
        email, password = request.form.get("email", ""), request.form.get("password", "")
        try:
            return self._by_password(_see(goal), email, password)
        except SecondFactorRequired as required:
            return self._ask_for_code(required.token, goal)
        except Problem as problem:
            return _refused(problem, self._pages.login, next=goal, email=email)

    def _code_by_form(self) -> Response:
        goal = local_path(request.form.get("next", "/"))
        code = request.form.get("code", "")
        try:
            signed_in = self._by_code(_see(goal), self._token(), code)
        except SignInExpired as problem:
            # Another tab may have completed it.
            if self._identities.is_signed_in():
                return _see(goal)
            return self._without_token(_refused(problem, self._pages.login, next=goal))
        except Problem as problem:
            by = request.form.get("by", "") == "recovery"
            return _refused(problem, self._pages.code, next=goal, by_recovery_code=by)
        return self._without_token(signed_in)

    def _ask_for_code(self, token: str, goal: str) -> Response:
        response = _see(f"{CODE_PATH}?next={quote(goal)}")
        response.set_cookie(
            self._code_cookie,
            token,
            max_age=TOKEN_MS // 1_000,
            path=CODE_PATH,
            httponly=True,
            samesite="Strict",
            secure=self._identities.is_https(),
        )
        return response

    @property
    def _code_cookie(self) -> str:
        return self._identities.cookie_names.of(CODE_COOKIE)

    def _token(self) -> str:
        """Returns the token of the sign-in under way, or ""."""
        return request.cookies.get(self._code_cookie, "")

    def _without_token(self, response: Response) -> Response:
        response.delete_cookie(self._code_cookie, path=CODE_PATH)
        return response

    def _by_password(self, response: Response, email: str, password: str) -> Response:
        cookie = self._password_check.begin_session(email, password)
        return self._let_in(response, cookie, email)

    def _by_code(self, response: Response, token: str, code: str) -> Response:
        cookie, email = self._code_check.begin_session(token, code)
        return self._let_in(response, cookie, email)

    def _let_in(self, response: Response, cookie: str, email: str) -> Response:
        self._identities.set_cookie(response, cookie)
        self._password_check.guard.remember_device(response, email)
        return response


class _Credentials(Strict):
    email: str
    password: str


class _Code(Strict):
    token: str
    code: str


def blueprint(calls: SignIn) -> Blueprint:
    """Returns the blueprint of `/login`, `/login/code` and `/logout`."""
    routes = Blueprint("signin", __name__)
    routes.add_url_rule("/login", view_func=calls.show, methods=["GET"], endpoint="show")
    routes.add_url_rule("/login", view_func=calls.login, methods=["POST"], endpoint="login")
    routes.add_url_rule(CODE_PATH, view_func=calls.show_code, methods=["GET"], endpoint="show_code")
    routes.add_url_rule(CODE_PATH, view_func=calls.code, methods=["POST"], endpoint="code")
    routes.add_url_rule("/logout", view_func=calls.logout, methods=["POST"], endpoint="logout")
    return routes


def _refused(problem: Problem, page: Callable[..., Response], **values: Any) -> Response:
    """Renders the page with the reason; raises problems again that have other causes."""
    if problem.status not in (401, 429):
        raise problem
    shown = page(problem=problem, **values)
    shown.status_code = problem.status
    shown.headers.update(problem.headers)
    return shown


def _see(goal: str) -> Response:
    """Returns a redirect that is followed by GET."""
    return Response(status=303, headers={"Location": goal})
