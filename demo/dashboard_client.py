"""Uses the dashboard as an admin's browser does: HTTP with a session's cookie, and one socket."""

import http.client
import json
from typing import Any
from urllib.parse import urlsplit

import socketio
from socketio.exceptions import SocketIOError

TIMEOUT_SECONDS = 5.0
NAMESPACE = "/admin"
#: The answer to every `presence:ping`: the window is visible and used.
_REPORT = {"visible": True, "idle_ms": 0}


class DashboardError(Exception):
    """A call was not answered, or refused; `code` is the problem's."""

    def __init__(self, code: str):
        super().__init__(code)
        self.code = code


class DashboardClient:
    """One window of an admin, visible and used. Every method but `close` raises DashboardError.

    `origin` is one that the server takes for its own; `device` names the admin's browser.
    """

    def __init__(self, url: str, origin: str, cookie: str, device: str):
        parts = urlsplit(url)
        self._url = url
        self._connection = http.client.HTTPConnection(
            parts.hostname or "", parts.port, timeout=TIMEOUT_SECONDS
        )
        self._origin = {"host": urlsplit(origin).netloc, "origin": origin}
        self._cookie = cookie
        self._device = {"device": device, "type": "web"}
        self._socket = self._new_socket()

    def request(self, method: str, path: str, document: Any = None) -> dict[str, Any]:
        """The body of a 2xx answer of the dashboard's API; `path` is below /admin/api/."""
        body = None if document is None else json.dumps(document, ensure_ascii=False).encode()
        headers = self._origin | {"Cookie": self._cookie, "Content-Type": "application/json"}
        try:
            self._connection.request(method, f"/admin/api/{path}", body, headers)
            response = self._connection.getresponse()
            answer = json.loads(response.read() or b"{}")
        except (OSError, http.client.HTTPException, ValueError) as error:
            self._connection.close()
            raise DashboardError("network") from error
        if response.status >= 300:
            raise DashboardError(answer.get("code", str(response.status)))
        return answer

    def connect(self) -> None:
        """Opens the socket and joins; the admin is online from then on."""
        self.close()
        self._socket = self._new_socket()
        try:
            self._socket.connect(
                self._url,
                headers={"Cookie": self._cookie},
                auth=self._device,
                transports=["websocket"],
                namespaces=[NAMESPACE],
                wait_timeout=TIMEOUT_SECONDS,
            )
        except SocketIOError as error:
            raise DashboardError("network") from error

    def call(self, name: str, data: dict[str, Any]) -> dict[str, Any]:
        """The answer to a call over the socket."""
        try:
            answer = self._socket.call(name, data, NAMESPACE, TIMEOUT_SECONDS)
        except SocketIOError as error:
            raise DashboardError("disconnected") from error
        if not answer["ok"]:
            raise DashboardError(answer["problem"]["code"])
        return dict(answer)

    def close(self) -> None:
        self._socket.shutdown()
        self._connection.close()

    def _new_socket(self) -> socketio.Client:
        """It connects again by itself, once it was connected."""
        made = socketio.Client(handle_sigint=False, websocket_extra_options=self._origin)
        made.on(
            "presence:ping",
            lambda *_: made.emit("presence:pong", _REPORT, NAMESPACE),
            namespace=NAMESPACE,
        )
        return made
