"""Calls the bot API as a chatbot does: over one connection, repeated until it is answered."""

import http.client
import json
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any
from urllib.parse import urlsplit

from dashboard.errors import LineupError
from dashboard.tasks import Backoff

TIMEOUT_SECONDS = 10.0
#: Bounds of the pause before a repetition: the first, and the longest.
BACKOFF_SECONDS = (0.1, 5.0)
RETRY_AFTER_MAX_SECONDS = 60.0
#: Statuses after which the same call may succeed.
_TEMPORARY = frozenset({408, 429, 500, 502, 503, 504})

_CONNECTIONS = {"http": http.client.HTTPConnection, "https": http.client.HTTPSConnection}


class CallError(LineupError):
    """The server cannot be called like this: a wrong address, key or scope."""


class Stopped(LineupError):
    """`wait` was true while a call was still unanswered."""


@dataclass(frozen=True)
class Answer:
    """The status, and the JSON body (empty where there is none)."""

    status: int
    body: dict[str, Any]

    @property
    def problem(self) -> str:
        """The error as one line."""
        return f"{self.body.get('code', self.status)}: {self.body.get('detail', 'no detail')}"


class BotClient:
    """A client for `url` (the server's address) and `key`; not for several threads.

    `wait(seconds)` sleeps and gives whether to stop; `report` gets a sentence when the server
    accepts nothing, and when it is back.
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
        scheme, host, port, path = _address(url)
        self._origin = url.rstrip("/")
        self._base = path
        self._connection = _CONNECTIONS[scheme](host, port, timeout=TIMEOUT_SECONDS)
        self._headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        self._wait = wait
        self._report = report
        self._random = random
        self._is_failing = False
        self._kept = False

    def get(self, path: str) -> Answer:
        return self.call("GET", path)

    def post(self, path: str, document: Any) -> Answer:
        """Posts the document until it is answered; posting it twice must do no harm."""
        return self.call("POST", path, json.dumps(document, ensure_ascii=False).encode())

    def post_once(self, path: str, document: Any) -> bool:
        """Posts what holds only at this moment, without repetition; whether it was accepted."""
        body = json.dumps(document, ensure_ascii=False).encode()
        try:
            return self._once("POST", path, body)[0].status == 200
        except (OSError, http.client.HTTPException):
            self._connection.close()
            self._kept = False
            return False

    def call(self, method: str, path: str, body: bytes | None = None) -> Answer:
        """The first answer that is not temporary.

        Raises CallError where the key is refused, Stopped where `wait` was true meanwhile.
        """
        backoff = Backoff(*BACKOFF_SECONDS, draw=self._random.random)
        while True:
            try:
                answer, retry_after = self._once(method, path, body)
            except (OSError, http.client.HTTPException) as error:
                self._connection.close()
                if self._kept:
                    # A server ends idle connections as it likes: that is not reported.
                    self._kept = False
                    continue
                failure, retry_after = str(error) or type(error).__name__, None
            else:
                if answer.status not in _TEMPORARY:
                    return self._checked(answer)
                failure = answer.problem
            self._report_failure(failure)
            if self._wait(_seconds(retry_after) or backoff.next_seconds()):
                raise Stopped(f"{self._origin} left the last call without an answer: {failure}.")

    def close(self) -> None:
        self._connection.close()

    def _once(self, method: str, path: str, body: bytes | None) -> tuple[Answer, str | None]:
        self._connection.request(method, self._base + path, body, self._headers)
        response = self._connection.getresponse()
        answer = Answer(response.status, _object(response.read()))
        self._kept = True
        return answer, response.headers["Retry-After"]

    def _checked(self, answer: Answer) -> Answer:
        if self._is_failing:
            self._is_failing = False
            self._report(f"{self._origin} is back.")
        if answer.status == 401:
            raise CallError(f"{self._origin} does not take this key ({answer.problem}).")
        return answer

    def _report_failure(self, failure: str) -> None:
        if not self._is_failing:
            self._is_failing = True
            self._report(f"{self._origin} takes nothing now ({failure}); trying until it does.")


def _address(url: str) -> tuple[str, str, int | None, str]:
    """Scheme, host, port, and the path under which the API stands."""
    try:
        parts = urlsplit(url)
        if parts.scheme in _CONNECTIONS and parts.hostname:
            return parts.scheme, parts.hostname, parts.port, parts.path.rstrip("/")
    except ValueError:
        pass
    raise CallError(f"{url} is no address such as http://localhost:5000.")


def _object(raw: bytes) -> dict[str, Any]:
    try:
        document = json.loads(raw)
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}


def _seconds(retry_after: str | None) -> float:
    """A `Retry-After` in seconds; 0 where there is none, or where it is a date."""
    if retry_after is None or not retry_after.isdecimal():
        return 0.0
    return min(float(retry_after), RETRY_AFTER_MAX_SECONDS)
