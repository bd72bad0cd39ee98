"""A sign-in under way: kept in a signed cookie, so that any worker can complete it."""

import hmac
from collections.abc import Callable
from typing import Any

from flask import Request, Response

from dashboard.errors import Problem
from dashboard.oidc.provider import Secrets
from dashboard.signed_texts import NotSigned, SignedTexts

COOKIE = "lineup_oidc"
#: The cookie's name on https, as that of the session.
HOST_COOKIE = f"__Host-{COOKIE}"
#: How long somebody may take to sign in at the provider.
PENDING_MS = 15 * 60_000
_COOKIE_CHARACTERS_MAX = 3_500
#: A longer path would not fit into the cookie.
_GOAL_CHARACTERS_MAX = 1_500


class SignInNotBegun(Problem):
    """It was not begun in this browser, took too long, or was completed before."""

    def __init__(self) -> None:
        super().__init__(400, "signin_not_begun", "This sign-in was not begun here; begin anew.")


class PendingSignIns:
    """`clock` gives milliseconds."""

    def __init__(self, secret_key: str, clock: Callable[[], int]):
        self._clock = clock
        self._texts = SignedTexts(secret_key, COOKIE, _COOKIE_CHARACTERS_MAX)

    def keep(self, response: Response, given: Secrets, goal: str, *, secure: bool) -> None:
        """Sets the cookie; it lets nobody in by itself."""
        kept_goal = goal if len(goal) <= _GOAL_CHARACTERS_MAX else "/"
        value = self._texts.text_of([*given, kept_goal, self._clock()])
        response.set_cookie(
            value=value, max_age=PENDING_MS // 1000, httponly=True, **_cookie(secure)
        )

    def found(self, request: Request, state: str, *, secure: bool) -> tuple[Secrets, str]:
        """What belongs to the provider's answer, and where to go. Raises SignInNotBegun."""
        try:
            *kept, goal, begun_at = self._texts.read(request.cookies.get(_name(secure), ""))
        except NotSigned:
            raise SignInNotBegun() from None
        given = Secrets(*kept)
        is_same = hmac.compare_digest(given.state.encode(), state.encode("utf-8", "replace"))
        if not is_same or not 0 <= self._clock() - begun_at <= PENDING_MS:
            raise SignInNotBegun()
        return given, goal

    def forget(self, response: Response, *, secure: bool) -> Response:
        response.delete_cookie(httponly=True, **_cookie(secure))
        return response


def _name(secure: bool) -> str:
    return HOST_COOKIE if secure else COOKIE


def _cookie(secure: bool) -> dict[str, Any]:
    # Lax: the provider leads back from another site.
    return {"key": _name(secure), "samesite": "Lax", "secure": secure, "path": "/"}
