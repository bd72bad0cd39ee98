"""Who calls: the admin whose session the cookie holds."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from flask import Response, g, request
from werkzeug.http import parse_cookie

from dashboard.errors import Problem, StorageUnavailable
from dashboard.store import sessions
from dashboard.store.database import Database
from dashboard.store.sessions import Identity

COOKIE = "lineup_session"
#: Longer ones were never given out.
_TOKEN_CHARACTERS_MAX = 128


class Unauthorized(Problem):
    def __init__(self, detail: str = "Nobody is signed in."):
        headers = {"WWW-Authenticate": 'Session realm="Lineup"'}
        super().__init__(401, "unauthorized", detail, headers=headers)


class Identities:
    """Finds who is signed in, and keeps the session alive while it is used."""

    def __init__(self, database: Database, clock: Callable[[], int]):
        self._database = database
        self._clock = clock

    def of(self, environ: Mapping[str, Any]) -> Identity:
        """Who sent the request. Raises Unauthorized."""
        token = parse_cookie(dict(environ)).get(COOKIE, "")
        if not 0 < len(token) <= _TOKEN_CHARACTERS_MAX:
            raise Unauthorized()
        now = self._clock()
        with self._database.read() as connection:
            identity = sessions.admin_of(connection, token, now)
        if identity is None:
            raise Unauthorized()
        if identity.due_for_renewal(now):
            # If it cannot be written now, the next request will try.
            with suppress(StorageUnavailable):
                self._database.write(lambda connection: sessions.renew(connection, identity, now))
        return identity

    def require(self) -> None:
        """Before a request: only who is signed in goes on; `current()` says who it is."""
        g.identity = self.of(request.environ)

    def begin(self, admin_id: int) -> str:
        """A new session's token."""
        return self._database.write(
            lambda connection: sessions.begin(connection, admin_id, self._clock())
        )

    def end(self) -> None:
        """Ends the session that the request's cookie holds, if any."""
        token = request.cookies.get(COOKIE)
        if token:
            self._database.write(lambda connection: sessions.end(connection, token))


def current() -> Identity:
    return g.identity


def give_cookie(response: Response, token: str) -> Response:
    """For the browser session's length; the server says when it is over."""
    response.set_cookie(COOKIE, token, httponly=True, samesite="Lax", secure=_is_https(), path="/")
    return response


def take_cookie(response: Response) -> Response:
    response.delete_cookie(COOKIE, httponly=True, samesite="Lax", secure=_is_https(), path="/")
    return response


def _is_https() -> bool:
    """Whether the browser speaks TLS, also to a proxy that passes it on without."""
    return request.is_secure or request.headers.get("Origin", "").startswith("https:")
