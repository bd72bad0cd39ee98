"""A receiver of webhooks on a real socket that behaves as badly as a test wants."""

import socket
import threading
from collections.abc import Callable

Behaviour = Callable[[socket.socket, bytes], None]


class Receiver:
    """Answers each connection with `behave(connection, request)`; keeps the requests."""

    def __init__(self, behave: Behaviour):
        self.requests: list[bytes] = []
        self._behave = behave
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/hook"
        self.closing = threading.Event()
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        self.closing.set()
        self._listener.close()

    def __enter__(self) -> "Receiver":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._handle, args=[connection], daemon=True).start()

    def _handle(self, connection: socket.socket) -> None:
        with connection:
            try:
                request = read_request(connection)
                self.requests.append(request)
                self._behave(connection, request)
            except OSError:
                return


def read_request(connection: socket.socket) -> bytes:
    data = b""
    while b"\r\n\r\n" not in data:
        data += _some(connection)
    head, _, body = data.partition(b"\r\n\r\n")
    length = next(
        int(line.split(b":")[1]) for line in head.split(b"\r\n") if b"ontent-Length" in line
    )
    while len(body) < length:
        body += _some(connection)
    return head + b"\r\n\r\n" + body


def _some(connection: socket.socket) -> bytes:
    data = connection.recv(65_536)
    if not data:
        raise OSError("the sender has gone")
    return data


def answer(status: str, *headers: str, body: bytes = b"") -> Behaviour:
    """Returns an ordinary answer."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers, "", ""]

    def behave(connection: socket.socket, request: bytes) -> None:
        connection.sendall("\r\n".join(lines).encode() + body)

    return behave
