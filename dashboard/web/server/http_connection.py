"""HTTP/1.1 over one connection: reads each request, gives it to the application, and answers it.

The same under eventlet and gevent. An unreadable request is refused as a problem (RFC 9457), and
the connection is closed: later requests on it are not answered.
"""

import logging
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from email.utils import formatdate
from functools import lru_cache
from io import BytesIO
from typing import Any
from urllib.parse import unquote
from wsgiref.types import WSGIEnvironment

from dashboard.errors import InternalError, Problem
from dashboard.turns import turns
from dashboard.web.http import bodies
from dashboard.web.http.files import UPLOAD_SECONDS, is_upload
from dashboard.web.http.problems import json_problem
from dashboard.web.server.connections import Connection
from dashboard.web.server.gate import SOCKET_PATH
from dashboard.web.server.request_reader import BodyReader, RequestHead
from dashboard.web.server.state import ServerState
from dashboard.wsgi_keys import RECEIVE_NOW, SEND_NOW, SOCKET, TAKE_OVER, TARGET

log = logging.getLogger(__name__)

Headers = list[tuple[str, str]]

#: Bytes of an answer that are written before other connections get a turn.
PIECE_BYTES = 64 * 1024
#: Smaller pieces of an answer are written together.
_GATHERED_BYTES = 16 * 1024
_BODILESS = frozenset({"204", "304"})


class HttpServer:
    """The parts shared by all connections of a process. `environ`: keys for the kind of threads."""

    def __init__(
        self,
        app: Callable,
        address: Any,
        state: ServerState,
        keepalive_seconds: float,
        environ: WSGIEnvironment,
    ):
        self.app = app
        self.state = state
        self.keepalive_seconds = keepalive_seconds
        self.environ = environ | {
            "SCRIPT_NAME": "",
            "SERVER_NAME": str(address[0]),
            "SERVER_PORT": str(address[1]),
            "wsgi.version": (1, 0),
            "wsgi.url_scheme": "http",
            "wsgi.errors": sys.stderr,
            "wsgi.input_terminated": True,
            "wsgi.multithread": True,
            "wsgi.multiprocess": False,
            "wsgi.run_once": False,
        }

    def serve(self, connection: Connection) -> None:
        """Answers the requests of a connection until either side ends it."""
        HttpConnection(self, connection).run()


class HttpConnection:
    """Answers the requests of one connection, one after the other."""

    def __init__(self, server: HttpServer, connection: Connection):
        self._server = server
        self._connection = connection
        raw, address = connection.raw, connection.address
        self._environ = server.environ | {
            "REMOTE_ADDR": str(address[0]) if isinstance(address, tuple) else "",
            "REMOTE_PORT": str(address[1]) if isinstance(address, tuple) else "",
            SOCKET: connection.green,
            SEND_NOW: raw.send,
            RECEIVE_NOW: raw.recv,
            TAKE_OVER: self._hand_over,
        }

    def run(self) -> None:
        """Answers requests until the connection ends. Raises OSError if it broke off."""
        connection = self._connection
        while self._serve_next():
            connection.end_request()
        if not connection.is_taken and connection.has_more():
            connection.drain()

    def _serve_next(self) -> bool:
        """Answers a request; returns whether another one may follow."""
        try:
            if not self._connection.wait_for_request(self._server.keepalive_seconds):
                return False
            head = self._connection.reader.head()
            environ = self._environ | _environ_of(head)
            body = self._body_of(head, environ)
        except TimeoutError:
            return self._refuse(bodies.request_timeout())
        except Problem as problem:
            return self._refuse(problem)
        self._connection.begin_request()
        if self._server.state.is_stopping and _is_socket(environ):
            return self._refuse(_stopping())
        return self._answer(head, body, environ)

    def _body_of(self, head: RequestHead, environ: WSGIEnvironment) -> BodyReader:
        """Reads the whole body for the application; an upload is read by the application itself."""
        most = None if is_upload(environ) else bodies.BODY_BYTES
        body = BodyReader(self._connection.reader, head, most, self._continue)
        if most is None:
            environ["wsgi.input"] = Upload(self._connection, body)
        elif head.has_body:
            self._connection.read_within(bodies.REQUEST_SECONDS)
            content = body.whole()
            environ["wsgi.input"] = BytesIO(content)
            environ["CONTENT_LENGTH"] = str(len(content))
        else:
            environ["wsgi.input"] = BytesIO()
        return body

    def _answer(self, head: RequestHead, body: BodyReader, environ: WSGIEnvironment) -> bool:
        """Runs the application; returns whether the connection goes on."""
        answer = Answer(self._connection, head, body, self._server)
        content: Iterable[bytes] = ()
        try:
            with self._work(environ):
                content = self._server.app(environ, answer.start)
                if self._connection.is_taken:
                    return False
                answer.send(content)
        except OSError:
            raise
        except Exception:
            log.exception("%s failed outside of the application", head.method)
            if answer.is_begun:
                return False
            return self._refuse(InternalError())
        finally:
            if hasattr(content, "close"):
                content.close()
        if not body.is_at_end:
            self._connection.drain(bodies.DRAIN_BODY_SECONDS)
        return answer.is_kept and body.is_at_end

    def _work(self, environ: WSGIEnvironment) -> AbstractContextManager[None]:
        """Wraps the work on an answer: callers who are behind wait meanwhile."""
        if _is_socket(environ):
            # A socket stays open: each of its calls is work by itself.
            return nullcontext()
        credential = environ.get("HTTP_AUTHORIZATION") or environ.get("HTTP_COOKIE")
        return turns.working(credential=credential)

    def _refuse(self, problem: Problem) -> bool:
        """Answers with a problem, as the last answer on the connection."""
        self._connection.write(refusal(problem))
        is_large = problem.status == 413
        self._connection.drain(bodies.DRAIN_BODY_SECONDS if is_large else bodies.DRAIN_SECONDS)
        return False

    def _continue(self) -> None:
        self._connection.write(b"HTTP/1.1 100 Continue\r\n\r\n")

    def _hand_over(self) -> None:
        self._connection.is_taken = True


