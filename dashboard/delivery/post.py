"""Posts to receivers that may be slow, hostile, or not what their name says."""

import http.client
import io
import socket
import ssl
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from dashboard.delivery.addresses import is_public
from dashboard.delivery.request import Request

#: From the look-up of the name to the last byte of the answer.
TIMEOUT_SECONDS = 15.0
#: Of longer answers the rest is not read.
ANSWER_BYTES_MAX = 16_384
ANSWER_CHARACTERS_KEPT = 1_000
_PORTS = {"http": 80, "https": 443}

#: As `socket.getaddrinfo`.
Resolver = Callable[..., Sequence[tuple[Any, ...]]]


class Answer(NamedTuple):
    """What a receiver answered; without a status, `error` says in a word what went wrong."""

    status: int | None
    error: str | None
    text: str = ""
    retry_after: str | None = None

    @property
    def is_good(self) -> bool:
        return self.error is None and self.status is not None and 200 <= self.status < 300


class Poster:
    """Makes requests; `allow_private` also to addresses that are not of the public internet.

    The address is checked that is connected to, not one that the name once had. Redirects are
    answers like others, and proxies of the environment are not used.
    """

    def __init__(
        self,
        allow_private: bool,
        *,
        timeout_seconds: float = TIMEOUT_SECONDS,
        resolve: Resolver = socket.getaddrinfo,
        tls: ssl.SSLContext | None = None,
    ):
        self._allow_private = allow_private
        self._timeout_seconds = timeout_seconds
        self._resolve = resolve
        self._tls = tls or ssl.create_default_context()

    def post(self, url: str, request: Request) -> Answer:
        """Posts, and gives the answer or what went wrong; never raises for what others do."""
        line = _Line(time.monotonic() + self._timeout_seconds)
        try:
            with line:
                answer = self._answer(url, request, line)
            return Answer(None, "timeout") if line.is_over else answer
        except _NotAllowedError:
            return Answer(None, "private_address")
        except (OSError, http.client.HTTPException, ValueError) as error:
            return Answer(None, "timeout" if line.is_over else _word(error))

    def _answer(self, url: str, request: Request, line: "_Line") -> Answer:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port or _PORTS[parts.scheme]
        connection = http.client.HTTPConnection(host, port)
        connection.response_class = _Response
        connection.sock = self._connected(host, port, parts.scheme, line)
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        headers = request.headers | {"Host": parts.netloc, "Connection": "close"}
        try:
            connection.request("POST", path, request.body, headers)
            with connection.getresponse() as response:
                return _read(response)
        finally:
            connection.close()

    def _connected(self, host: str, port: int, scheme: str, line: "_Line") -> socket.socket:
        found = self._resolve(host, port, type=socket.SOCK_STREAM)
        allowed = [each for each in found if self._allow_private or is_public(each[4][0])]
        if found and not allowed:
            raise _NotAllowedError
        failure: OSError = OSError("the name has no address")
        for family, kind, protocol, _, address in allowed:
            plain = socket.socket(family, kind, protocol)
            try:
                plain.settimeout(line.seconds_left())
                plain.connect(address)
                line.hold(plain)
                return self._secured(plain, host) if scheme == "https" else plain
            except OSError as error:
                plain.close()
                failure = error
        raise failure

    def _secured(self, plain: socket.socket, host: str) -> socket.socket:
        return self._tls.wrap_socket(plain, server_hostname=host)


class _WholeLines(io.BufferedReader):
    """Lines that end: the standard library takes a head that breaks off for a whole one."""

    def readline(self, size: int | None = -1, /) -> bytes:
        line = super().readline(size)
        if not line.endswith(b"\n") and (size is None or size < 0 or len(line) < size):
            raise http.client.RemoteDisconnected("The answer broke off.")
        return line


class _Response(http.client.HTTPResponse):
    def __init__(self, *given: Any, **more: Any):
        super().__init__(*given, **more)
        self.fp = _WholeLines(self.fp.detach())


class _NotAllowedError(Exception):
    """All addresses of the name are private ones."""


class _Line:
    """Cuts the connection when the time is over, whatever is waited for at that moment.

    A socket's own timeout begins anew with every byte that drips in.
    """

    def __init__(self, deadline: float):
        self._deadline = deadline
        self._cutter: threading.Timer | None = None
        self._held: socket.socket | None = None
        self.is_over = False

    def seconds_left(self) -> float:
        left = self._deadline - time.monotonic()
        if left <= 0:
            self.is_over = True
            raise TimeoutError
        return left

    def hold(self, connected: socket.socket) -> None:
        """From now on the connection ends with the time."""
        self._held = connected.dup()
        self._cutter = threading.Timer(self.seconds_left(), self._cut)
        self._cutter.daemon = True
        self._cutter.start()

    def __enter__(self) -> "_Line":
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        self.is_over = self.is_over or isinstance(error, TimeoutError)
        if self._cutter is not None:
            self._cutter.cancel()
        if self._held is not None:
            self._held.close()

    def _cut(self) -> None:
        self.is_over = True
        if self._held is not None:
            try:
                self._held.shutdown(socket.SHUT_RDWR)
            except OSError:
                return


def _read(response: http.client.HTTPResponse) -> Answer:
    """The answer, as far as it is kept. Raises HTTPException where it ends too early."""
    body = response.read(ANSWER_BYTES_MAX)
    if response.length and len(body) < ANSWER_BYTES_MAX:
        raise http.client.IncompleteRead(body, response.length)
    text = body.decode("utf-8", "replace").replace("\x00", "\N{REPLACEMENT CHARACTER}")
    return Answer(
        response.status, None, text[:ANSWER_CHARACTERS_KEPT], response.headers.get("Retry-After")
    )


def _word(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "timeout"
    if isinstance(error, ssl.SSLError):
        return "tls_failed"
    if isinstance(error, socket.gaierror):
        return "name_not_found"
    if isinstance(error, ConnectionRefusedError):
        return "connection_refused"
    if isinstance(error, http.client.HTTPException | ConnectionError):
        return "connection_lost"
    return "not_reached"
