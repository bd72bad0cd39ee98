"""The server that is attacked, and the connections to it."""

import os
import socket
import struct
from dataclasses import dataclass
from urllib.parse import urlsplit

import websocket

#: Opcodes of WebSocket frames (RFC 6455, section 5.2).
CONTINUATION, TEXT, BINARY, PING = 0x0, 0x1, 0x2, 0x9
_SECONDS = 10


@dataclass(frozen=True)
class Target:
    """The server, and the credentials of the attacker and of another admin; "" without.

    `cookie` and `other_cookie` are headers of signed-in admins, `key` is a key of the bot API.
    """

    url: str
    cookie: str = ""
    key: str = ""
    other_cookie: str = ""

    @property
    def host(self) -> str:
        return urlsplit(self.url).netloc

    @property
    def address(self) -> tuple[str, int]:
        parts = urlsplit(self.url)
        return parts.hostname or "127.0.0.1", parts.port or 80

    def connect(self) -> socket.socket:
        """A connection on which nothing was sent."""
        opened = socket.create_connection(self.address, timeout=_SECONDS)
        opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return opened

    def request(self, line: str, headers: tuple[str, ...] = (), body: bytes = b"") -> bytes:
        """A request of HTTP/1.1, such as `GET /healthz`."""
        lines = [f"{line} HTTP/1.1", f"Host: {self.host}", f"Origin: {self.url}", *headers]
        if body:
            lines.append(f"Content-Length: {len(body)}")
        return "\r\n".join([*lines, "", ""]).encode("latin-1") + body

    def upgraded(self) -> websocket.WebSocket:
        """A WebSocket that has joined nothing."""
        return websocket.create_connection(
            self.url.replace("http", "ws", 1) + "/socket.io/?EIO=4&transport=websocket",
            cookie=self.cookie,
            origin=self.url,
            timeout=_SECONDS,
        )

    def socket(self) -> websocket.WebSocket:
        """A socket that is connected to `/admin`."""
        opened = self.upgraded()
        opened.recv()
        opened.send("40/admin,")
        while not opened.recv().startswith("40/admin,"):
            pass
        return opened


def frame(payload: bytes, opcode: int = TEXT, final: bool = True) -> bytes:
    """A frame as a client sends it: masked, with one mask for all its bytes."""
    head = bytes((opcode | (0x80 if final else 0),))
    size = len(payload)
    if size < 126:
        head += bytes((0x80 | size,))
    elif size < 65_536:
        head += bytes((0x80 | 126,)) + struct.pack("!H", size)
    else:
        head += bytes((0x80 | 127,)) + struct.pack("!Q", size)
    mask = os.urandom(1) * 4
    return head + mask + payload.translate(bytes(byte ^ mask[0] for byte in range(256)))
