"""Posts to receivers that may be slow or hostile, or resolve to private addresses."""

import http.client
import io
import json
import socket
import ssl
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from standardwebhooks import Webhook

from dashboard.validation.strict_json import JsonObject
from dashboard.webhooks.addresses import is_public

USER_AGENT = "Lineup-Webhooks/1.0"


class Request(NamedTuple):
    """A signed body and its headers."""

    headers: dict[str, str]
    body: bytes


def signed(document: JsonObject, secrets: Sequence[str], now_ms: int) -> Request:
    """Returns the request for a document with an `id`; each secret signs it, the newest first."""
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    id, at = document["id"], datetime.fromtimestamp(now_ms // 1000, UTC)
    signatures = [Webhook(secret).sign(id, at, text) for secret in secrets]
    return Request(
        {
            "Content-Type": "application/json",
            "User-Agent": USER_AGENT,
            "webhook-id": id,
            "webhook-timestamp": str(now_ms // 1000),
            "webhook-signature": " ".join(signatures),
        },
        text.encode(),
    )


#: Limit for the whole request, from resolving the name to the last byte of the answer.
TIMEOUT_SECONDS = 15.0
#: Bytes of an answer that are read; the rest of a longer one is ignored.
ANSWER_BYTES_MAX = 16_384
ANSWER_CHARACTERS_KEPT = 1_000
#: Names that a poster looks up at once. A look-up occupies one of the 10 (gevent) or 20 threads
#: that also check passwords, and for 10 s and more if no name server answers.
LOOKUPS_MAX = 3
_PORTS = {"http": 80, "https": 443}

#: The signature of `socket.getaddrinfo`.
Resolver = Callable[..., Sequence[tuple[Any, ...]]]


class Answer(NamedTuple):
    """A receiver's answer; without one `status` is None and `error` is a code such as "timeout"."""

    status: int | None
    error: str | None
    text: str = ""
    retry_after: str | None = None

    @property
    def is_good(self) -> bool:
        return self.error is None and self.status is not None and 200 <= self.status < 300


class Poster:
    """Posts requests; with `allow_private` also to addresses outside the public internet.

    The name is resolved once, and the checked address is the one connected to, so that DNS
    rebinding has no effect. Redirects are not followed; proxies of the environment are not used.
    """

    def __init__(
        self,
        allow_private: bool,
        *,
        timeout_seconds: float = TIMEOUT_SECONDS,
        resolve: Resolver | None = None,
        tls: ssl.SSLContext | None = None,
    ):
        self._allow_private = allow_private
        self._timeout_seconds = timeout_seconds
        self._resolve = resolve
        self._lookups = threading.BoundedSemaphore(LOOKUPS_MAX)
        #: A name is looked up once at a time: a slow one leaves the other places to other names.
        self._names: defaultdict[str, threading.Semaphore] = defaultdict(threading.Semaphore)
        self._tls = tls or ssl.create_default_context()

    def post(self, url: str, request: Request) -> Answer:
        """Returns the answer or an error; never raises for a fault of the receiver or network."""
        deadline = _Deadline(time.monotonic() + self._timeout_seconds)
        try:
            with deadline:
                answer = self._answer(url, request, deadline)
            return Answer(None, "timeout") if deadline.is_over else answer
        except _NotAllowedError:
            return Answer(None, "private_address")
        except (OSError, http.client.HTTPException, ValueError) as error:
            return Answer(None, "timeout" if deadline.is_over else _error_code(error))

    def _answer(self, url: str, request: Request, deadline: "_Deadline") -> Answer:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port or _PORTS[parts.scheme]
        connection = http.client.HTTPConnection(host, port)
        connection.response_class = _Response
        connection.sock = self._connected(host, port, parts.scheme, deadline)
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        headers = request.headers | {"Host": parts.netloc, "Connection": "close"}
        try:
            connection.request("POST", path, request.body, headers)
            with connection.getresponse() as response:
                return _read(response)
        finally:
            connection.close()

    def _connected(self, host: str, port: int, scheme: str, deadline: "_Deadline") -> socket.socket:
        with _within(self._names[host], deadline), _within(self._lookups, deadline):
            # The server replaces the function when it starts.
            resolve = self._resolve or socket.getaddrinfo
            addresses = resolve(host, port, type=socket.SOCK_STREAM)
        allowed = [info for info in addresses if self._allow_private or is_public(info[4][0])]
        if addresses and not allowed:
            raise _NotAllowedError
        failure: OSError = OSError("the name has no address")
        for family, kind, protocol, _, address in allowed:
            plain = socket.socket(family, kind, protocol)
            try:
                plain.settimeout(deadline.seconds_left())
                plain.connect(address)
                deadline.watch(plain)
                return self._secured(plain, host) if scheme == "https" else plain
            except OSError as error:
                plain.close()
                failure = error
        raise failure

    def _secured(self, plain: socket.socket, host: str) -> socket.socket:
        return self._tls.wrap_socket(plain, server_hostname=host)


class _WholeLines(io.BufferedReader):
    """Refuses truncated lines: the standard library takes a truncated head for a whole one."""

    def readline(self, size: int | None = -1, /) -> bytes:
        line = super().readline(size)
        if not line.endswith(b"\n") and (size is None or size < 0 or len(line) < size):
            raise http.client.RemoteDisconnected("The answer broke off.")
        return line


class _Response(http.client.HTTPResponse):
    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.fp = _WholeLines(self.fp.detach())


class _NotAllowedError(Exception):
    """The name resolves to private addresses only."""


class _Deadline:
    """Closes the connection at a time (of `time.monotonic`), whatever it is waiting for.

    A socket's own timeout is not enough: it starts again with every byte received.
    """

    def __init__(self, deadline: float):
        self._deadline = deadline
        self._timer: threading.Timer | None = None
        self._socket: socket.socket | None = None
        self.is_over = False

    def seconds_left(self) -> float:
        seconds = self._deadline - time.monotonic()
        if seconds <= 0:
            self.is_over = True
            raise TimeoutError
        return seconds

    def watch(self, connected: socket.socket) -> None:
        """Closes this connection when the time is over."""
        self._socket = connected.dup()
        self._timer = threading.Timer(self.seconds_left(), self._close)
        self._timer.daemon = True
        self._timer.start()

    def __enter__(self) -> "_Deadline":
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        self.is_over = self.is_over or isinstance(error, TimeoutError)
        if self._timer is not None:
            self._timer.cancel()
        if self._socket is not None:
            self._socket.close()

    def _close(self) -> None:
        self.is_over = True
        if self._socket is not None:
            try:
                self._socket.shutdown(socket.SHUT_RDWR)
            except OSError:
                return


@contextmanager
def _within(places: threading.Semaphore, deadline: _Deadline) -> Iterator[None]:
    """Takes one of the places. Raises TimeoutError if none is free in time."""
    if not places.acquire(timeout=deadline.seconds_left()):
        raise TimeoutError
    try:
        yield
    finally:
        places.release()


def _read(response: http.client.HTTPResponse) -> Answer:
    """Reads the answer up to the limits above. Raises HTTPException if it breaks off."""
    body = response.read(ANSWER_BYTES_MAX)
    if response.length and len(body) < ANSWER_BYTES_MAX:
        raise http.client.IncompleteRead(body, response.length)
    text = body.decode("utf-8", "replace").replace("\x00", "\N{REPLACEMENT CHARACTER}")
    return Answer(
        response.status, None, text[:ANSWER_CHARACTERS_KEPT], response.headers.get("Retry-After")
    )


def _error_code(error: Exception) -> str:
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
