"""The body of an upload, read by the application piece by piece, within limits of time."""

import time
from collections.abc import Callable, Iterable
from typing import Any

from dashboard.errors import Problem
from dashboard.web.http import limits
from dashboard.web.http.files.requests import UPLOAD_SECONDS


class UploadStream:
    """Takes the place of `wsgi.input`; `length` is None for a chunked body.

    `read` raises Problem: 408 where the body takes too long, 400 where it breaks off.
    """

    def __init__(
        self,
        stream: Any,
        length: int | None,
        time_limit: Callable[[float], Any],
        monotonic: Callable[[], float] = time.monotonic,
    ):
        self._stream = stream
        self._left = length
        self._time_limit = time_limit
        self._monotonic = monotonic
        self._until = monotonic() + UPLOAD_SECONDS
        self.is_at_end = False

    def read(self, size: int = -1) -> bytes:
        """Up to `size` bytes; none at the end of the body."""
        if self.is_at_end:
            return b""
        most = size if self._left is None else min(size, self._left)
        data = self._read(most) if most else b""
        if self._left is not None:
            self._left -= len(data)
        if not data and self._left:
            raise _broken_off()
        self.is_at_end = not data or self._left == 0
        return data

    def _read(self, size: int) -> bytes:
        seconds = min(self._until - self._monotonic(), limits.REQUEST_SECONDS)
        if seconds <= 0:
            raise limits.request_timeout()
        try:
            with self._time_limit(seconds):
                data: bytes = self._stream.read(size)
                return data
        except TimeoutError:
            raise limits.request_timeout() from None
        except (OSError, ValueError):
            raise _broken_off() from None


def starting(upload: UploadStream, start_response: Callable, close: Callable) -> Callable:
    """A `start_response` that calls `close` where the answer comes before the end of the body."""

    def start(status: str, headers: Iterable[tuple[str, str]], *error: Any) -> Any:
        if not upload.is_at_end:
            close()
        return start_response(status, headers, *error)

    return start


def _broken_off() -> Problem:
    return Problem(400, "bad_request", "The body of the request broke off.")