class Upload:
    """The `wsgi.input` of an upload: reads its body while it arrives, within limits of time."""

    def __init__(
        self,
        connection: Connection,
        body: BodyReader,
        monotonic: Callable[[], float] = time.monotonic,
    ):
        self._connection = connection
        self._body = body
        self._monotonic = monotonic
        self._until = monotonic() + UPLOAD_SECONDS

    def read(self, size: int = PIECE_BYTES) -> bytes:
        """Returns up to `size` bytes; none at the end. Raises Problem: 400, 408, 431."""
        seconds = self._until - self._monotonic()
        self._connection.read_within(min(seconds, bodies.REQUEST_SECONDS))
        try:
            return self._body.read(size)
        except TimeoutError:
            raise bodies.request_timeout() from None


class Answer:
    """Writes the answer to one request: `start` is WSGI's `start_response`."""

    def __init__(
        self, connection: Connection, head: RequestHead, body: BodyReader, server: HttpServer
    ):
        self._connection = connection
        self._head = head
        self._body = body
        self._server = server
        self._status = ""
        self._headers: Headers = []
        #: Bytes of the content according to a header; None without one.
        self._length: int | None = None
        self._is_chunked = False
        self._takes_content = True
        self._gathered: list[bytes] = []
        self._gathered_bytes = self._content_bytes = self._bytes_of_turn = 0
        #: Whether a part of the answer may have been written.
        self.is_begun = False
        #: Whether another request may follow.
        self.is_kept = True

    def start(self, status: str, headers: Headers, *error: Any) -> Callable[[bytes], None]:
        """Sets status and headers; they are written with the first piece of content."""
        if error and error[0] and self.is_begun:
            raise error[0][1]
        self._status, self._headers = status, list(headers)
        return self._write

    def send(self, content: Iterable[bytes]) -> None:
        """Writes the whole answer. Raises OSError if the client is gone."""
        length = sum(map(len, content)) if isinstance(content, list | tuple) else None
        for data in content:
            if data:
                self._write(data, length)
        if not self._gathered and not self.is_begun:
            self._gather(self._first_bytes(length))
        if self._is_chunked:
            self._gather(b"0\r\n\r\n")
        self._flush()
        if self._takes_content and self._length not in (None, self._content_bytes):
            self.is_kept = False

    def _write(self, data: bytes, length: int | None = None) -> None:
        if not self._gathered and not self.is_begun:
            self._gather(self._first_bytes(length))
        if not self._takes_content:
            return
        self._content_bytes += len(data)
        if self._is_chunked:
            data = b"%x\r\n%b\r\n" % (len(data), data)
        self._gather(data)
        if self._gathered_bytes >= _GATHERED_BYTES:
            self._flush()

    def _gather(self, data: bytes) -> None:
        self._gathered.append(data)
        self._gathered_bytes += len(data)

    def _flush(self) -> None:
        """Writes the gathered pieces; after each large piece other connections get a turn."""
        data = memoryview(b"".join(self._gathered))
        self._gathered.clear()
        self._gathered_bytes = 0
        self.is_begun = True
        for at in range(0, len(data), PIECE_BYTES):
            piece = data[at : at + PIECE_BYTES]
            self._connection.write(piece)
            self._bytes_of_turn += len(piece)
            if self._bytes_of_turn >= PIECE_BYTES:
                self._bytes_of_turn = 0
                turns.give()

    def _first_bytes(self, length: int | None) -> bytes:
        """Returns the status line and the headers. `length` is the content's, if known."""
        if not self._status:
            raise RuntimeError("the application has not started its answer")
        head, headers = self._head, self._headers
        names = {name.lower(): value for name, value in headers}
        is_last = names.get("connection", "").lower() == "close" or self._server.state.is_stopping
        self.is_kept = head.is_kept and self._body.is_at_end and not is_last
        self._takes_content = head.method != "HEAD" and self._status[:3] not in _BODILESS
        if "content-length" in names:
            self._length = int(names["content-length"])
        elif self._takes_content and length is not None:
            self._length = length
            headers.append(("Content-Length", str(length)))
        elif self._takes_content and head.version == "HTTP/1.1":
            self._is_chunked = True
            headers.append(("Transfer-Encoding", "chunked"))
        elif self._takes_content:
            self.is_kept = False
        if "date" not in names:
            headers.append(("Date", _date(int(time.time()))))
        headers += self._connection_headers(names)
        return first_bytes(self._status, headers)

    def _connection_headers(self, names: dict[str, str]) -> Headers:
        if not self.is_kept:
            return [] if "connection" in names else [("Connection", "close")]
        if "keep-alive" not in self._head.headers.get("connection", "").lower():
            return []
        # A client that knows the time sends no request at the moment of its end.
        seconds = int(self._server.keepalive_seconds)
        return [("Connection", "keep-alive"), ("Keep-Alive", f"timeout={seconds}")]


