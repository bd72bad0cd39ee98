"""Signing in and out: by a form or by JSON, with a session cookie."""

import re
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from flask import Blueprint, Response, request
from redis.exceptions import RedisError

from dashboard.db.accounts import admins
from dashboard.db.accounts.password_rules import LENGTH_MAX
from dashboard.db.accounts.passwords import AT_ONCE, matches
from dashboard.db.accounts.sessions import connection_prefix
from dashboard.db.database import Database
from dashboard.errors import Problem
from dashboard.presence.service import PresenceService
from dashboard.rate_limits import RateLimitExceeded
from dashboard.validation.accounts import EMAIL_MAX_CHARACTERS
from dashboard.validation.fields import Strict
from dashboard.web.admin.attempts import Attempt, Attempts, Devices
from dashboard.web.admin.site.pages import Pages
from dashboard.web.http.audit.signins import CREDENTIALS, RATE_LIMITED, FailedSignIns, signed_in
from dashboard.web.http.bodies import is_json, read_body, require_json
from dashboard.web.http.identity import Identities, Unauthorized
from dashboard.web.http.origins import Origins
from dashboard.web.http.queries import only_value

#: Longest body of a sign-in: it is sent without a session, so it must be cheap to refuse.
_BODY_BYTES = 16 * 1024
_FORM = "application/x-www-form-urlencoded"
_CONTROLS = re.compile(r"[\x00-\x1f\x7f]")
#: Runs a function where it does not stop the other green threads, and gives its result.
Offload = Callable[..., Any]
_WRONG = "The e-mail address or the password is wrong."


class PasswordCheck:
    """Begins a session for the right password; limits the attempts.

    `offload(function, *arguments)` runs the slow hashing where no other request waits for it.
    """

    def __init__(
        self,
        database: Database,
        identities: Identities,
        attempts: Attempts,
        devices: Devices,
        offload: Offload,
        failed_sign_ins: FailedSignIns,
    ):
        self._database = database
        self._identities = identities
        self._attempts = attempts
        self._devices = devices
        self._offload = offload
        self._failed_sign_ins = failed_sign_ins
        self._hashing = threading.Semaphore(AT_ONCE)

    def begin_session(self, email: str, password: str) -> str:
        """A new session's token, for the current request.

        Raises Unauthorized and RateLimitExceeded.
        """
        email = admins.canonical_email(email)
        attempt = Attempt(email, request.remote_addr or "", self._device(email))
        is_email = len(email) <= EMAIL_MAX_CHARACTERS and email.isprintable()
        noted = email if is_email else ""
        try:
            self._attempts.begin(attempt)
        except RateLimitExceeded:
            self._failed_sign_ins.failed(noted, RATE_LIMITED)
            raise
        if not is_email or len(password) > LENGTH_MAX:
            raise self._refused(noted)
        with self._database.read() as connection:
            found = admins.credentials(connection, email)
        admin_id, password_hash = found or (None, None)
        with self._hashing:
            is_right = self._offload(matches, password, password_hash)
        if not is_right or admin_id is None:
            raise self._refused(noted)
        self._attempts.succeeded(attempt)
        return self._identities.begin(admin_id, signed_in("password"))

    def remember_device(self, response: Response, email: str) -> None:
        """Marks the request's device as known: other devices cannot use up its attempts."""
        email = admins.canonical_email(email)
        self._devices.remember(request, response, email, secure=self._identities.is_https())

    def _refused(self, email: str) -> Unauthorized:
        self._failed_sign_ins.failed(email, CREDENTIALS)
        return Unauthorized(_WRONG)

    def _device(self, email: str) -> str:
        """The request's device, if it signed in to this account before; else ""."""
        with suppress(Unauthorized):
            identity = self._identities.of(request.environ)
            if identity.email == email:
                return connection_prefix(identity.session)
        return self._devices.known(request, email)


class SignIn:
    """The calls `/login` and `/logout`."""

    def __init__(
        self,
        password_check: PasswordCheck,
        presence_service: PresenceService,
        invalidate_sessions: Callable[[], object],
        origins: Origins,
        identities: Identities,
        pages: Pages,
    ):
        """`invalidate_sessions()` has the sockets look up their sessions again."""
        self._password_check = password_check
        self._presence_service = presence_service
        self._invalidate_sessions = invalidate_sessions
        self._origins = origins
        self._identities = identities
        self._pages = pages

    def show(self) -> Response:
        """The sign-in page; a redirect where the caller is signed in."""
        goal = _local_path(only_value("next", "/"))
        try:
            self._identities.of(request.environ)
        except Unauthorized:
            return self._pages.login(next=goal)
        return _see(goal)

    def login(self) -> Response:
        self._origins.check_origin(request.environ)
        request.max_content_length = _BODY_BYTES
        if is_json():
            given = read_body(_Credentials, _BODY_BYTES)
            return self._let_in(Response(status=204), given.email, given.password)
        if request.mimetype != _FORM:
            raise Problem(415, "unsupported_media_type", f"Send JSON or {_FORM}.")
        return self._login_by_form()

    def logout(self) -> Response:
        self._origins.check_origin(request.environ)
        require_json()
        self._leave()
        self._identities.end()
        self._invalidate_sessions()
        # Also removes the pages that the "back" button would show again.
        answer = Response(status=204, headers={"Clear-Site-Data": '"cache"'})
        return self._identities.delete_cookie(answer)

    def _leave(self) -> None:
        """Ends the presence of this session's windows at once."""
        with suppress(Unauthorized, RedisError):
            identity = self._identities.of(request.environ)
            self._presence_service.sign_out(identity.admin_id, connection_prefix(identity.session))

    def _login_by_form(self) -> Response:
        goal = _local_path(request.form.get("next", "/"))
        email, password = request.form.get("email", ""), request.form.get("password", "")
        try:
            return self._let_in(_see(goal), email, password)
        except Problem as problem:
            if problem.status not in (401, 429):
                raise
            shown = self._pages.login(next=goal, problem=problem, email=email)
            shown.status_code = problem.status
            shown.headers.update(problem.headers)
            return shown

    def _let_in(self, response: Response, email: str, password: str) -> Response:
        self._identities.set_cookie(response, self._password_check.begin_session(email, password))
        self._password_check.remember_device(response, email)
        return response


class _Credentials(Strict):
    email: str
    password: str


def blueprint(calls: SignIn) -> Blueprint:
    """`/login` and `/logout`."""
    made = Blueprint("signin", __name__)
    made.add_url_rule("/login", view_func=calls.show, methods=["GET"], endpoint="show")
    made.add_url_rule("/login", view_func=calls.login, methods=["POST"], endpoint="login")
    made.add_url_rule("/logout", view_func=calls.logout, methods=["POST"], endpoint="logout")
    return made


def _see(goal: str) -> Response:
    """A redirect that is followed by GET."""
    return Response(status=303, headers={"Location": goal})


def _local_path(goal: str) -> str:
    """Where to go after signing in: a path of this server, else "/"."""
    if _CONTROLS.search(goal):
        raise Problem(400, "forbidden_character", "`next` holds a control character.")
    is_local = goal.startswith("/") and not goal.startswith("//") and "\\" not in goal
    return goal if is_local else "/"
