"""The connections of a web process: how each reads its input, and which of them are idle."""

import errno
import io
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from dashboard.turns import Budgets, Pace
from dashboard.web.http import limits

#: Bytes of one read: as chunks of one byte each, this many take some ms to parse.
_BUFFER_BYTES = 8 * 1024
#: So few bytes are a drip, unless they end a request. After some, input is waited for a while, so
#: that a request in pieces of a byte costs less than it does to send them.
_DRIP_BYTES = 32
_DRIPS_MAX = 16
_DRIP_SECONDS = 0.25
_PEER_IS_GONE = frozenset({errno.ECONNRESET, errno.ENOTCONN, errno.ESHUTDOWN, errno.EBADF})

#: Requests that come before the answer to the one before count against their sender's address.
_budgets = Budgets()


class Connection:
    """An accepted connection. `raw` is the socket under the green one `green`."""

    def __init__(
        self, green: Any, raw: socket.socket, address: Any, give_turn: Callable[[], object]
    ):
        self.green = green
        self.raw = raw
        self.address = address
        self.give_turn = give_turn
        #: Whether no request is being read or answered.
        self.is_idle = True
        #: Whether a socket of Socket.IO has taken it over.
        self.is_taken = False
        self._is_pipelined = False
        self._head_until = 0.0
        self._pace = Pace(_budgets.of(_host(address)), give_turn)
        self._source = _Source(green, raw, self._pace)
        self.reader = io.BufferedReader(self._source, _BUFFER_BYTES)

    def has_more(self) -> bool:
        """Whether the client has sent more than was read by now."""
        try:
            if self.reader.tell() < self._source.count:
                return True
            return bool(self.raw.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT))
        except (OSError, ValueError):
            return False

    def wait_for_request(self) -> None:
        """Waits for the first byte of a request, or the end of the input. Raises TimeoutError."""
        # A client that waited for its answer may have sent the next request by now. The time that
        # the last one took, most of it often spent waiting for others, is not its debt.
        self._pace.waited()
        self.green.settimeout(limits.KEEPALIVE_SECONDS)
        try:
            self.reader.peek(1)
        except TimeoutError:
            raise
        except (OSError, ValueError):
            pass  # whoever reads next gets it, too
        finally:
            self.green.settimeout(limits.REQUEST_SECONDS)
        self._head_until = time.monotonic() + limits.REQUEST_SECONDS

    def head_seconds(self) -> float:
        """Seconds that are left for the head of the request, counted from its first byte."""
        return max(0.001, self._head_until - time.monotonic())

    def begin_request(self) -> None:
        """The request was read, its body included, and is not answered yet."""
        self._source.drips = 0
        self._is_pipelined = self.has_more()

    def end_request(self) -> None:
        """The request is answered; if the next one is already there, others run first."""
        self.is_idle = True
        if self._is_pipelined:
            self._is_pipelined = False
            self._pace.turn()

    def end(self) -> None:
        """Ends an idle connection: its green thread reads the end of the input."""
        with suppress(OSError):
            self.raw.shutdown(socket.SHUT_RDWR)


class _Source(io.RawIOBase):
    """The client's input. Reading input that is always there gives other connections turns."""

    def __init__(self, green: Any, raw: socket.socket, pace: Pace):
        # By the name that `socket.SocketIO` has for it: simple-websocket takes it from there.
        self._sock = green
        self._raw = raw
        self._pace = pace
        #: Bytes that were read.
        self.count = 0
        #: Reads of the request under way that gave next to nothing.
        self.drips = 0

    def readable(self) -> bool:
        return True

    def tell(self) -> int:
        """Bytes read; `BufferedReader.tell` subtracts those that it still holds."""
        return self.count

    def readinto(self, buffer: Any) -> int:
        try:
            count = self._raw.recv_into(buffer)
        except (BlockingIOError, InterruptedError):
            if self.drips > _DRIPS_MAX:
                time.sleep(_DRIP_SECONDS)
            count = self._sock.recv_into(buffer)
            self._pace.waited()
        except OSError as error:
            if error.errno in _PEER_IS_GONE:
                return 0
            raise
        else:
            self._pace.long_step()
        self.drips += count < _DRIP_BYTES
        self.count += count
        return count


def _host(address: Any) -> str:
    return address[0] if isinstance(address, tuple) else str(address)
