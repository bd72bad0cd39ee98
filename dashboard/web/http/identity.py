"""The admin who makes a request: from the session cookie and the cookies around it."""

import base64
import hmac
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any
from wsgiref.types import WSGIEnvironment

from flask import Request, Response, g, request
from itsdangerous import BadSignature, Signer
from sqlalchemy import Connection
from sqlalchemy.engine import make_url
from werkzeug.http import parse_cookie

from dashboard.db.accounts import sessions
from dashboard.db.accounts.sessions import NOWHERE, Identity, Origin
from dashboard.db.database import Database
from dashboard.errors import Problem, StorageUnavailable
from dashboard.turns import turns
from dashboard.web.http.origins import Origins

#: Browsers accept this prefix only over TLS and only from this host.
HOST_PREFIX = "__Host-"
#: Most cookies of one purpose that are read; a browser has one for each Lineup on the host.
_READ_MAX = 16


class CookieNames:
    """The cookie names of the installation with this secret key and this database."""

    def __init__(self, secret_key: str, database_url: str):
        about = f"cookies of {_place(database_url)}".encode()
        self._tag = hmac.digest(secret_key.encode(), about, "sha256").hex()[:8]

    def of(self, base: str, *, host_only: bool = False) -> str:
        """Returns the name to set; `host_only` on https, for cookies with the path `/`."""
        return f"{HOST_PREFIX if host_only else ''}{base}_{self._tag}"

    def values(
        self, cookies: Mapping[str, str], base: str, *, host_only: bool = False
    ) -> Iterator[str]:
        """Yields values that may belong to this installation, the one under its own name first.

        They are signed, so foreign ones are detected. Other names are read because older releases
        set no tag, and because processes may name one database by different addresses.
        """
        prefix, own = (
            f"{HOST_PREFIX if host_only else ''}{base}",
            self.of(base, host_only=host_only),
        )
        names = [name for name in cookies if name == prefix or name.startswith(f"{prefix}_")]
        for name in sorted(names, key=lambda name: name != own)[:_READ_MAX]:
            yield cookies[name]


def _place(database_url: str) -> str:
    """Names the database without the account that opens it."""
    url = make_url(database_url)
    if url.host is None and url.database:
        return str(Path(url.database).resolve())
    return f"{url.host}:{url.port or 5432}/{url.database}"


#: Prefix of the cookie's name, see `CookieNames`; a cookie named only this is read, too.
COOKIE = "lineup_session"
#: The same on https.
HOST_COOKIE = f"{HOST_PREFIX}{COOKIE}"
#: Longest cookie that is read; issued ones are shorter.
_COOKIE_CHARACTERS_MAX = 128


class Unauthorized(Problem):
    def __init__(self, detail: str = "Not signed in."):
        headers = {"WWW-Authenticate": 'Session realm="Lineup"'}
        super().__init__(401, "unauthorized", detail, headers=headers)


