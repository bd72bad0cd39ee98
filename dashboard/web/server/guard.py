"""Around the application: turns between connections within large answers, and the stop."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from dashboard.errors import Problem
from dashboard.web.http.problems import json_problem
from dashboard.web.server.connections import Connection
from dashboard.web.server.state import ServerState
from dashboard.wsgi_keys import CLOSE, CONNECTION

#: Bytes of an answer that are written before other connections get a turn.
PIECE_BYTES = 64 * 1024


class Guard:
    """WSGI middleware between the server and the application."""

    def __init__(self, app: Callable, state: ServerState):
        self._app = app
        self._state = state

    def __call__(self, environ: dict[str, Any], start_response: Callable) -> Iterable[bytes]:
        connection: Connection | None = environ.get(CONNECTION)
        if connection is None:
            return self._app(environ, start_response)
        connection.begin_request()
        if self._state.is_stopping and "HTTP_UPGRADE" in environ:
            environ[CLOSE]()
            return json_problem(_stopping())(environ, start_response)
        size = 0

        def start(status: str, headers: list[tuple[str, str]], *error: Any) -> Any:
            nonlocal size
            if self._state.is_stopping:
                environ[CLOSE]()
            size = _content_length(headers)
            return start_response(status, headers, *error)

        answer = self._app(environ, start)
        return _Pieces(answer, connection) if size > PIECE_BYTES else answer


class _Pieces:
    """An answer in pieces; after each of them other connections get a turn."""

    def __init__(self, answer: Iterable[bytes], connection: Connection):
        self._answer = answer
        self._connection = connection

    def __iter__(self) -> Iterator[bytes]:
        for data in self._answer:
            for start in range(0, len(data), PIECE_BYTES):
                yield data[start : start + PIECE_BYTES]
                self._connection.give_turn()

    def close(self) -> None:
        if hasattr(self._answer, "close"):
            self._answer.close()


def _content_length(headers: list[tuple[str, str]]) -> int:
    for name, value in headers:
        if name == "Content-Length":
            return int(value)
    return 0


def _stopping() -> Problem:
    return Problem(503, "overloaded", "The server stops.", headers={"Retry-After": "1"})
