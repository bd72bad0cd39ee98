"""Signing in and out: a form for people, JSON for programs, a session cookie for both."""

import re
from urllib.parse import urlsplit

from flask import Blueprint, Response, redirect, request

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


def blueprint(
    parts: Parts, origins: Origins, identities: Identities, attempts: Attempts, pages: Pages
) -> Blueprint:
    """`/login` and `/logout`."""
    signin = Blueprint("signin", __name__)
    sign_in = _SignIn(parts, identities, attempts)

    @signin.get("/login")
    def show() -> Response:
        goal = _local_path(request.args.get("next", "/"))
        try:
            identities.of(request.environ)
        except Unauthorized:
            return pages.login(next=goal)
        return redirect(goal, 303)  # type: ignore[return-value]

    @signin.post("/login")
    def login() -> Response:
        origins.check_origin(request.environ)
        if is_json():
            given = parsed(_Credentials)
            token = sign_in.with_password(given.email, given.password)
            return give_cookie(Response(status=204), token)
        if request.mimetype != _FORM:
            raise Problem(415, "unsupported_media_type", f"Send JSON or {_FORM}.")
        return _with_form()

    def _with_form() -> Response:
        goal = _local_path(request.form.get("next", "/"))
        email, password = request.form.get("email", ""), request.form.get("password", "")
        try:
            token = sign_in.with_password(email, password)
        except Problem as problem:
            if problem.status not in (401, 429):
                raise
            shown = pages.login(next=goal, error=problem.detail, email=email)
            shown.status_code = problem.status
            shown.headers.update(problem.headers)
            return shown
        return give_cookie(redirect(goal, 303), token)  # type: ignore[arg-type]

    @signin.post("/logout")
    def logout() -> Response:
        origins.check_origin(request.environ)
        require_json()
        identities.end()
        return take_cookie(Response(status=204))

    return signin


class _Credentials(Strict):
    email: str
    password: str


class _SignIn:
    def __init__(self, parts: Parts, identities: Identities, attempts: Attempts):
        self._database = parts.database
        self._offload = parts.offload
        self._identities = identities
        self._attempts = attempts

    def with_password(self, email: str, password: str) -> str:
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


def _local_path(goal: str) -> str:
    """Where to go after signing in: a path of ours, and nothing that a browser reads otherwise."""
    if _CONTROLS.search(goal):
        raise Problem(400, "forbidden_character", "`next` holds a control character.")
    parts = urlsplit(goal)
    is_local = goal.startswith("/") and not goal.startswith("//") and "\\" not in goal
    return goal if is_local and not parts.netloc and not parts.scheme else "/"
