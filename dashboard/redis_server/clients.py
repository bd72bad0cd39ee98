"""Makes the clients of the Redis that the settings name: none sends a command twice."""

import logging
from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry
from redis.sentinel import Sentinel

from dashboard.redis_server.cluster import ClusterClient
from dashboard.redis_server.pool import SharedPool
from dashboard.redis_server.sentinel import SentinelPool
from dashboard.settings.redis_url import RedisAddress, redis_address
from lua_scripts.servers import Client

log = logging.getLogger(__name__)

#: Longest wait of a request for Redis. Not less: a busy event loop reads an answer late.
REDIS_SECONDS = 2.0
#: Most Redis calls under way at once to one server; further callers wait for one of them. After a
#: restart all windows come back at the same moment.
REDIS_CONNECTIONS = 100
#: Longest wait for a Sentinel, after which the next one is asked.
SENTINEL_SECONDS = 1.0


class RedisClients:
    """Clients that report at once that Redis is away. Each has connections of its own."""

    def __init__(self, url: str, **options: Any):
        """`options` are those of every connection to a server. Raises StartError."""
        self.address: RedisAddress = redis_address(url)
        log.info("Redis is %s", self.address)
        self._options: dict[str, Any] = {
            "max_connections": REDIS_CONNECTIONS,
            "timeout": REDIS_SECONDS,
            "socket_timeout": REDIS_SECONDS,
            "socket_connect_timeout": REDIS_SECONDS,
            "retry": Retry(NoBackoff(), 0),
            **options,
        }

    def new(self) -> Client:
        """A client of the server, the cluster or the master; it connects at its first use."""
        if self.address.kind == "cluster":
            return ClusterClient(self.address.nodes, self._pool)
        return self.new_for_server()

    def new_for_server(self) -> redis.Redis:
        """A client of the server, or of the master that Sentinels name."""
        if self.address.kind == "sentinel":
            return redis.Redis.from_pool(self._sentinel_pool())
        return redis.Redis.from_pool(SharedPool.from_url(self.address.url, **self._options))

    def of_node(self, host: str, port: int) -> redis.Redis:
        """A client of one node of the cluster."""
        return redis.Redis.from_pool(self._pool(host=host, port=port))

    def _pool(self, **node: Any) -> SharedPool:
        return SharedPool(**{**self._options, **(self.address.options or {}), **node})

    def _sentinel_pool(self) -> SentinelPool:
        address = self.address
        options = {
            "socket_timeout": SENTINEL_SECONDS,
            "socket_connect_timeout": SENTINEL_SECONDS,
            "retry": Retry(NoBackoff(), 0),
            **(address.sentinel_options or {}),
        }
        sentinel = Sentinel([], sentinel_kwargs=options)
        sentinel.sentinels = [
            redis.Redis.from_pool(redis.ConnectionPool(host=host, port=port, **options))
            for host, port in address.nodes
        ]
        return SentinelPool(
            address.service,
            lambda: sentinel.discover_master(address.service),
            **{**self._options, **(address.options or {})},
        )