class Identities:
    """Finds the signed-in admin, and extends the session while it is used.

    The cookie holds the session's token, signed with the secret key: a forged cookie is refused
    without a query, and changing the key ends all sessions.
    """

    def __init__(
        self, database: Database, clock: Callable[[], int], secret_key: str, origins: Origins
    ):
        self._database = database
        self._origins = origins
        self._clock = clock
        self._signer = Signer(secret_key, salt=COOKIE, digest_method=sha256)
        self._secret_key = secret_key.encode()
        self.cookie_names = CookieNames(secret_key, database.url)

    def of(self, environ: WSGIEnvironment) -> Identity:
        """Returns the admin who sent the request. Raises Unauthorized and StorageUnavailable."""
        make_readable(environ)
        now = self._clock()
        identity = self._identity(self._tokens(environ), now)
        if identity is None:
            raise Unauthorized()
        if identity.due_for_renewal(now):
            # If this write fails, the next request tries again.
            with suppress(StorageUnavailable):
                self._database.write(lambda connection: sessions.renew(connection, identity, now))
        turns.known_as(("admin", identity.admin_id))
        return identity

    def is_signed_in(self) -> bool:
        """Whether an admin sent the current request."""
        try:
            self.of(request.environ)
        except Unauthorized:
            return False
        return True

    def require(self) -> None:
        """Sets `current()` before a request. Raises Unauthorized."""
        g.identity = self.of(request.environ)

    def storage_key(self, admin_id: int) -> str:
        """Returns the key that encrypts the data that this admin's page stores in the browser, in
        base64: 32 random bytes, and the 32 of the key combined with them by exclusive or.

        Only this admin gets it; it changes with the secret key. The page holds texts of customers,
        too: the random bytes keep the length of a compressed page from telling the key.
        """
        key = hmac.digest(self._secret_key, f"browser storage of {admin_id}".encode(), "sha256")
        mask = secrets.token_bytes(len(key))
        masked = bytes(one ^ other for one, other in zip(mask, key, strict=True))
        return base64.b64encode(mask + masked).decode()

    def begin(
        self,
        admin_id: int,
        decide: Callable[[Connection, int, int], object] | None = None,
        origin: Origin = NOWHERE,
    ) -> str:
        """Begins a session; returns the value of its cookie.

        `decide(connection, now_ms, admin_id)` is called first, in the same transaction; if it
        raises, no session begins.
        """
        now = self._clock()

        def write(connection: Connection) -> str:
            if decide is not None:
                decide(connection, now, admin_id)
            return sessions.begin(connection, admin_id, now, origin)

        return self.cookie_of(self._database.write(write))

    def cookie_of(self, token: str) -> str:
        """Returns the cookie's value for a session's token."""
        return self._signer.sign(token).decode()

    def end(self) -> None:
        """Ends the session that the request's cookie holds, if any."""
        for token in self._tokens(request.environ):
            self._database.write(partial(sessions.end, token=token), is_idempotent=True)

    def set_cookie(self, response: Response, cookie: str) -> Response:
        """Sets the session cookie, which browsers drop when they are closed.

        Ends the session that the request's cookie holds: the browser forgets it, and nobody should
        continue with it.
        """
        self.end()
        response.set_cookie(value=cookie, **self._cookie())
        return response

    def delete_cookie(self, response: Response) -> Response:
        """Deletes the session cookie."""
        response.delete_cookie(**self._cookie())
        return response

    def is_https(self) -> bool:
        """Whether the browser of the current request uses TLS."""
        return self._origins.is_https(request.environ)

    def _cookie(self) -> dict[str, Any]:
        secure = self.is_https()
        name = self.cookie_names.of(COOKIE, host_only=secure)
        return {"key": name, "httponly": True, "samesite": "Lax", "secure": secure, "path": "/"}

    def _tokens(self, environ: WSGIEnvironment) -> list[str]:
        """Returns the tokens in a request's cookies that this Lineup has signed."""
        host_only = self._origins.is_https(environ)
        tokens = []
        for cookie in self.cookie_names.values(parse_cookie(environ), COOKIE, host_only=host_only):
            if len(cookie) <= _COOKIE_CHARACTERS_MAX:
                with suppress(BadSignature, UnicodeError):
                    tokens.append(self._signer.unsign(cookie).decode())
        return tokens

    def _identity(self, tokens: Sequence[str], now_ms: int) -> Identity | None:
        """Returns the admin of the first token that belongs to a session."""
        if not tokens:
            return None
        with self._database.read() as connection:
            identities = (sessions.admin_of(connection, token, now_ms) for token in tokens)
            return next(filter(None, identities), None)


def origin_of(request: Request) -> Origin:
    """Returns the address and program of a request's sender, as sessions store them."""
    return Origin(request.remote_addr or "", request.headers.get("User-Agent", ""))


def current() -> Identity:
    """Returns the admin of this request, after `Identities.require`."""
    return g.identity


def make_readable(environ: WSGIEnvironment) -> None:
    """Replaces bytes of cookies that are no UTF-8: Werkzeug decodes all at once, and would raise.

    Other programs on this host may have set such cookies.
    """
    header = environ.get("HTTP_COOKIE", "")
    if not header.isascii():
        text = header.encode("latin-1", "replace").decode("utf-8", "replace")
        environ["HTTP_COOKIE"] = text.encode().decode("latin-1")


class ReadableRequest(Request):
    """A request with readable cookies."""

    def __init__(self, environ: WSGIEnvironment, *arguments: Any, **options: Any):
        make_readable(environ)
        super().__init__(environ, *arguments, **options)
