"""Checks addresses before anything is routed, and answers the probes and `/metrics`."""

import hmac
import ipaddress
from collections.abc import Callable, Iterable
from urllib.parse import parse_qs
from wsgiref.types import WSGIEnvironment

from flask import Blueprint, Response, request

from dashboard.clock import SharedClock
from dashboard.db.database import Database
from dashboard.errors import NotFound, Problem
from dashboard.logs import RefusedAccess
from dashboard.web.http.audit import note_handshake
from dashboard.web.http.identity import Identities
from dashboard.web.http.metrics import CONTENT_TYPE, Metrics
from dashboard.web.http.origins import Origins
from dashboard.web.http.problems import json_problem
from dashboard.web.http.responses import json_response
from dashboard.wsgi_keys import IDENTITY, TARGET

#: Headers that proxies add.
_OF_PROXIES = ("Forwarded", "X-Forwarded-For", "X-Real-IP", "Via")


def probes(
    database: Database,
    redis_is_there: Callable[[], bool],
    metrics: Metrics,
    clock: SharedClock,
    is_accepting: Callable[[], bool] = lambda: True,
    metrics_token: str | None = None,
) -> Blueprint:
    """Builds `/healthz`, `/readyz` and `/metrics`, without a session and under any Host.

    `is_accepting()` tells whether the process would take another connection. The metrics count open
    dashboards, including those of invisible admins. Only clients with the token may read them, or
    without a token clients on this machine.
    """
    routes = Blueprint("probes", __name__)

    @routes.get("/healthz")
    def alive() -> Response:
        return json_response({"status": "ok"})

    @routes.get("/readyz")
    def ready() -> Response:
        if not is_accepting():
            body = {"status": "unavailable", "connections": "refused"}
            return json_response(body, 503, {"Retry-After": "1"})
        return _readiness(_state_of(database), redis_is_there(), clock)

    @routes.get("/metrics")
    def count() -> Response:
        _require_reader(metrics_token)
        headers = {"Cache-Control": "no-store"}
        return Response(metrics.text(), headers=headers, content_type=CONTENT_TYPE)

    return routes


def _readiness(sql: str, redis: bool, clock: SharedClock) -> Response:
    """Answers the readiness. Without SQL, or if it takes no writes, nothing can be taken; without
    Redis only the live order does not work.

    A machine with a wrong clock uses the shared one, and is named.
    """
    works = redis and not clock.is_off
    body: dict[str, object] = {
        "status": "unavailable" if sql != "ok" else "ok" if works else "degraded",
        "sql": sql,
        "redis": "ok" if redis else "away",
    }
    if clock.is_off:
        body |= {"clock": "off", "clock_ahead_ms": clock.own_ahead_ms}
    if sql == "ok":
        return json_response(body)
    return json_response(body, 503, {"Retry-After": "1"})


def _require_reader(token: str | None) -> None:
    """Checks that the client may read the metrics. Raises Problem (401, 403)."""
    if token is None:
        if not _is_from_here():
            raise Problem(
                403, "forbidden", "The metrics are read on this machine, or with a token."
            )
        return
    bearer = request.headers.get("Authorization", "").partition(" ")[2].strip()
    if not hmac.compare_digest(bearer.encode("utf-8", "replace"), token.encode()):
        headers = {"WWW-Authenticate": 'Bearer realm="Lineup metrics"'}
        raise Problem(401, "unauthorized", "The metrics need their token.", headers=headers)


def _is_from_here() -> bool:
    """Whether the request was sent on this machine, and not passed on by a proxy on it."""
    if any(name in request.headers for name in _OF_PROXIES):
        return request.environ.get("werkzeug.proxy_fix.orig") is not None and _is_loopback()
    return _is_loopback()


def _is_loopback() -> bool:
    try:
        address = ipaddress.ip_address(request.remote_addr or "")
    except ValueError:
        return False
    inside = getattr(address, "ipv4_mapped", None)
    return (inside or address).is_loopback


def _state_of(database: Database) -> str:
    if not database.is_there():
        return "away"
    return "ok" if database.takes_writes() else "read_only"


SOCKET_PATH = "/socket.io/"


class Gate:
    """WSGI middleware around Flask and Socket.IO."""

    def __init__(self, app: Callable, origins: Origins, identities: Identities):
        self._app = app
        self._origins = origins
        self._identities = identities
        self._refused = RefusedAccess()

    def __call__(self, environ: WSGIEnvironment, start_response: Callable) -> Iterable[bytes]:
        try:
            self._check(environ)
        except Problem as problem:
            note_handshake(self._refused, problem, environ)
            return json_problem(problem, environ.get("PATH_INFO"))(environ, start_response)
        return self._app(environ, start_response)

    def _check(self, environ: WSGIEnvironment) -> None:
        _check_path(environ, self._origins)
        path = environ.get("PATH_INFO", "")
        if path.lstrip("/").startswith(SOCKET_PATH.strip("/")):
            target = str(environ.get(TARGET, path)).partition("?")[0]
            if target != SOCKET_PATH:
                raise NotFound(f"Sockets are at {SOCKET_PATH}, spelled like this.")
            self._origins.check_host(environ)
            self._origins.check_origin(environ)
            environ[IDENTITY] = self._identities.of(environ)
            _check_transport(environ)


def _check_path(environ: WSGIEnvironment, origins: Origins) -> None:
    """Turns an absolute URI of our own into a path (RFC 9112, section 3.2.2).

    Raises Problem: 421 for a URI of another host, 404 for a path with doubled slashes.
    """
    path = environ.get("PATH_INFO", "")
    if not path.startswith("/"):
        environ["PATH_INFO"] = path = _own_path(path, environ, origins)
    if "//" in path:
        # Werkzeug drops the slashes at the beginning, and redirects for others.
        raise Problem(404, "not_found", "There is nothing at this address.")


def _own_path(uri: str, environ: WSGIEnvironment, origins: Origins) -> str:
    """Returns the path of an absolute URI; other text, such as `*`, as it is."""
    _, is_absolute, rest = uri.partition("://")
    if not is_absolute:
        return uri
    authority, slash, path = rest.partition("/")
    # The answer names only the path.
    environ["PATH_INFO"] = slash + path
    host = authority.lower()
    if not origins.is_our_host(host) or environ.get("HTTP_HOST", "").lower() != host:
        raise Problem(421, "misdirected_request", "This is not the host of that address.")
    return slash + path or "/"


def _check_transport(environ: WSGIEnvironment) -> None:
    query = parse_qs(environ.get("QUERY_STRING", ""))
    is_upgrade = environ.get("HTTP_UPGRADE", "").lower() == "websocket" and "upgrade" in {
        part.strip() for part in environ.get("HTTP_CONNECTION", "").lower().split(",")
    }
    version = environ.get("HTTP_SEC_WEBSOCKET_VERSION") == "13"
    names_transport = query.get("transport") == ["websocket"] and query.get("EIO") == ["4"]
    # `sid` and `j` are parameters of the polling transport.
    if environ["REQUEST_METHOD"] != "GET" or not (is_upgrade and version and names_transport):
        raise _only_websocket()
    if "sid" in query or "j" in query or not environ.get("HTTP_SEC_WEBSOCKET_KEY"):
        raise _only_websocket()


def _only_websocket() -> Problem:
    return Problem(
        400, "websocket_only", "Sockets are Socket.IO 4 (EIO=4) over the transport websocket."
    )
