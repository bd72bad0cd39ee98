"""A network between Lineup and Redis that can be slow, or lose the packets of some connections."""

import socket
import threading
import time
from contextlib import suppress

from tests.servers.redis import RedisServer

CHUNK_BYTES = 65_536


class RedisProxy:
    """Accepts connections on a port of this machine, and passes them on to a Redis server.

    `delay_seconds` is added to each packet in both directions. Connections that
    `freeze_subscriptions` stops stay open at both ends, as if a firewall had forgotten them.
    """

    def __init__(self, server: RedisServer):
        self.delay_seconds = 0.0
        #: The number of open connections.
        self.connections = 0
        self._server = server
        self._frozen: set[socket.socket] = set()
        self._subscribed: set[socket.socket] = set()
        self._open: set[socket.socket] = set()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"redis://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def freeze_subscriptions(self) -> int:
        """Stops all packets on connections that have subscribed; returns how many these are."""
        self._frozen |= self._subscribed
        return len(self._subscribed)

    def close(self) -> None:
        for each in (self._listener, *self._open):
            _close(each)

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.socket(socket.AF_UNIX)
                try:
                    server.connect(str(self._server.socket))
                except OSError:
                    _close(client)
                    continue
                self._open |= {client, server}
                self.connections += 1
                for source, target in ((client, server), (server, client)):
                    threading.Thread(
                        target=self._pass_on, args=[client, source, target], daemon=True
                    ).start()

    def _pass_on(self, client: socket.socket, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(CHUNK_BYTES):
                if source is client and b"SUBSCRIBE" in data:
                    self._subscribed.add(client)
                if self.delay_seconds:
                    time.sleep(self.delay_seconds)
                if client not in self._frozen:
                    target.sendall(data)
        if source is client:
            self.connections -= 1
            self._subscribed.discard(client)
        for each in (source, target):
            self._open.discard(each)
            _close(each)


def _close(one: socket.socket) -> None:
    # Without it, a thread that reads from the socket would go on.
    with suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
    one.close()
