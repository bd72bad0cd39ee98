"""A Redis Cluster without processes: nodes, and the keys that each has."""

from typing import Any

import redis
from redis.cluster import ClusterNode, RedisCluster


class FakeCluster(RedisCluster):
    """A cluster of `nodes` by name, such as `a:1`, each with a client. The first has all keys but
    those that `holders` gives to another node.

    It is also its own manager of nodes: `refreshes` counts how often the topology was read.
    """

    def __init__(self, nodes: dict[str, redis.Redis]):
        self.nodes_cache: dict[str, ClusterNode] = {}
        self.holders: dict[str, str] = {}
        self.refreshes = 0
        for name, client in nodes.items():
            self.add(name, client)

    @property
    def nodes_manager(self) -> "FakeCluster":
        return self

    def add(self, name: str, client: redis.Redis) -> None:
        host, _, port = name.partition(":")
        self.nodes_cache[name] = ClusterNode(host, int(port), "primary", client)

    def remove(self, name: str) -> None:
        del self.nodes_cache[name]

    def initialize(self, **_: Any) -> None:
        self.refreshes += 1

    def move_slot(self, e: Any) -> None:
        """Does nothing: the keys stay where they are."""

    def get_primaries(self) -> list[ClusterNode]:
        return list(self.nodes_cache.values())

    def get_nodes(self) -> list[ClusterNode]:
        return list(self.nodes_cache.values())

    def get_node(self, host: Any = None, port: Any = None, node_name: Any = None) -> Any:
        return self.nodes_cache.get(f"{host}:{port}")

    def get_node_from_key(self, key: Any, replica: bool = False) -> Any:
        return self.nodes_cache[self.holders.get(key, next(iter(self.nodes_cache)))]

    def get_redis_connection(self, node: ClusterNode) -> Any:
        return node.redis_connection

    def close(self) -> None:
        """Does nothing: the owner of the nodes closes them."""
