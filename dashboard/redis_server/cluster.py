"""A client of a Redis Cluster that sends no command twice and may be made before the cluster is."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.cluster import ClusterNode, ClusterPipeline, RedisCluster
from redis.exceptions import RedisClusterException
from redis.retry import Retry

#: Makes the pool of one node; called with its `host` and `port`.
NewPool = Callable[..., redis.ConnectionPool]


class ClusterClient(RedisCluster):
    """As RedisCluster, but it connects at its first use; a cluster that cannot be reached, or lacks
    slots, is a redis.ConnectionError; and no command is repeated whose outcome is not known.

    What a node refuses because a slot has moved is sent to the node that has it. Replicas are not
    read from.
    """

    def __init__(self, nodes: tuple[tuple[str, int], ...], new_pool: NewPool):
        self._nodes = nodes
        self._new_pool = new_pool
        self._connecting = threading.RLock()
        self._is_connecting = False

    def __getattr__(self, name: str) -> Any:
        """What RedisCluster's constructor sets, which connects: called before it has done so."""
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
                # A URL, because redis-py uses a pool's class only where there is one.
                url=f"redis://[{host}]:{port}" if ":" in host else f"redis://{host}:{port}",
                startup_nodes=[ClusterNode(*node) for node in self._nodes[1:]],
                connection_pool_class=self._pool_of,
                retry=Retry(NoBackoff(), 0),
                require_full_coverage=False,
                # Every MOVED: a transaction does not follow one, so the next must know the node.
                reinitialize_steps=1,
            )

    def _pool_of(self, *, host: str, port: int, **_: Any) -> redis.ConnectionPool:
        return self._new_pool(host=host, port=port)

    def execute_command(self, *args: Any, **options: Any) -> Any:
        with topology_errors():
            try:
                return super().execute_command(*args, **options)
            except (redis.ConnectionError, redis.TimeoutError):
                # What names no key goes to this one: not for ever to a node that is away.
                self.replace_default_node()
                raise
            except RedisClusterException:
                self._remember_given_nodes()
                raise

    def _remember_given_nodes(self) -> None:
        """Asks those of the URL again: all known ones may be away, or be others now."""
        given = {node.name: node for node in (ClusterNode(*each) for each in self._nodes)}
        manager = self.nodes_manager
        manager.startup_nodes = {**given, **manager.startup_nodes}

    def ping(self, **_: Any) -> bool:
        """True where every primary answers; raises what the first that does not raises."""
        self.execute_command("PING", target_nodes=RedisCluster.PRIMARIES)
        return True

    def time(self, **_: Any) -> Any:
        """That of one node, the same for all processes: their clocks may differ."""
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
    """Without a transaction commands may be sent twice: what fails is repeated one by one."""

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
    """Raises redis.ConnectionError where redis-py raises what is no RedisError."""
    try:
        yield
    except RedisClusterException as error:
        raise redis.ConnectionError(str(error)) from error