def refusal(problem: Problem) -> bytes:
    """Returns the whole answer to a request that the server refuses; the connection ends."""
    answer = json_problem(problem)
    date = _date(int(time.time()))
    headers = [*answer.headers.items(), ("Date", date), ("Connection", "close")]
    return first_bytes(answer.status, headers) + answer.data


def first_bytes(status: str, headers: Headers) -> bytes:
    """Returns a status line and headers. Raises ValueError for a line break within one."""
    lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in headers), "", ""]
    text = "\r\n".join(lines)
    if text.count("\n") != len(lines) - 1 or text.count("\r") != len(lines) - 1:
        raise ValueError("a header of an answer holds the end of a line")
    return text.encode("latin-1")


@lru_cache(maxsize=1)
def _date(seconds: int) -> str:
    return formatdate(seconds, usegmt=True)


@lru_cache(maxsize=500)
def _key_of(name: str) -> str | None:
    """Returns a header's key in the environ; None if it could be taken for another header."""
    return None if "_" in name else f"HTTP_{name.upper().replace('-', '_')}"


def _environ_of(head: RequestHead) -> WSGIEnvironment:
    """Returns the environ of a request (PEP 3333)."""
    path, _, query = head.target.partition("?")
    environ: WSGIEnvironment = {
        "REQUEST_METHOD": head.method,
        "PATH_INFO": unquote(path, "latin-1") if "%" in path else path,
        "QUERY_STRING": query,
        "SERVER_PROTOCOL": head.version,
        TARGET: head.target,
    }
    for name, value in head.headers.items():
        if key := _key_of(name):
            environ[key] = value
    if "HTTP_CONTENT_TYPE" in environ:
        environ["CONTENT_TYPE"] = environ.pop("HTTP_CONTENT_TYPE")
    if "HTTP_CONTENT_LENGTH" in environ:
        environ["CONTENT_LENGTH"] = environ.pop("HTTP_CONTENT_LENGTH")
    environ.pop("HTTP_TRANSFER_ENCODING", None)
    return environ


def _is_socket(environ: WSGIEnvironment) -> bool:
    """Whether a socket is asked for. Other programs name other upgrades in any request."""
    return "HTTP_UPGRADE" in environ and environ["PATH_INFO"] == SOCKET_PATH


def _stopping() -> Problem:
    return Problem(503, "overloaded", "The server stops.", headers={"Retry-After": "1"})
