"""The connections of one process to Redis, shared by all its callers."""

from typing import Any

import redis


class SharedPool(redis.BlockingConnectionPool):
    """A caller waits for a free connection for as long as Redis answers the callers before it.

    redis-py itself gives up after `timeout` seconds, so that a queue of callers, as when all
    dashboards reconnect at once on a busy machine, looks like a Redis that is away.
    """

    #: Connections that came back in working order.
    _returned = 0

    def get_connection(self, *args: Any, **options: Any) -> Any:
        """A connection; ConnectionError if no call was answered for `timeout` seconds."""
        while True:
            returned = self._returned
            try:
                return super().get_connection(*args, **options)
            except redis.ConnectionError:
                if self._returned == returned:
                    raise

    def release(self, connection: Any) -> None:
        # redis-py disconnects before it releases a connection whose call failed.
        if connection.is_connected:
            self._returned += 1
        super().release(connection)
