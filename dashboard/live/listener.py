"""Receives keyspace notifications about the lists, and checks that they still come."""

import logging
import random
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

import redis
from redis.cluster import RedisCluster
from redis.exceptions import MovedError, RedisError, ResponseError

from dashboard.tasks import Backoff, PeriodicTask, RunsTask
from lua_scripts.runner import text_of
from lua_scripts.servers import refresh
from scoring.keys import NOTIFY_FLAGS, Keys, channel

log = logging.getLogger(__name__)

#: Longest wait for one notification.
LISTEN_SECONDS = 1.0
CANARY_SECONDS = 2.0
#: A write to the canary must be notified within this time; else notifications count as lost.
CANARY_TIMEOUT_SECONDS = 6.0
#: Interval at which all lists count as changed while no notifications come.
POLL_SECONDS = 1.0
#: First and longest delay before the next connection.
BACKOFF_SECONDS = (0.2, 2.0)
#: The flags that A stands for in `notify-keyspace-events`.
_ALL_CLASSES = "g$lshzxetd"

#: Called with the list ids that have changed; None: any may have.
OnNotify = Callable[[Iterable[str] | None], None]


class NotificationsLost(RedisError):
    """A write to the canary was not notified in time."""


class Listener(RunsTask):
    """Receives the notifications of one Redis server: a server notifies only of its own keys.

    A notification carries no data: it only says that a key must be read.
    """

    def __init__(
        self,
        client: redis.Redis,
        keys: Keys,
        on_notify: OnNotify,
        monotonic: Callable[[], float] = time.monotonic,
        on_written: Mapping[str, Callable[[], object]] = MappingProxyType({}),
        on_deleted: Callable[[str], object] = lambda list_id: None,
    ):
        """`client` is used by nothing else; it has a `socket_timeout` and does not retry. In a
        cluster it is the client of the node with the canary of `keys`. `on_written` maps further
        keys to functions that are called after a write. `on_deleted` gets the list ids of keys that
        are gone."""
        self._client = client
        self._keys = keys
        self._on_notify = on_notify
        self._on_deleted = on_deleted
        self._monotonic = monotonic
        self._db = client.connection_pool.connection_kwargs.get("db") or 0
        #: Maps the channels of single keys to the functions that are called.
        self._by_channel: dict[str, Callable[[], object]] = {
            channel(key, self._db): call
            for key, call in {keys.canary: self._on_canary, **on_written}.items()
        }
        self._backoff = Backoff(*BACKOFF_SECONDS)
        self._task = PeriodicTask(
            "listening for notifications",
            self._listen,
            interval_seconds=0,
            expected=(RedisError, OSError),
            backoff=self._backoff,
        )
        self._canary_at = 0.0
        self._canary_received_at = 0.0
        self._polled_at = 0.0
        #: Whether notifications come; else all lists count as changed each second.
        self.is_receiving = False
        #: Connections that had subscribed and ended; failed attempts do not count.
        self.reconnects = 0
        self._has_subscribed = False

    def stop(self) -> None:
        """Makes `run` return within a second."""
        self._task.stop()

    def _listen(self) -> None:
        """Listens on one connection until `stop`; raises if it breaks or brings nothing."""
        self._has_subscribed = False
        try:
            self._receive()
        finally:
            self.is_receiving = False
            if not self._task.is_stopped:
                self.reconnects += self._has_subscribed
                self._on_notify(None)

    def _receive(self) -> None:
        self._enable_notifications()
        with self._client.pubsub() as subscription:
            subscription.psubscribe(self._keys.changes_pattern(self._db))
            subscription.subscribe(*self._by_channel, *self._keys.loss_channels(self._db))
            self._canary_received_at = self._monotonic()
            while not self._task.is_stopped:
                self._write_canary()
                message = subscription.get_message(timeout=LISTEN_SECONDS)
                if message is not None:
                    self._take(message)
                self._check_canary()

    def _take(self, message: dict) -> None:
        name = _text(message["channel"])
        if message["type"] in ("psubscribe", "subscribe"):
            self._has_subscribed = True
            # redis-py also resubscribes by itself; notifications before that are lost.
            self._on_notify(None)
        elif message["type"] == "pmessage":
            list_id = self._keys.list_id_of(name.split("__:", 1)[1])
            self._on_notify([list_id] if list_id else ())
        elif message["type"] == "message" and name in self._by_channel:
            self._by_channel[name]()
        elif message["type"] == "message":
            list_id = self._keys.list_id_of(_text(message["data"]))
            self._on_notify([list_id] if list_id else ())
            if list_id:
                self._on_deleted(list_id)

    def _write_canary(self) -> None:
        """Writes to the canary if that is due; the notification must come back."""
        now = self._monotonic()
        if now - self._canary_at >= CANARY_SECONDS:
            self._canary_at = now
            try:
                self._client.zadd(self._keys.canary, {"canary": time.time()})
            except MovedError:
                # The slot of the canary has moved to another node.
                raise
            except ResponseError as error:
                # Redis takes no writes (it is full, or read only), so no list changes either.
                log.warning("the canary cannot be written: %s", error)
                self._canary_received_at = now
                self._on_notify(None)

    def _on_canary(self) -> None:
        self._canary_received_at = self._monotonic()
        self._backoff.reset()
        if not self.is_receiving:
            self.is_receiving = True
            log.info("notifications are arriving")
            self._on_notify(None)

    def _check_canary(self) -> None:
        """Raises NotificationsLost when a canary is overdue; polls while none came yet."""
        now = self._monotonic()
        silent_seconds = now - self._canary_received_at
        if self.is_receiving:
            limit_seconds = CANARY_TIMEOUT_SECONDS
        else:
            if now - self._polled_at >= POLL_SECONDS:
                self._polled_at = now
                self._on_notify(None)
            # Connecting again would not help if the server has notifications disabled.
            limit_seconds = 10 * CANARY_TIMEOUT_SECONDS
        if silent_seconds > limit_seconds:
            raise NotificationsLost(f"none for {silent_seconds:.0f} s")

    def _enable_notifications(self) -> None:
        """Adds the missing flags to `notify-keyspace-events`, if CONFIG is allowed."""
        try:
            held = self._client.config_get("notify-keyspace-events")["notify-keyspace-events"] or ""
            missing = set(NOTIFY_FLAGS) - set(held.replace("A", _ALL_CLASSES))
            if missing:
                flags = held + "".join(sorted(missing))
                self._client.config_set("notify-keyspace-events", flags)
        except (ResponseError, KeyError) as error:
            log.info("notifications cannot be enabled with CONFIG: %s", error)


