"""The demo's clients: a chatbot, which repeats its calls, and the window of an admin."""

import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from random import Random
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import requests
import socketio
from requests import Response, Session
from socketio.exceptions import SocketIOError

from dashboard.errors import LineupError
from dashboard.tasks import Backoff

TIMEOUT_SECONDS = 10.0
#: Bounds of the pause before a repetition: the first, and the longest.
BACKOFF_SECONDS = (0.1, 5.0)
RETRY_AFTER_MAX_SECONDS = 60.0
NAMESPACE = "/admin"
#: Statuses after which the same call may succeed.
_TEMPORARY = frozenset({408, 429, 500, 502, 503, 504})
#: The answer to a `presence:ping`: the window is visible and used.
REPORT = {"visible": True, "idle_ms": 0}
#: A window that nobody used for so long answers no more, so that its admin is not "active now".
UNUSED_SECONDS = 120.0


class CallError(LineupError):
    """The server cannot be called like this: a wrong address, key or scope."""


class Stopped(LineupError):
    """`wait` was true while a call was still unanswered."""


class DashboardError(Exception):
    """A call was not answered, or refused; `code` is the problem's."""

    def __init__(self, code: str):
        super().__init__(code)
        self.code = code


class Answer(NamedTuple):
    """The status, and the JSON body, which is empty if there is none."""

    status: int
    body: dict[str, Any]

    @property
    def problem(self) -> str:
        """The error as one line."""
        return f"{self.body.get('code', self.status)}: {self.body.get('detail', 'no detail')}"


class BotClient:
    """A client for `url` (the server's address) and `key`; not for several threads.

    `wait(seconds)` sleeps and returns whether to stop; `report` gets a sentence when the server
    accepts nothing, and when it is back. Raises CallError for a wrong address.
    """

    def __init__(
        self,
        url: str,
        key: str,
        *,
        wait: Callable[[float], bool],
        report: Callable[[str], None],
        random: Random,
    ):
        if not _is_address(url):
            raise CallError(f"{url} is not an address such as http://localhost:5000.")
        self._origin = url.rstrip("/")
        self._session = _session({"Authorization": f"Bearer {key}"})
        self._wait = wait
        self._report = report
        self._random = random
        self._is_failing = False

    def get(self, path: str) -> Answer:
        return self._call("GET", path)

    def post(self, path: str, document: Any) -> Answer:
        """Posts the document until it is answered; posting it twice must do no harm."""
        return self._call("POST", path, document)

    def post_once(self, path: str, document: Any) -> bool:
        """Posts once a document that holds only now; returns whether it was accepted."""
        try:
            return _called(self._session, "POST", self._origin + path, document).status_code == 200
        except requests.RequestException:
            return False

    def close(self) -> None:
        self._session.close()

    def _call(self, method: str, path: str, document: Any = None) -> Answer:
        """Returns the first answer that is not temporary.

        Raises CallError if the key is refused, Stopped if `wait` was true meanwhile.
        """
        backoff = Backoff(*BACKOFF_SECONDS, draw=self._random.random)
        while True:
            seconds = 0.0
            try:
                response = _called(self._session, method, self._origin + path, document)
            except requests.RequestException as error:
                failure = type(error).__name__
            else:
                answer = Answer(response.status_code, _object(response))
                if answer.status not in _TEMPORARY:
                    return self._checked(answer)
                failure, seconds = answer.problem, _retry_after(response)
            if not self._is_failing:
                self._report(f"{self._origin} takes nothing now ({failure}); trying until it does.")
            self._is_failing = True
            if self._wait(seconds or backoff.next_seconds()):
                raise Stopped(f"{self._origin} left the last call without an answer: {failure}.")

    def _checked(self, answer: Answer) -> Answer:
        if self._is_failing:
            self._report(f"{self._origin} is back.")
        self._is_failing = False
        if answer.status == 401:
            raise CallError(f"{self._origin} does not take this key ({answer.problem}).")
        return answer


