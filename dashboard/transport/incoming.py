"""What a WebSocket's client sends, as bytes and as the messages of small frames.

Most of it is acknowledgements. Those are handled by whoever tells that there is input: the green
thread of the connection, which is woken for all else, need not run.
"""

import threading
import time
from collections.abc import Callable
from typing import Any

from dashboard.transport.received_frames import FrameBoundaries, small_text
from dashboard.turns import Pace
from dashboard.wsgi_keys import RECEIVE_NOW, SOCKET, WAIT_READABLE, WATCH

#: Seconds without a byte received after which a connection is closed; more than the interval of
#: the server's pings and the time for an answer to one.
IDLE_SECONDS = 45
_RECEIVE_BYTES = 16 * 1024
#: Of more than this at once nothing is handled before the connection's own thread runs, which
#: takes turns with the others.
_HANDLED_BYTES_MAX = 512


class Incoming:
    """Read by the connection's own thread: `next_text`, then `rest`, then `receive`, and again."""

    def __init__(self, environ: dict[str, Any], pace: Pace, handles: Callable[[str], bool]):
        """`handles` says of a message whether it is handled now; if so, it is not returned."""
        self._pace = pace
        self._handles = handles
        self._receive_now: Callable[[int], bytes] = environ[RECEIVE_NOW]
        self._wait_readable: Callable[[int, float], object] = environ[WAIT_READABLE]
        self._descriptor: int = environ[SOCKET].fileno()
        self._boundaries = FrameBoundaries()
        self._unread, self._at = b"", 0
        #: False where all that has come is read.
        self._may_have_more = True
        self._is_waiting = False
        self._woken = threading.Lock()
        self._woken.acquire()
        self._received_at = time.monotonic()
        watch: Callable[..., Callable[[], None]] | None = environ.get(WATCH)
        self._unwatch = watch(self._descriptor, self._on_readable) if watch else None

    def close(self) -> None:
        """Before the connection is closed."""
        if self._unwatch is not None:
            self._unwatch()

    def next_text(self) -> str | None:
        """The next message that is not handled, if a small frame holds it."""
        while (text := self._next_small_text()) is not None:
            self._pace.step()
            if not self._handles(text):
                return text
        return None

    def rest(self) -> bytes:
        """What has come and is no small frame, for the parser of the protocol."""
        rest = self._unread[self._at :]
        self._unread, self._at = b"", 0
        self._boundaries.follow(rest)
        return rest

    def receive(self) -> bool:
        """Waits until more has come; False at the end of it. Raises OSError."""
        while self._at == len(self._unread):
            try:
                data = self._read_now()
            except BlockingIOError:
                self._pace.pay()
                self._wait()
                self._pace.waited()
                continue
            self._pace.long_step()
            if not data:
                return False
            self._take(data)
        return True

    def _read_now(self) -> bytes:
        """Raises BlockingIOError where nothing has come."""
        if not self._may_have_more:
            raise BlockingIOError
        # Whoever tells of input sets it again.
        self._may_have_more = self._unwatch is None
        return self._receive_now(_RECEIVE_BYTES)

    def _take(self, data: bytes) -> None:
        self._unread, self._at = data, 0
        if len(data) == _RECEIVE_BYTES:
            self._may_have_more = True
        self._received_at = time.monotonic()

    def _next_small_text(self) -> str | None:
        if self._at == len(self._unread) or not self._boundaries.is_between_messages:
            return None
        found = small_text(self._unread, self._at)
        if found is None:
            return None
        self._at = found.end
        return found.text

    def _wait(self) -> None:
        """Until there is something to read. Raises OSError."""
        if self._unwatch is None:
            self._wait_readable(self._descriptor, IDLE_SECONDS)
            return
        # While others had their turn, input may have come.
        self._is_waiting = not self._may_have_more
        try:
            while self._is_waiting:
                left = self._received_at + IDLE_SECONDS - time.monotonic()
                if left <= 0:
                    raise TimeoutError("the client sends nothing")
                self._woken.acquire(timeout=left)
        finally:
            self._is_waiting = False

    def _on_readable(self) -> bool:
        """Handles what has come; wakes the connection's thread if it waits for the rest. Whether
        there is none."""
        if not self._is_waiting:
            self._may_have_more = True
        elif not self._handle_all():
            self._is_waiting = False
            self._woken.release()
        else:
            return True
        return False

    def _handle_all(self) -> bool:
        """Reads what has come; whether all of it is handled, and the budget not overdrawn."""
        self._pace.waited()
        try:
            data = self._receive_now(_RECEIVE_BYTES)
        except BlockingIOError:
            return True
        except OSError:
            data = b""
        if not data:
            # The thread reads the end, or the error, by itself.
            self._may_have_more = True
            return False
        self._take(data)
        if len(data) > _HANDLED_BYTES_MAX:
            return False
        handled = 0
        while (text := self._next_small_text()) is not None and self._handles(text):
            handled = self._at
        self._at = handled
        return handled == len(data) and not self._pace.is_overdrawn()
