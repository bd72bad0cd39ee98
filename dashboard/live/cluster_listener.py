"""Listens at every primary of a Redis Cluster, and follows which ones there are."""

import logging
import random
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import redis
from redis.cluster import RedisCluster
from redis.exceptions import RedisError

from dashboard.live.listener import Listener, OnNotify
from dashboard.tasks import PeriodicTask
from lua_scripts.runner import text_of
from lua_scripts.servers import refresh
from scoring.keys import Keys

log = logging.getLogger(__name__)

#: Interval of asking which primary has which slots; for so long a change may stay unseen.
FOLLOW_SECONDS = 0.5

Node = tuple[str, int]
#: Primary → its slots. One that has none holds no list and notifies of nothing.
Slots = Mapping[Node, frozenset[int]]
#: Makes the listener of a node, by host, port, and keys whose canary lies there.
NewListener = Callable[[str, int, Keys], Listener]


class ClusterListener:
    """One for each web process: a Listener for each primary that has slots.

    While a primary is away, or newly there, all lists count as changed once it is listened to.
    """

    def __init__(
        self, client: RedisCluster, keys: Keys, new_listener: NewListener, on_notify: OnNotify
    ):
        """`client` is told of changes of the topology, also by other users of it."""
        self._client = client
        self._keys = keys
        self._new_listener = new_listener
        self._on_notify = on_notify
        self._slots: Slots = {}
        self._listeners: dict[Node, tuple[Keys, Listener]] = {}
        self._ended_reconnects = 0
        self._task = PeriodicTask(
            "following the nodes of the Redis Cluster",
            self.follow,
            interval_seconds=FOLLOW_SECONDS,
            expected=(RedisError, OSError),
        )

    @property
    def is_receiving(self) -> bool:
        """Whether notifications come from every primary."""
        listeners = [listener for _, listener in self._listeners.values()]
        return bool(listeners) and all(each.is_receiving for each in listeners)

    @property
    def reconnects(self) -> int:
        """Connections to a primary after the first one, since the start."""
        listening = (listener.reconnects for _, listener in self._listeners.values())
        return self._ended_reconnects + sum(listening)

    def run(self) -> None:
        """Listens until `stop`; never raises. Run it in a thread."""
        self._task.wake()
        self._task.run()
        for node in [*self._listeners]:
            self._end(node)

    def stop(self) -> None:
        """`run` returns, and the listeners end, within a second."""
        self._task.stop()

    def follow(self) -> None:
        """Listens at the primaries of this moment, and no others. Raises RedisError."""
        slots = self._read_slots()
        if slots == self._slots:
            return
        refresh(self._client)
        for node, (keys, _) in [*self._listeners.items()]:
            if keys.canary_slot not in slots.get(node, frozenset()):
                self._end(node)
        for node in slots.keys() - self._listeners.keys():
            self._begin(node, slots[node])
        self._slots = slots
        # A slot that has moved to a node which is listened to already may have notified before.
        self._on_notify(None)

    def _read_slots(self) -> Slots:
        """As the first node says that answers; raises what the last one raised."""
        nodes = self._client.get_nodes()
        random.shuffle(nodes)
        for left, node in zip(range(len(nodes) - 1, -1, -1), nodes, strict=True):
            try:
                found = self._client.get_redis_connection(node).execute_command("CLUSTER SLOTS")
                return _slots(found, node.host)
            except (redis.ConnectionError, redis.TimeoutError):
                if not left:
                    refresh(self._client)
                    raise
        raise redis.ConnectionError("no node of the cluster is known")

    def _begin(self, node: Node, slots: frozenset[int]) -> None:
        keys = self._keys.of_node(slots)
        listener = self._new_listener(*node, keys)
        self._listeners[node] = keys, listener
        log.info("listening at the Redis primary %s:%d", *node)
        threading.Thread(target=listener.run, name="listener of a node", daemon=True).start()

    def _end(self, node: Node) -> None:
        _, listener = self._listeners.pop(node)
        self._ended_reconnects += listener.reconnects
        listener.stop()
        log.info("no longer listening at the Redis primary %s:%d", *node)


def _slots(ranges: Iterable[Any], asked_host: str) -> Slots:
    """From the answer of CLUSTER SLOTS; a node that does not know its own host leaves it empty."""
    found: dict[Node, set[int]] = {}
    for first, last, (host, port, *_), *_ in ranges:
        node = (text_of(host or b"") or asked_host, int(port))
        found.setdefault(node, set()).update(range(first, last + 1))
    return {node: frozenset(slots) for node, slots in found.items()}
