"""The parts of HTTP, WebSocket and Socket.IO that a driver of hundreds of dashboards needs."""

import asyncio
import json
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

#: (status, body, bytes on the wire)
Answer = tuple[int, bytes, int]
#: Host and port to connect to, if they differ from those of the URL.
Address = tuple[str, int]


class Http:
    """One kept connection; one request at a time, others wait."""

    def __init__(
        self, url: str, headers: dict[str, str] | None = None, address: Address | None = None
    ):
        parts = urlsplit(url)
        self._address = address or (parts.hostname or "", parts.port or 80)
        lines = {"Host": f"{parts.hostname}:{parts.port}", **(headers or {})}
        self._headers = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        self._connection: _Connection | None = None
        self._turn = asyncio.Lock()

    async def request(self, method: str, path: str, body: str = "", headers: str = "") -> Answer:
        async with self._turn:
            if self._connection is None or self._connection.is_over:
                loop = asyncio.get_running_loop()
                _, self._connection = await loop.create_connection(_Connection, *self._address)
            content = body.encode()
            length = f"Content-Length: {len(content)}\r\n" if content else ""
            head = f"{method} {path} HTTP/1.1\r\n{self._headers}{headers}{length}\r\n"
            return await self._connection.exchange(head.encode() + content)


class _Connection(asyncio.Protocol):
    """Writes a request, and resolves a future with its answer."""

    is_over = False

    def __init__(self) -> None:
        self._buffer = b""
        self._answer: asyncio.Future[Answer] | None = None

    def connection_made(self, transport: Any) -> None:
        self._transport = transport

    def connection_lost(self, error: Exception | None) -> None:
        self.is_over = True
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(error or ConnectionError("no answer"))

    def exchange(self, request: bytes) -> asyncio.Future[Answer]:
        self._answer = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        return self._answer

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        head, found, body = self._buffer.partition(b"\r\n\r\n")
        if not found:
            return
        lowered = head.lower()
        _, _, rest = lowered.partition(b"\r\ncontent-length:")
        length = int(rest.partition(b"\r\n")[0]) if rest else 0
        if len(body) < length or self._answer is None:
            return
        if b"\r\nconnection: close" in lowered:
            self.is_over = True
            self._transport.close()
        size, self._buffer = len(self._buffer), b""
        self._answer.set_result((int(head[9:12]), body, size))


class Socket(asyncio.Protocol):
    """A WebSocket client for text. `received` counts bytes after the handshake."""

    def __init__(self, request: bytes, on_text: Callable[[bytes], None]):
        self._request = request
        self._on_text = on_text
        self._buffer = bytearray()
        self._upgraded = False
        self.received = 0
        self.sent = 0
        self.closed = False

    def connection_made(self, transport: Any) -> None:
        self._transport = transport
        transport.write(self._request)

    def connection_lost(self, error: Exception | None) -> None:
        self.closed = True

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        if not self._upgraded:
            end = self._buffer.find(b"\r\n\r\n")
            if end < 0:
                return
            if not self._buffer.startswith(b"HTTP/1.1 101"):
                raise ConnectionError(bytes(self._buffer[:300]).decode("latin-1"))
            self._upgraded = True
            self.received = -(end + 4) - (len(self._buffer) - len(data))
            del self._buffer[: end + 4]
        self.received += len(data)
        self._read_frames()

    def send(self, text: str) -> None:
        content = text.encode()
        size = len(content)
        if size < 126:
            head = bytes((0x81, 0x80 | size))
        elif size < 65_536:
            head = b"\x81\xfe" + size.to_bytes(2)
        else:
            head = b"\x81\xff" + size.to_bytes(8)
        # The mask is zero, which leaves the content unchanged.
        self.sent += len(head) + 4 + size
        self._transport.write(head + b"\0\0\0\0" + content)

    def close(self) -> None:
        self._transport.abort()

    def _read_frames(self) -> None:
        buffer = self._buffer
        while len(buffer) >= 2:
            start, size = 2, buffer[1] & 0x7F
            if size == 126:
                start, size = 4, int.from_bytes(buffer[2:4])
            elif size == 127:
                start, size = 10, int.from_bytes(buffer[2:10])
            if len(buffer) < start + size:
                return
            opcode, content = buffer[0] & 0xF, bytes(buffer[start : start + size])
            del buffer[: start + size]
            if opcode == 1:
                self._on_text(content)
            elif opcode == 8:
                self._transport.close()


class SocketIO:
    """A Socket.IO client on one namespace; `on_event(name_and_data, ack)` gets the raw array."""

    def __init__(
        self,
        url: str,
        namespace: str,
        headers: dict[str, str],
        on_event: Callable[[bytes, Callable[[], None] | None], None],
        address: Address | None = None,
    ):
        self._parts = urlsplit(url)
        self._address = address
        self._prefix = f"{namespace}," if namespace != "/" else ""
        self._event = b"42" + self._prefix.encode()
        self._ack = b"43" + self._prefix.encode()
        self._connected = b"40" + self._prefix.encode()
        self._headers = headers
        self._on_event = on_event
        self._calls: dict[int, asyncio.Future[bytes]] = {}
        self.socket: Socket | None = None

    async def connect(self) -> None:
        self._ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        host, port = self._parts.hostname or "", self._parts.port or 80
        lines = {
            "Host": f"{host}:{port}",
            "Upgrade": "websocket",
            "Connection": "Upgrade",
            "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
            "Sec-WebSocket-Version": "13",
            **self._headers,
        }
        request = "GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\n"
        request += "".join(f"{name}: {value}\r\n" for name, value in lines.items()) + "\r\n"
        loop = asyncio.get_running_loop()
        _, self.socket = await loop.create_connection(
            lambda: Socket(request.encode(), self._take), *(self._address or (host, port))
        )
        await asyncio.wait_for(self._ready, 60)

    async def call(self, name: str, data: Any, seconds: float = 60) -> Any:
        """Calls an event; returns its answer."""
        number = len(self._calls) + 1
        while number in self._calls:
            number += 1
        future: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self._calls[number] = future
        self._send(f"42{self._prefix}{number}{json.dumps([name, data])}")
        try:
            return json.loads(await asyncio.wait_for(future, seconds))[0]
        finally:
            del self._calls[number]

    def emit(self, name: str, data: Any) -> None:
        self._send(f"42{self._prefix}{json.dumps([name, data])}")

    def close(self) -> None:
        if self.socket is not None:
            self.socket.close()

    def _send(self, text: str) -> None:
        assert self.socket is not None
        self.socket.send(text)

    def _take(self, text: bytes) -> None:
        if text.startswith(self._event):
            number, content = _numbered(text, len(self._event))
            acknowledge = None
            if number is not None:

                def acknowledge(number: int = number) -> None:
                    self._send(f"43{self._prefix}{number}[]")

            self._on_event(content, acknowledge)
        elif text.startswith(self._ack):
            number, content = _numbered(text, len(self._ack))
            future = self._calls.get(number or -1)
            if future is not None and not future.done():
                future.set_result(content)
        elif text == b"2":
            self._send("3")
        elif text.startswith(b"0"):
            self._send(f"40{self._prefix}")
        elif text.startswith(self._connected) and not self._ready.done():
            self._ready.set_result(None)


def _numbered(text: bytes, start: int) -> tuple[int | None, bytes]:
    """Returns the number before an array, if there is one, and the array."""
    at = text.index(b"[", start)
    return (int(text[start:at]) if at > start else None), text[at:]
