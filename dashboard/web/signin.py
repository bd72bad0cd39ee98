"""Signing in and out: a form for people, JSON for programs, a session cookie for both."""

import re
from contextlib import suppress
from urllib.parse import urlsplit

from flask import Blueprint, Response, request
from redis.exceptions import RedisError

from dashboard.attendance.attendance import session_tag
from dashboard.errors import Problem
from dashboard.intake.fields import Strict
from dashboard.store import admins
from dashboard.store.passwords import PASSWORD_MAX_CHARACTERS, matches
from dashboard.web.attempts import Attempts
from dashboard.web.calls import is_json, parsed, require_json
from dashboard.web.identity import Identities, Unauthorized, give_cookie, take_cookie
from dashboard.web.origins import Origins
from dashboard.web.pages import Pages
from dashboard.web.parts import Parts

EMAIL_MAX_CHARACTERS = 254
_FORM = "application/x-www-form-urlencoded"
_CONTROLS = re.compile(r"[\x00-\x1f\x7f]")
_WRONG = "The e-mail address or the password is wrong."


class SignIn:
    """The calls `/login` and `/logout`."""

    def __init__(
        self,
        parts: Parts,
        origins: Origins,
        identities: Identities,
        attempts: Attempts,
        pages: Pages,
    ):
        self._database = parts.database
        self._offload = parts.offload
        self._sockets = parts.sockets
        self._attendance = parts.attendance
        self._origins = origins
        self._identities = identities
        self._attempts = attempts
        self._pages = pages

    def show(self) -> Response:
        """The page, for who is not signed in."""
        goal = _local_path(request.args.get("next", "/"))
        try:
            self._identities.of(request.environ)
        except Unauthorized:
            return self._pages.login(next=goal)
        return _see(goal)

    def login(self) -> Response:
        self._origins.check_origin(request.environ)
        if is_json():
            given = parsed(_Credentials)
            return give_cookie(Response(status=204), self._token(given.email, given.password))
        if request.mimetype != _FORM:
            raise Problem(415, "unsupported_media_type", f"Send JSON or {_FORM}.")
        return self._login_by_form()

    def logout(self) -> Response:
        self._origins.check_origin(request.environ)
        require_json()
        self._leave()
        self._identities.end()
        if self._sockets is not None:
            self._sockets.doubt_sessions()
        return take_cookie(Response(status=204))

    def _leave(self) -> None:
        """Others see at once that this session's windows are gone."""
        with suppress(Unauthorized, RedisError):
            identity = self._identities.of(request.environ)
            self._attendance.sign_out(identity.admin_id, session_tag(identity.session))

    def _login_by_form(self) -> Response:
        goal = _local_path(request.form.get("next", "/"))
        email, password = request.form.get("email", ""), request.form.get("password", "")
        try:
            return give_cookie(_see(goal), self._token(email, password))
        except Problem as problem:
            if problem.status not in (401, 429):
                raise
            shown = self._pages.login(next=goal, problem=problem, email=email)
            shown.status_code = problem.status
            shown.headers.update(problem.headers)
            return shown

    def _token(self, email: str, password: str) -> str:
        """A new session's token. Raises Unauthorized and TooManyAttempts."""
        email = admins.canonical_email(email)
        address = request.remote_addr or ""
        self._attempts.begin(email, address)
        if len(email) > EMAIL_MAX_CHARACTERS or len(password) > PASSWORD_MAX_CHARACTERS:
            raise Unauthorized(_WRONG)
        with self._database.read() as connection:
            found = admins.credentials(connection, email)
        admin_id, password_hash = found or (None, None)
        if not self._offload(matches, password, password_hash) or admin_id is None:
            raise Unauthorized(_WRONG)
        self._attempts.succeeded(email, address)
        return self._identities.begin(admin_id)


class _Credentials(Strict):
    email: str
    password: str


def blueprint(
    parts: Parts, origins: Origins, identities: Identities, attempts: Attempts, pages: Pages
) -> Blueprint:
    """`/login` and `/logout`."""
    calls = SignIn(parts, origins, identities, attempts, pages)
    made = Blueprint("signin", __name__)
    made.add_url_rule("/login", view_func=calls.show, methods=["GET"], endpoint="show")
    made.add_url_rule("/login", view_func=calls.login, methods=["POST"], endpoint="login")
    made.add_url_rule("/logout", view_func=calls.logout, methods=["POST"], endpoint="logout")
    return made


def _see(goal: str) -> Response:
    """Go there, with a GET."""
    return Response(status=303, headers={"Location": goal})


def _local_path(goal: str) -> str:
    """Where to go after signing in: a path of ours, and nothing that a browser reads otherwise."""
    if _CONTROLS.search(goal):
        raise Problem(400, "forbidden_character", "`next` holds a control character.")
    parts = urlsplit(goal)
    is_local = goal.startswith("/") and not goal.startswith("//") and "\\" not in goal
    return goal if is_local and not parts.netloc and not parts.scheme else "/"
