"""Checks addresses before anything is routed, and requests for sockets before the upgrade."""

from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import parse_qs

from dashboard.errors import NotFound, Problem
from dashboard.logs import RefusedAccess
from dashboard.web.http.audit.refusals import note_handshake
from dashboard.web.http.identity import Identities
from dashboard.web.http.origins import Origins
from dashboard.web.http.problems import json_problem
from dashboard.wsgi_keys import IDENTITY, TARGET

SOCKET_PATH = "/socket.io/"


class Gate:
    """WSGI middleware around Flask and Socket.IO."""

    def __init__(self, app: Callable, origins: Origins, identities: Identities):
        self._app = app
        self._origins = origins
        self._identities = identities
        self._refused = RefusedAccess()

    def __call__(self, environ: dict[str, Any], start_response: Callable) -> Iterable[bytes]:
        try:
            self._check(environ)
        except Problem as problem:
            note_handshake(self._refused, problem, environ)
            return json_problem(problem, environ.get("PATH_INFO"))(environ, start_response)
        return self._app(environ, start_response)

    def _check(self, environ: dict[str, Any]) -> None:
        _check_path(environ, self._origins)
        path = environ.get("PATH_INFO", "")
        if path.lstrip("/").startswith(SOCKET_PATH.strip("/")):
            target = environ.get(TARGET, path).partition("?")[0]
            if target != SOCKET_PATH:
                raise NotFound(f"Sockets are at {SOCKET_PATH}, spelled like this.")
            self._origins.check_host(environ)
            self._origins.check_origin(environ)
            environ[IDENTITY] = self._identities.of(environ)
            _check_transport(environ)


def _check_path(environ: dict[str, Any], origins: Origins) -> None:
    """Turns an absolute URI of our own into a path (RFC 9112, section 3.2.2).

    Raises Problem: 421 for a URI of another host, 404 for a path with doubled slashes.
    """
    path = environ.get("PATH_INFO", "")
    if not path.startswith("/"):
        environ["PATH_INFO"] = path = _own_path(path, environ, origins)
    if "//" in path:
        # Werkzeug drops the slashes at the beginning, and redirects for others.
        raise Problem(404, "not_found", "There is nothing at this address.")


def _own_path(uri: str, environ: dict[str, Any], origins: Origins) -> str:
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


def _check_transport(environ: dict[str, Any]) -> None:
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
