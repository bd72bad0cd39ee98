"""A network between two programs, which can be cut."""

import socket
import threading
from collections.abc import Callable
from contextlib import suppress

CHUNK_BYTES = 65_536


class Wire:
    """Accepts connections on a port of this machine, and passes each on to one of `connect`."""

    def __init__(self, connect: Callable[[], socket.socket]):
        self._connect = connect
        self._is_cut = False
        self._open: set[socket.socket] = set()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Ends all connections, and each new one at once."""
        self._is_cut = True
        for each in list(self._open):
            _end(each)

    def mend(self) -> None:
        self._is_cut = False

    def close(self) -> None:
        self.cut()
        _end(self._listener)

    def passes(self, client: socket.socket, is_of_client: bool, data: bytes) -> bool:
        """Whether a packet of a connection gets through."""
        return True

    def begun(self, client: socket.socket) -> None:
        """Called when a connection begins."""

    def ended(self, client: socket.socket) -> None:
        """Called when a connection has ended."""

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                try:
                    if self._is_cut:
                        raise ConnectionRefusedError
                    server = self._connect()
                except OSError:
                    _end(client)
                    continue
                self._open |= {client, server}
                self.begun(client)
                for ends in ((client, server), (server, client)):
                    given = (client, *ends)
                    threading.Thread(target=self._pass_on, args=given, daemon=True).start()

    def _pass_on(self, client: socket.socket, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(CHUNK_BYTES):
                if self.passes(client, source is client, data):
                    target.sendall(data)
        if source is client:
            self.ended(client)
        for each in (source, target):
            self._open.discard(each)
            _end(each)


def _end(one: socket.socket) -> None:
    # Without it, a thread that reads from the socket would go on.
    with suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
    one.close()