class DashboardClient:
    """One window of an admin, visible and used. Every method but `close` raises DashboardError.

    `origin` is one that the server takes for its own; `new_cookie` begins a session and returns its
    `Cookie` header; `device` names the admin's browser.
    """

    def __init__(self, url: str, origin: str, new_cookie: Callable[[], str], device: str):
        self._url = url
        self._new_cookie = new_cookie
        self._origin = {"host": urlsplit(origin).netloc, "origin": origin}
        self._device = {"device": device, "type": "web"}
        self._session = _session({})
        self._socket: socketio.Client | None = None
        self._used_at = 0.0

    def request(self, method: str, path: str, document: Any = None) -> dict[str, Any]:
        """Returns the body of a 2xx answer of the dashboard's API; `path` is below /admin/api/."""
        url = f"{self._url}/admin/api/{path}"
        try:
            response = _called(self._session, method, url, document)
        except requests.RequestException as error:
            raise DashboardError("network") from error
        answer = _object(response)
        if response.status_code >= 300:
            raise DashboardError(answer.get("code", str(response.status_code)))
        return answer

    def connect(self) -> None:
        """Opens the socket in a new session and joins; the admin is online from then on."""
        self.close()
        cookie = {"Cookie": self._new_cookie()}
        self._session = _session(self._origin | cookie)
        self._socket = self._new_socket()
        try:
            self._socket.connect(
                self._url,
                headers=cookie,
                auth=self._device,
                transports=["websocket"],
                namespaces=[NAMESPACE],
                wait_timeout=TIMEOUT_SECONDS,
            )
        except (SocketIOError, OSError, ValueError) as error:
            raise DashboardError("network") from error

    def call(self, name: str, data: dict[str, Any]) -> dict[str, Any]:
        """Returns the answer to a call over the socket."""
        if self._socket is None:
            raise DashboardError("disconnected")
        self._used_at = time.monotonic()
        try:
            answer = self._socket.call(name, data, NAMESPACE, TIMEOUT_SECONDS)
        except (SocketIOError, OSError, ValueError) as error:
            raise DashboardError("disconnected") from error
        if not isinstance(answer, dict):
            raise DashboardError("no_answer")
        if not answer["ok"]:
            raise DashboardError(answer["problem"]["code"])
        return answer

    def close(self) -> None:
        """Closes the window, without waiting for the server."""
        socket, self._socket = self._socket, None
        if socket is not None:
            # The library waits for its own threads: as long as a minute, if the server is stalled.
            threading.Thread(target=_end, args=(socket,), daemon=True).start()
        self._session.close()

    def _new_socket(self) -> socketio.Client:
        # The owner connects again, in a new session. The library would do so beside it, and the
        # admin would be online by a socket that nobody uses.
        socket = socketio.Client(
            reconnection=False, handle_sigint=False, websocket_extra_options=self._origin
        )
        pong = ("presence:pong", REPORT, NAMESPACE)

        def answer(*_: object) -> None:
            if time.monotonic() - self._used_at < UNUSED_SECONDS:
                with suppress(SocketIOError):
                    socket.emit(*pong)

        socket.on("presence:ping", answer, namespace=NAMESPACE)
        self._used_at = time.monotonic()
        return socket


def _end(socket: socketio.Client) -> None:
    with suppress(Exception):
        socket.disconnect()


def _session(headers: Mapping[str, str]) -> Session:
    session = Session()
    session.trust_env = False
    session.headers.update(headers)
    return session


def _called(session: Session, method: str, url: str, document: Any) -> Response:
    try:
        return session.request(method, url, json=document, timeout=TIMEOUT_SECONDS)
    except requests.ConnectionError:
        # A server ends idle connections as it likes: it is called again at once, once.
        return session.request(method, url, json=document, timeout=TIMEOUT_SECONDS)


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _object(response: Response) -> dict[str, Any]:
    try:
        document = response.json()
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}


def _retry_after(response: Response) -> float:
    """Returns `Retry-After` in seconds; 0 if there is none, or a date."""
    text = response.headers.get("Retry-After", "")
    return min(float(text), RETRY_AFTER_MAX_SECONDS) if text.isdecimal() else 0.0
