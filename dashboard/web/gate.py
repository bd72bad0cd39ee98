"""The gate before the sockets: who may not have one is told so before the upgrade."""

import json
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import parse_qs

from dashboard.environ import IDENTITY
from dashboard.errors import Problem
from dashboard.web.identity import Identities
from dashboard.web.origins import Origins

SOCKET_PATH = "/socket.io"


class Gate:
    """WSGI middleware around Flask and Socket.IO."""

    def __init__(self, app: Callable, origins: Origins, identities: Identities):
        self._app = app
        self._origins = origins
        self._identities = identities

    def __call__(self, environ: dict[str, Any], start_response: Callable) -> Iterable[bytes]:
        try:
            self._check(environ)
        except Problem as problem:
            return _refuse(problem, environ, start_response)
        return self._app(environ, start_response)

    def _check(self, environ: dict[str, Any]) -> None:
        path = environ.get("PATH_INFO", "")
        if path == SOCKET_PATH or path.startswith(SOCKET_PATH + "/"):
            _check_transport(environ)
            self._origins.check_host(environ)
            self._origins.check_origin(environ)
            environ[IDENTITY] = self._identities.of(environ)


def _check_transport(environ: dict[str, Any]) -> None:
    query = parse_qs(environ.get("QUERY_STRING", ""))
    is_upgrade = environ.get("HTTP_UPGRADE", "").lower() == "websocket" and "upgrade" in {
        part.strip() for part in environ.get("HTTP_CONNECTION", "").lower().split(",")
    }
    version = environ.get("HTTP_SEC_WEBSOCKET_VERSION") == "13"
    asked = query.get("transport") == ["websocket"] and query.get("EIO") == ["4"]
    # An id of a connection or of JSONP belongs to polling.
    if environ["REQUEST_METHOD"] != "GET" or not (is_upgrade and version and asked):
        raise _only_websocket()
    if "sid" in query or "j" in query or not environ.get("HTTP_SEC_WEBSOCKET_KEY"):
        raise _only_websocket()


def _only_websocket() -> Problem:
    return Problem(
        400, "websocket_only", "Sockets are Socket.IO 4 (EIO=4) over the transport websocket."
    )


def _refuse(problem: Problem, environ: dict[str, Any], start_response: Callable) -> Iterable[bytes]:
    body = problem.body(environ.get("PATH_INFO"))
    content = json.dumps(body).encode()
    headers = [
        ("Content-Type", "application/problem+json"),
        ("Content-Length", str(len(content))),
        ("Cache-Control", "no-store"),
        *problem.headers.items(),
    ]
    start_response(f"{body['status']} {body['title']}", headers)
    return [content]
