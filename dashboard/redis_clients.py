"""Makes the clients of the Redis that the settings name: only `Pipeline` may repeat a command."""

import logging
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.cluster import ClusterNode, ClusterPipeline, RedisCluster
from redis.exceptions import RedisClusterException
from redis.retry import Retry
from redis.sentinel import (
    MasterNotFoundError,
    Sentinel,
    SentinelManagedConnection,
    SentinelManagedSSLConnection,
)

from dashboard.redis_url import RedisAddress, redis_address
from lua_scripts.servers import Client


class SharedPool(redis.BlockingConnectionPool):
    """Lets a caller wait for a free connection for as long as Redis answers earlier callers.

    redis-py itself gives up after `timeout` seconds. Then a long queue, such as when all dashboards
    reconnect at once on a busy machine, would look like a Redis that is away.
    """

    #: The number of connections that were released in working order.
    _returned = 0

    def get_connection(self, *args: Any, **options: Any) -> Any:
        """Returns a connection. Raises ConnectionError if no call ends for `timeout` seconds."""
        while True:
            returned = self._returned
            try:
                return super().get_connection(*args, **options)
            except redis.ConnectionError:
                if self._returned == returned:
                    raise

    def release(self, connection: Any) -> None:
        # After a failed call redis-py disconnects before it releases the connection.
        if connection.is_connected:
            self._returned += 1
        super().release(connection)


#: Interval at which Sentinels are asked for the master; they are asked only when a command is sent.
FOLLOW_SECONDS = 1.0

#: Returns host and port of the master. Raises MasterNotFoundError.
Discover = Callable[[], tuple[str, int]]


