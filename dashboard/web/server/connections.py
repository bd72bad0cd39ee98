"""The connections of a web process: reads and writes each, and knows which are idle."""

import socket
import time
from contextlib import suppress
from typing import Any

from dashboard.turns import Pace, turns
from dashboard.web.http import bodies
from dashboard.web.server.request_reader import RequestReader

#: Reads of so few bytes are a drip, unless they end a request. After some drips, the server waits a
#: while for more input, so that a request in pieces of a byte costs less than it does to send.
_DRIP_BYTES = 32
_DRIPS_MAX = 16
_DRIP_SECONDS = 0.25
_DRAIN_BYTES = 64 * 1024


class Connection:
    """An accepted connection. `raw` is the socket under the green one `green`."""

    def __init__(self, green: Any, raw: socket.socket, address: Any):
        self.green = green
        self.raw = raw
        self.address = address
        #: Whether no request is being read or answered.
        self.is_idle = True
        #: Whether a Socket.IO socket has taken it over.
        self.is_taken = False
        self.reader = RequestReader(self._receive)
        self._is_pipelined = False
        self._read_until = 0.0
        #: Reads of the current request that gave next to nothing.
        self._drips = 0
        # Input sent before the previous request is answered counts against the sender's address.
        self._pace = Pace(turns.share(("address", _host(address))))

    def has_more(self) -> bool:
        """Whether the client has sent more than was read so far."""
        if self.reader.holds_input:
            return True
        try:
            return bool(self.raw.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT))
        except (OSError, ValueError):
            return False

    def wait_for_request(self, seconds: float) -> bool:
        """Waits for the first byte of a request; False at the end of the input or of the time."""
        # The client waited for the last answer, even if its next request is here already. The time
        # of that answer, often mostly spent waiting for others, is not charged to the address.
        self._pace.waited()
        try:
            self.read_within(seconds)
            if not self.reader.wait():
                return False
            self.read_within(bodies.REQUEST_SECONDS)
            if self.reader.skip_empty_line():
                self.read_within(seconds)
                if not self.reader.wait():
                    return False
                self.read_within(bodies.REQUEST_SECONDS)
        except TimeoutError:
            return False
        self.is_idle = False
        return True

    def read_within(self, seconds: float) -> None:
        """Limits each wait for input from now on; after it, reading raises TimeoutError."""
        self._read_until = time.monotonic() + seconds

    def begin_request(self) -> None:
        """Marks that the request was read with its body, and is not answered yet."""
        self._drips = 0
        self._is_pipelined = self.has_more()

    def end_request(self) -> None:
        """Marks that the request is answered; if the next one has arrived, others run first."""
        self.is_idle = True
        if self._is_pipelined:
            self._is_pipelined = False
            self._pace.turn()

    def write(self, data: bytes | memoryview) -> None:
        """Writes all of the data. Raises OSError if the client is gone or does not read."""
        self.green.settimeout(bodies.REQUEST_SECONDS)
        self.green.sendall(data)

    def drain(self, seconds: float = bodies.DRAIN_SECONDS) -> None:
        """Reads the rest of the input before the connection is closed.

        Closing with unread bytes would reset the connection, and the answer could be lost.
        """
        self.is_idle = True
        rest = bodies.DRAIN_BYTES
        with suppress(OSError):
            self.raw.shutdown(socket.SHUT_WR)
            self.read_within(seconds)
            while rest > 0 and (data := self._receive(_DRAIN_BYTES)):
                rest -= len(data)

    def end(self) -> None:
        """Ends an idle connection: its green thread reads the end of the input."""
        with suppress(OSError):
            self.raw.shutdown(socket.SHUT_RDWR)

    def _receive(self, size: int) -> bytes:
        """Waits for input; returns up to `size` bytes, none at its end. Raises TimeoutError.

        While input is always there, reading still gives other connections turns.
        """
        if time.monotonic() > self._read_until:
            raise TimeoutError
        try:
            data = self.raw.recv(size)
        except (BlockingIOError, InterruptedError):
            data = self._wait(size)
        except OSError:
            return b""
        else:
            self._pace.long_step()
        self._drips += len(data) < _DRIP_BYTES
        return data

    def _wait(self, size: int) -> bytes:
        if self._drips > _DRIPS_MAX:
            time.sleep(_DRIP_SECONDS)
        self.green.settimeout(max(0.001, self._read_until - time.monotonic()))
        try:
            data: bytes = self.green.recv(size)
        except TimeoutError:
            raise
        except OSError:
            return b""
        self._pace.waited()
        return data


def _host(address: Any) -> str:
    return address[0] if isinstance(address, tuple) else str(address)
