"""The connections to the master that a set of Sentinels names, also after a failover."""

import time
import weakref
from collections.abc import Callable
from typing import Any

import redis
from redis.sentinel import (
    MasterNotFoundError,
    SentinelManagedConnection,
    SentinelManagedSSLConnection,
)

from dashboard.redis_server.pool import SharedPool

#: Interval of asking for the master. While nothing is sent, nothing is asked.
FOLLOW_SECONDS = 1.0

#: Gives host and port of the master; raises MasterNotFoundError.
Discover = Callable[[], tuple[str, int]]


class SentinelPool(SharedPool):
    """Connections to one server, the master of today.

    A failover is noticed within a second: connections to the server that was the master before are
    closed then, and one that is in use once its call has ended. So it is not written to when it
    comes back, as a replica. While no Sentinel knows a master, the last one counts.
    """

    #: Read by the connections of redis-py, which ask this pool for the address.
    is_master = True
    check_connection = False

    def __init__(
        self,
        service: str,
        discover: Discover,
        monotonic: Callable[[], float] = time.monotonic,
        **options: Any,
    ):
        is_tls = issubclass(options.pop("connection_class", redis.Connection), redis.SSLConnection)
        super().__init__(
            connection_class=SentinelManagedSSLConnection if is_tls else SentinelManagedConnection,
            **options,
        )
        self.service_name = service
        self.connection_kwargs["connection_pool"] = weakref.proxy(self)
        self._discover = discover
        self._monotonic = monotonic
        self._asked_at = float("-inf")
        self._master: tuple[str, int] | None = None

    def get_connection(self, *args: Any, **options: Any) -> Any:
        """A connection to the master; ConnectionError where there is none."""
        if self._monotonic() - self._asked_at >= FOLLOW_SECONDS:
            self._ask()
        return super().get_connection(*args, **options)

    def get_master_address(self) -> tuple[str, int]:
        """Called by a connection that connects."""
        if self._master is None:
            self._ask()
        if self._master is None:
            raise MasterNotFoundError(f"no Sentinel knows a master “{self.service_name}”")
        return self._master

    def release(self, connection: Any) -> None:
        """Closes it where it leads to the master of before; it is used again for that of today."""
        # The pool would keep one that it may not use again for ever, and make another one.
        if connection.is_connected and (connection.host, connection.port) != self._master:
            connection.mark_for_reconnect()
        super().release(connection)

    def _ask(self) -> None:
        # Before asking: other callers go on with the last answer meanwhile.
        self._asked_at = self._monotonic()
        try:
            master = self._discover()
        except redis.RedisError:
            return
        if master != self._master:
            self._master = master
            self.disconnect(inuse_connections=False)
