"""Finds out whether any list has changed, with one cheap call, however long the lists are.

Each change by our programs raises a number (`Pulse`). A write by another program raises none; Redis
itself reports it to a transaction that watches the keys (`Watch`).
"""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any, NamedTuple

import redis
from redis.cluster import RedisCluster
from redis.crc import key_slot
from redis.exceptions import RedisError, WatchError

from lua_scripts.runner import LuaCall, text_of
from lua_scripts.servers import Client, holder_of
from scoring.keys import Keys
from scoring.server_life import LifeUnknown, ServerLife
from scoring.views import VIEWS

#: Maximum number of keys that are watched: Redis compares each new one with all watched ones.
WATCHED_MAX = 2_000


class Pulse(NamedTuple):
    """Texts that differ after each change: one for each view, "" if Redis does not hold it; one
    for each group of lists of queries; one for threads on no view; one for changes of saved
    views."""

    views: tuple[str, ...]
    queries: tuple[str, ...]
    unlisted: str
    view_changes: str

    def changed_views(self, before: "Pulse | None") -> set[str]:
        """Returns the views that differ from an earlier pulse; without one, all."""
        earlier = before.views if before else ("",) * len(VIEWS)
        return {
            view
            for view, text, previous in zip(VIEWS, self.views, earlier, strict=True)
            if before is None or text != previous
        }


def read_pulse(client: Client, keys: Keys, life: ServerLife) -> Pulse | None:
    """Reads the pulse with one call, on a cluster with one for each key. None if the life of the
    server is not known, so that all lists are lost. Raises RedisError."""
    pairs = [(keys.meta(view), "meta") for view in VIEWS]
    pairs += [(group.calls, "string") for group in keys.shared_groups()]
    pairs += [(keys.unlisted, "number"), (keys.view_changes, "counts")]
    calls = [LuaCall("pulse", [key], [kind]) for key, kind in pairs]
    if not isinstance(client, RedisCluster):
        calls = [LuaCall("pulse", [key for key, _ in pairs], [kind for _, kind in pairs])]
    try:
        answers = life.run_all(calls)
    except LifeUnknown:
        return None
    texts = [text_of(text) for answer in answers for text in answer]
    views, queries = texts[: len(VIEWS)], texts[len(VIEWS) : -2]
    return Pulse(tuple(views), tuple(queries), *texts[-2:])


class Watch:
    """Watches keys for writes by any program. It holds connections of its own until `end`."""

    def __init__(self, client: Client, keys: Iterable[str]):
        """Watches the first `WATCHED_MAX` keys. Raises RedisError."""
        self._transactions: list[Any] = []
        by_server: dict[redis.Redis, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
        is_cluster = isinstance(client, RedisCluster)
        for key in list(keys)[:WATCHED_MAX]:
            # A node of a cluster refuses a command with keys of several slots.
            slot = key_slot(key.encode()) if is_cluster else 0
            by_server[holder_of(client, key)[1]][slot].append(key)
        try:
            for server, by_slot in by_server.items():
                transaction = server.pipeline(transaction=True)
                self._transactions.append(transaction)
                for names in by_slot.values():
                    transaction.watch(*names)
        except BaseException:
            self.end()
            raise

    def end(self) -> bool:
        """Ends watching; returns whether nothing was written, as far as is known. Never raises."""
        is_untouched = True
        for transaction in self._transactions:
            try:
                transaction.multi()
                transaction.ping()
                transaction.execute()
            except (WatchError, RedisError):
                is_untouched = False
            _release(transaction)
        self._transactions = []
        return is_untouched


def _release(transaction: Any) -> None:
    """Gives the connection back to its pool. A connection that failed still counts as watching;
    `reset` would open it again to end that, and not give it back if this fails, too."""
    if transaction.connection is not None:
        transaction.connection.disconnect()
        transaction.watching = False
    transaction.reset()
