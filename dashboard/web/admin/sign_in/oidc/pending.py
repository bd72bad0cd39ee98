"""Sign-ins under way: each is kept in a signed cookie of its own.

Any worker can complete it, and tabs that begin at the same time do not end each other's.
"""

import hmac
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import NamedTuple

from flask import Request, Response

from dashboard.errors import Problem
from dashboard.oidc.provider import Secrets
from dashboard.signed_texts import NotSigned, SignedTexts
from dashboard.web.http.cookies import CookieNames

#: Begins the names of the cookies, on https behind the prefix of the session's.
COOKIE = "lineup_oidc"
#: How long somebody may take to sign in at the provider.
PENDING_MS = 15 * 60_000
_COOKIE_CHARACTERS_MAX = 3_500
#: Of all attempts of a browser together; the oldest give way. Headers have a limit.
_KEPT_CHARACTERS_MAX = 5_000
#: A longer path would not fit into the cookie.
_GOAL_CHARACTERS_MAX = 1_500


class SignInNotBegun(Problem):
    """It was not begun in this browser, took too long, or was completed before."""

    def __init__(self) -> None:
        super().__init__(400, "signin_not_begun", "This sign-in was not begun here; begin anew.")


class _Attempt(NamedTuple):
    given: Secrets
    goal: str
    begun_at: int
    characters: int


class PendingSignIns:
    """`clock` gives milliseconds."""

    def __init__(self, secret_key: str, clock: Callable[[], int], names: CookieNames):
        self._clock = clock
        self._names = names
        self._texts = SignedTexts(secret_key, COOKIE, _COOKIE_CHARACTERS_MAX)

    def keep(
        self, request: Request, response: Response, given: Secrets, goal: str, *, secure: bool
    ) -> None:
        """Sets the attempt's cookie; it lets nobody in by itself."""
        kept_goal = goal if len(goal) <= _GOAL_CHARACTERS_MAX else "/"
        value = self._texts.text_of([*given, kept_goal, self._clock()])
        left = _KEPT_CHARACTERS_MAX - len(value)
        for attempt in sorted(self._attempts(request, secure), key=lambda one: -one.begun_at):
            left -= attempt.characters
            if left < 0 or not self._is_open(attempt):
                self.forget(response, attempt.given.state, secure=secure)
        response.set_cookie(
            self._name(given.state, secure),
            value,
            max_age=PENDING_MS // 1000,
            httponly=True,
            samesite="Lax",  # the provider leads back from another site
            secure=secure,
            path="/",
        )

    def found(self, request: Request, state: str, *, secure: bool) -> tuple[Secrets, str]:
        """What belongs to the provider's answer, and where to go. Raises SignInNotBegun."""
        asked = state.encode("utf-8", "replace")
        for attempt in self._attempts(request, secure):
            if hmac.compare_digest(attempt.given.state.encode(), asked) and self._is_open(attempt):
                return attempt.given, attempt.goal
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
                *kept, goal, begun_at = self._texts.read(text)
            except NotSigned:
                continue
            yield _Attempt(Secrets(*kept), goal, begun_at, len(text))

    def _is_open(self, attempt: _Attempt) -> bool:
        return 0 <= self._clock() - attempt.begun_at <= PENDING_MS

    def _name(self, state: str, secure: bool) -> str:
        digest = sha256(state.encode("utf-8", "replace")).hexdigest()[:12]
        return f"{self._names.of(COOKIE, host_only=secure)}_{digest}"
