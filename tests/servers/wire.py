"""A network between two programs, which can be cut."""

import socket
import threading
from contextlib import suppress


class Wire:
    """Accepts connections on a port of this machine, and passes them on to another port."""

    def __init__(self, goal: int):
        self._goal = goal
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

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                try:
                    if self._is_cut:
                        raise ConnectionRefusedError
                    far = socket.create_connection(("127.0.0.1", self._goal))
                except OSError:
                    _end(near)
                    continue
                self._open |= {near, far}
                for ends in ((near, far), (far, near)):
                    threading.Thread(target=self._pass_on, args=ends, daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65_536):
                target.sendall(data)
        for each in (source, target):
            self._open.discard(each)
            _end(each)


def _end(one: socket.socket) -> None:
    # Without it, a thread that reads from the socket would go on.
    with suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
    one.close()