def _text(value: bytes | str) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


#: Interval of asking which primary has which slots; a change stays unnoticed for so long at most.
FOLLOW_SECONDS = 0.5

Node = tuple[str, int]
#: Maps primaries to their slots. A primary without slots holds no list and sends no notifications.
Slots = Mapping[Node, frozenset[int]]
#: Makes the listener of a node from its host, its port, and keys with a canary on that node.
NewListener = Callable[[str, int, Keys], Listener]


class ClusterListener(RunsTask):
    """Runs a Listener for each primary that has slots.

    When a primary is new, or was away, all lists count as changed once it is listened to.
    """

    def __init__(
        self, client: RedisCluster, keys: Keys, new_listener: NewListener, on_notify: OnNotify
    ):
        """`client`, which others may use, too, is refreshed when the topology changes."""
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
        return bool(listeners) and all(listener.is_receiving for listener in listeners)

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
        """Makes `run` return and ends the listeners, within a second."""
        self._task.stop()

    def follow(self) -> None:
        """Listens at the current primaries, and at no others. Raises RedisError."""
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
        # If a slot moved to a node with a listener, its last notifications may have been lost.
        self._on_notify(None)

    def _read_slots(self) -> Slots:
        """Asks node after node until one answers; raises the last error if none does."""
        nodes = self._client.get_nodes()
        random.shuffle(nodes)
        for left, node in zip(range(len(nodes) - 1, -1, -1), nodes, strict=True):
            try:
                ranges = self._client.get_redis_connection(node).execute_command("CLUSTER SLOTS")
                return _slots(ranges, node.host)
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
    """Parses the answer to CLUSTER SLOTS. A node that does not know its host leaves it empty."""
    slots_by_node: dict[Node, set[int]] = {}
    for first, last, (host, port, *_), *_ in ranges:
        node = (text_of(host or b"") or asked_host, int(port))
        slots_by_node.setdefault(node, set()).update(range(first, last + 1))
    return {node: frozenset(slots) for node, slots in slots_by_node.items()}
