"""Reads the whole body of a request before the application runs, within limits of size and time."""

import socket
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, suppress
from io import BytesIO
from typing import Any

from dashboard.errors import Problem
from dashboard.web.http import limits
from dashboard.web.http.files.requests import is_upload
from dashboard.web.http.problems import json_problem
from dashboard.web.server.upload_reader import UploadStream, starting
from dashboard.wsgi_keys import CLOSE

#: `with time_limit(seconds):` raises TimeoutError inside the block when they are over.
TimeLimit = Callable[[float], AbstractContextManager[Any]]
#: What is used of the servers' `wsgi.input`, which neither eventlet nor gevent documents.
INPUT_NAMES = ("content_length", "position", "chunked_input")
_CHUNK_BYTES = 64 * 1024


class BodyReader:
    """WSGI middleware: the application gets the whole body in memory, or is not called.

    It reads an upload itself, as it comes: whether that is allowed is known before the body.
    """

    def __init__(self, app: Callable, time_limit: TimeLimit):
        self._app = app
        self._time_limit = time_limit

    def __call__(self, environ: dict[str, Any], start_response: Callable) -> Iterable[bytes]:
        length = int(environ.get("CONTENT_LENGTH") or 0)
        chunked = "HTTP_TRANSFER_ENCODING" in environ
        if not (length or chunked):
            return self._app(environ, start_response)
        if is_upload(environ):
            return self._upload(environ, start_response, None if chunked else length)
        try:
            body = self._read(environ["wsgi.input"], None if chunked else length)
        except Problem as problem:
            return self._refuse(problem, environ, start_response)
        environ["wsgi.input"] = BytesIO(body)
        environ["wsgi.input_terminated"] = True
        environ["CONTENT_LENGTH"] = str(len(body))
        environ.pop("HTTP_TRANSFER_ENCODING", None)
        return self._app(environ, start_response)

    def _read(self, stream: Any, length: int | None) -> bytes:
        if length is not None and length > limits.BODY_BYTES:
            raise _too_large()
        try:
            with self._time_limit(limits.REQUEST_SECONDS):
                body = b"".join(_chunks(stream, limits.BODY_BYTES + 1))
        except TimeoutError:
            raise limits.request_timeout() from None
        except (OSError, ValueError):
            raise Problem(400, "bad_request", "The body of the request broke off.") from None
        if len(body) > limits.BODY_BYTES:
            raise _too_large()
        if length is not None and len(body) < length:
            raise Problem(400, "bad_request", "The body of the request broke off.")
        return body

    def _upload(
        self, environ: dict[str, Any], start_response: Callable, length: int | None
    ) -> Iterable[bytes]:
        stream = environ["wsgi.input"]
        upload = UploadStream(stream, length, self._time_limit)
        environ["wsgi.input"] = upload
        environ["wsgi.input_terminated"] = True
        start = starting(upload, start_response, lambda: _close(environ))
        content = self._app(environ, start)
        return content if upload.is_at_end else self._answer(content, stream, drained=True)

    def _refuse(
        self, problem: Problem, environ: dict[str, Any], start_response: Callable
    ) -> Iterator[bytes]:
        _close(environ)
        content = json_problem(problem, environ.get("PATH_INFO"))(environ, start_response)
        return self._answer(content, environ["wsgi.input"], drained=problem.status == 413)

    def _answer(self, content: Iterable[bytes], stream: Any, drained: bool) -> Iterator[bytes]:
        yield from content
        try:
            if drained:
                with self._time_limit(limits.DRAIN_SECONDS):
                    for _ in _chunks(stream, limits.DRAIN_BYTES):
                        pass
        except (OSError, ValueError):
            pass
        finally:
            _end(stream)


def close_gracefully(connection: socket.socket, time_limit: TimeLimit) -> None:
    """Ends the answer, and reads for 1 s: closing with unread bytes would reset the connection."""
    with suppress(OSError):
        connection.shutdown(socket.SHUT_WR)
        with time_limit(1):
            while connection.recv(_CHUNK_BYTES):
                pass


def _end(stream: Any) -> None:
    """Tells the server that no body is left to read away: the connection is closed instead."""
    if all(hasattr(stream, name) for name in INPUT_NAMES):
        stream.content_length = stream.position
        stream.chunked_input = False


def _close(environ: dict[str, Any]) -> None:
    """The answer is the last one on its connection."""
    environ.get(CLOSE, _nothing)()
    # eventlet sends the answer before the rest of the body is read away.
    environ["eventlet.minimum_write_chunk_size"] = 1


def _nothing() -> None:
    """Stands for `CLOSE` where the server's own protocol is used."""


def _chunks(stream: Any, most: int) -> Iterator[bytes]:
    while most > 0:
        chunk = stream.read(min(_CHUNK_BYTES, most))
        if not chunk:
            return
        most -= len(chunk)
        yield chunk


def _too_large() -> Problem:
    return Problem(413, "payload_too_large", "The body may have up to 1 MiB.")