class SentinelPool(SharedPool):
    """Connections to the current master.

    A failover is noticed within a second. Then idle connections to the old master are closed, and
    those in use as soon as their call has ended. So nothing is written to the old master when it
    comes back as a replica. While no Sentinel knows a master, the last known one is used.
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
        """Returns a connection to the master. Raises ConnectionError if there is none."""
        if self._monotonic() - self._asked_at >= FOLLOW_SECONDS:
            self._ask()
        return super().get_connection(*args, **options)

    def get_master_address(self) -> tuple[str, int]:
        """Returns host and port of the master; called by each connection before it connects."""
        if self._master is None:
            self._ask()
        if self._master is None:
            raise MasterNotFoundError(f"no Sentinel knows a master “{self.service_name}”")
        return self._master

    def release(self, connection: Any) -> None:
        """Takes a connection back. One to an old master will reconnect to the current one."""
        # Otherwise the pool would keep it for ever without using it, and open another one.
        if connection.is_connected and (connection.host, connection.port) != self._master:
            connection.mark_for_reconnect()
        super().release(connection)

    def _ask(self) -> None:
        # Set first, so that other callers use the last answer meanwhile.
        self._asked_at = self._monotonic()
        try:
            master = self._discover()
        except redis.RedisError:
            return
        if master != self._master:
            self._master = master
            self.disconnect(inuse_connections=False)


#: Makes the pool of one node; called with its `host` and `port`.
NewPool = Callable[..., redis.ConnectionPool]


class ClusterClient(RedisCluster):
    """Works like RedisCluster, but connects at its first use, raises redis.ConnectionError if the
    cluster is unreachable or lacks slots, and repeats no command with an unknown outcome.

    A command that a node refuses because a slot has moved is sent to the slot's new node. Nothing
    is read from replicas.
    """

    def __init__(self, nodes: tuple[tuple[str, int], ...], new_pool: NewPool):
        self._nodes = nodes
        self._new_pool = new_pool
        self._connecting = threading.RLock()
        self._is_connecting = False

    def __getattr__(self, name: str) -> Any:
        """Connects, which sets the attributes of RedisCluster; returns the one named `name`."""
        with self._connecting:
            if name not in self.__dict__:
                if self._is_connecting or name.startswith("__"):
                    raise AttributeError(name)
                self._is_connecting = True
                try:
                    self._connect()
                finally:
                    self._is_connecting = False
            return self.__dict__[name]

    def _connect(self) -> None:
        host, port = self._nodes[0]
        with topology_errors():
            super().__init__(
                # redis-py uses the class of the pool only if it is given a URL.
                url=f"redis://[{host}]:{port}" if ":" in host else f"redis://{host}:{port}",
                startup_nodes=[ClusterNode(*node) for node in self._nodes[1:]],
                connection_pool_class=self._pool_of,
                retry=Retry(NoBackoff(), 0),
                require_full_coverage=False,
                # Read the topology after each MOVED: transactions do not follow a redirection.
                reinitialize_steps=1,
            )

    def _pool_of(self, *, host: str, port: int, **_: Any) -> redis.ConnectionPool:
        return self._new_pool(host=host, port=port)

    def execute_command(self, *args: Any, **options: Any) -> Any:
        with topology_errors():
            try:
                return super().execute_command(*args, **options)
            except (redis.ConnectionError, redis.TimeoutError):
                # Commands without a key go to the default node, which must not be one that is away.
                self.replace_default_node()
                raise
            except RedisClusterException:
                self._remember_given_nodes()
                raise

    def _remember_given_nodes(self) -> None:
        """Adds the nodes of the URL again: all known nodes may be away or replaced."""
        nodes = {node.name: node for node in (ClusterNode(*address) for address in self._nodes)}
        manager = self.nodes_manager
        manager.startup_nodes = {**nodes, **manager.startup_nodes}

    def ping(self, **_: Any) -> bool:
        """Returns True if every primary answers. Otherwise raises the first error."""
        self.execute_command("PING", target_nodes=RedisCluster.PRIMARIES)
        return True

    def time(self, **_: Any) -> Any:
        """Returns the time of the node with slot 0: the clocks of the nodes may differ."""
        with topology_errors():
            node = self.nodes_manager.get_node_from_slot(0)
        return self.get_redis_connection(node).time()

    def pipeline(self, transaction: Any = None, shard_hint: Any = None) -> "Pipeline":
        return Pipeline(
            nodes_manager=self.nodes_manager,
            commands_parser=self.commands_parser,
            result_callbacks=self.result_callbacks,
            cluster_response_callbacks=self.cluster_response_callbacks,
            reinitialize_steps=self.reinitialize_steps,
            retry=self.retry,
            lock=self._lock,
            transaction=transaction,
        )

    def close(self) -> None:
        if "nodes_manager" in self.__dict__:
            super().close()


class Pipeline(ClusterPipeline):
    """Repeats failed commands one by one, possibly twice, unless they are a transaction."""

    def execute(self, raise_on_error: bool = True) -> list[Any]:
        with topology_errors():
            return super().execute(raise_on_error)

    def execute_command(self, *args: Any, **options: Any) -> Any:
        with topology_errors():
            return super().execute_command(*args, **options)

    def watch(self, *names: Any) -> Any:
        with topology_errors():
            return super().watch(*names)


@contextmanager
def topology_errors() -> Iterator[None]:
    """Turns RedisClusterException, which is no RedisError, into redis.ConnectionError."""
    try:
        yield
    except RedisClusterException as error:
        raise redis.ConnectionError(str(error)) from error


log = logging.getLogger(__name__)

#: Longest wait of a request for Redis. A shorter one would fail: a busy event loop reads late.
REDIS_SECONDS = 2.0
#: Most Redis calls under way at once to one server; further callers wait for one of them. After a
#: restart all windows come back at the same moment.
REDIS_CONNECTIONS = 100
#: Longest wait for a Sentinel, after which the next one is asked.
SENTINEL_SECONDS = 1.0


class RedisClients:
    """Makes clients that raise at once if Redis is away. Each has its own connections."""

    def __init__(self, url: str, **options: Any):
        """`options` are passed to every connection to a server. Raises StartError."""
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
        """Returns a client of the server, cluster or master; it connects at its first use."""
        if self.address.kind == "cluster":
            return ClusterClient(self.address.nodes, self._pool)
        return self.new_for_server()

    def new_for_server(self) -> redis.Redis:
        """Returns a client of the server, or of the master that Sentinels name."""
        if self.address.kind == "sentinel":
            return redis.Redis.from_pool(self._sentinel_pool())
        return redis.Redis.from_pool(SharedPool.from_url(self.address.url, **self._options))

    def of_node(self, host: str, port: int) -> redis.Redis:
        """Returns a client of one node of the cluster."""
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
