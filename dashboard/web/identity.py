"""Who calls: the admin whose session the cookie holds."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from hashlib import sha256
from typing import Any

from flask import Response, g, request
from itsdangerous import BadSignature, Signer
from werkzeug.http import parse_cookie

from dashboard.errors import Problem, StorageUnavailable
from dashboard.store import sessions
from dashboard.store.database import Database
from dashboard.store.sessions import Identity

COOKIE = "lineup_session"
#: Longer ones were never given out.
_COOKIE_CHARACTERS_MAX = 128


class Unauthorized(Problem):
    def __init__(self, detail: str = "Nobody is signed in."):
        headers = {"WWW-Authenticate": 'Session realm="Lineup"'}
        super().__init__(401, "unauthorized", detail, headers=headers)


class Identities:
    """Finds who is signed in, and keeps the session alive while it is used.

    The cookie holds the session's token, signed with the secret key: what is not ours is known
    without a look at SQL, and who changes the key signs everybody out.
    """

    def __init__(self, database: Database, clock: Callable[[], int], secret_key: str):
        self._database = database
        self._clock = clock
        self._signer = Signer(secret_key, salt=COOKIE, digest_method=sha256)

    def of(self, environ: Mapping[str, Any]) -> Identity:
        """Who sent the request. Raises Unauthorized."""
        token = self._token(parse_cookie(dict(environ)).get(COOKIE, ""))
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
        """A new session; what its cookie holds."""
        token = self._database.write(
            lambda connection: sessions.begin(connection, admin_id, self._clock())
        )
        return self._signer.sign(token).decode()

    def end(self) -> None:
        """Ends the session that the request's cookie holds, if any."""
        with suppress(Unauthorized):
            token = self._token(request.cookies.get(COOKIE, ""))
            self._database.write(lambda connection: sessions.end(connection, token))

    def _token(self, cookie: str) -> str:
        if len(cookie) > _COOKIE_CHARACTERS_MAX:
            raise Unauthorized()
        try:
            return self._signer.unsign(cookie).decode()
        except (BadSignature, UnicodeError):
            raise Unauthorized() from None


def current() -> Identity:
    return g.identity


def give_cookie(response: Response, cookie: str) -> Response:
    """For the browser session's length; the server says when it is over."""
    response.set_cookie(COOKIE, cookie, httponly=True, samesite="Lax", secure=_is_https(), path="/")
    return response


def take_cookie(response: Response) -> Response:
    response.delete_cookie(COOKIE, httponly=True, samesite="Lax", secure=_is_https(), path="/")
    return response


def _is_https() -> bool:
    """Whether the browser speaks TLS, also to a proxy that passes it on without."""
    return request.is_secure or request.headers.get("Origin", "").startswith("https:")
