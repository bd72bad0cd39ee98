"""A network between Lineup and Redis that can be slow, or lose the packets of some connections."""

import socket
import time

from tests.servers.redis import RedisServer
from tests.servers.wire import Wire


class RedisProxy(Wire):
    """Passes connections on to a Redis server.

    `delay_seconds` is added to each packet in both directions. Connections that
    `freeze_subscriptions` stops stay open at both ends, as if a firewall had forgotten them.
    """

    def __init__(self, server: RedisServer):
        self.delay_seconds = 0.0
        #: The number of open connections.
        self.connections = 0
        self._frozen: set[socket.socket] = set()
        self._subscribed: set[socket.socket] = set()

        def connect() -> socket.socket:
            made = socket.socket(socket.AF_UNIX)
            made.connect(str(server.socket))
            return made

        super().__init__(connect)
        self.url = f"redis://127.0.0.1:{self.port}"

    def freeze_subscriptions(self) -> int:
        """Stops all packets on connections that have subscribed; returns how many these are."""
        self._frozen |= self._subscribed
        return len(self._subscribed)

    def passes(self, client: socket.socket, is_of_client: bool, data: bytes) -> bool:
        if is_of_client and b"SUBSCRIBE" in data:
            self._subscribed.add(client)
        if self.delay_seconds:
            time.sleep(self.delay_seconds)
        return client not in self._frozen

    def begun(self, client: socket.socket) -> None:
        self.connections += 1

    def ended(self, client: socket.socket) -> None:
        self.connections -= 1
        self._subscribed.discard(client)
