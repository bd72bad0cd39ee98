"""The page `/invitation`: who was invited makes their account, and is signed in.

The link holds its token behind "#", which browsers send to no server: it reaches neither logs nor
other sites. The page posts it.
"""

import threading
from collections.abc import Callable
from typing import Any

from flask import Blueprint, Response, request
from pydantic_core import PydanticCustomError

from dashboard import languages
from dashboard.db.accounts.invitations import Invitation
from dashboard.db.accounts.password_rules import WeakPassword, require_strong
from dashboard.db.accounts.passwords import hashed
from dashboard.errors import Problem
from dashboard.ingest.accounts.invitations import InvitationOver, Invitations
from dashboard.rate_limits import RateLimitExceeded
from dashboard.validation.accounts import check_account_name
from dashboard.web.admin.sign_in.attempts import Devices, InvitationAttempts
from dashboard.web.admin.sign_in.methods import require_passwords
from dashboard.web.admin.site.pages import chosen_theme
from dashboard.web.http.audit.actors import signing_in
from dashboard.web.http.audit.signins import signed_in
from dashboard.web.http.identity import Identities
from dashboard.web.http.origins import Origins
from dashboard.web.http.rendering import rendered

#: Longest body: it is sent without a session, so it must be cheap to refuse.
_BODY_BYTES = 16 * 1024
_FORM = "application/x-www-form-urlencoded"
_TOKEN_CHARACTERS_MAX = 100
#: Passwords that are judged and hashed at once, beside those of sign-ins.
_AT_ONCE = 2


class _Refused(Exception):
    """What was given cannot be taken; `text` is the key of the sentence that says why."""

    def __init__(self, text: str):
        self.text = text


class Joining:
    """Shows the page and takes its forms. `offload(function, *arguments)` runs the slow hashing
    where no other request waits for it."""

    def __init__(
        self,
        invitations: Invitations,
        attempts: InvitationAttempts,
        devices: Devices,
        origins: Origins,
        identities: Identities,
        offload: Callable[..., Any],
    ):
        self._invitations = invitations
        self._attempts = attempts
        self._devices = devices
        self._origins = origins
        self._identities = identities
        self._offload = offload
        self._hashing = threading.Semaphore(_AT_ONCE)

    def show(self) -> Response:
        """Asks for the token; the page's script takes it from the address and posts it."""
        return _page()

    def take(self) -> Response:
        """The first form holds the token alone; the second one also a name and a password."""
        self._origins.check_origin(request.environ)
        require_passwords()
        request.max_content_length = _BODY_BYTES
        if request.mimetype != _FORM:
            raise Problem(415, "unsupported_media_type", f"Send {_FORM}.")
        token, address = request.form.get("token", "").strip(), request.remote_addr or ""
        try:
            self._attempts.begin(address)
            found = self._invitations.of(token[:_TOKEN_CHARACTERS_MAX])
            if "password" in request.form:
                answer = self._join(token, found)
            else:
                answer = _page(token=token, email=found.email, name=found.name)
        except InvitationOver as over:
            return _page(over.status, over=f"invitation.{over.reason}")
        except RateLimitExceeded as exceeded:
            seconds = exceeded.headers["Retry-After"]
            page = _page(exceeded.status, over="invitation.rate_limited", seconds=seconds)
            page.headers["Retry-After"] = seconds
            return page
        except _Refused as refused:
            name = request.form.get("name", "")
            return _page(422, token=token, email=found.email, name=name, error=refused.text)
        self._attempts.succeeded(address)
        return answer

    def _join(self, token: str, invitation: Invitation) -> Response:
        """Makes the account, and begins its first session."""
        name = _name(request.form.get("name", ""))
        password_hash = self._hash(request.form["password"], invitation.email, name)
        joined = self._invitations.accept(token, name, password_hash, signing_in())
        answer = Response(status=303, headers={"Location": "/"})
        self._identities.set_cookie(
            answer, self._identities.begin(joined.admin_id, signed_in("invitation"))
        )
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
    """`/invitation`."""
    made = Blueprint("invitation", __name__)
    made.add_url_rule("/invitation", view_func=joining.show, methods=["GET"], endpoint="show")
    made.add_url_rule("/invitation", view_func=joining.take, methods=["POST"], endpoint="take")
    return made


def _judged_and_hashed(password: str, email: str, name: str) -> str:
    require_strong(password, email, name)
    return hashed(password)


def _name(given: str) -> str:
    try:
        return check_account_name(given)
    except PydanticCustomError as error:
        raise _Refused("invitation.wrong_name") from error


def _page(status: int = 200, **values: Any) -> Response:
    """`over`: the key of why the link cannot be used; `error`: of why a form was refused."""
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
