"""Announcements from Redis, each once and in order, whatever gets lost on the way."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from redis import Redis
from redis.client import PubSub
from redis.cluster import RedisCluster
from redis.exceptions import RedisError

from presence.scripts import Call, Client, Scripts, text_of
from presence.states import parsed

#: A longer gap is not caught up with but read anew, in announcements.
LONGEST_CATCH_UP = 5_000
#: Messages that one `pump` handles before the host gets its turn.
MOST_AT_ONCE = 1_000
#: Checks in a row that find unheard announcements before the connection is taken for dead.
DEAF_AFTER = 2

log = logging.getLogger(__name__)


class Head(NamedTuple):
    """Where a shard's announcements stand."""

    epoch: str
    n: int


class Source(Protocol):
    """Something that follows the announcements of some shards."""

    def channels(self) -> Mapping[str, int]:
        """Channel -> shard."""

    def log(self, shard: int) -> Sequence[str]:
        """Meta and, if announcements are kept, the stream."""

    def calm_ms(self) -> int:
        """How long a shard that lost everything gets to fill again before it is believed."""

    def apply(self, event: Mapping[str, Any]) -> None:
        """One announcement, in order, none twice."""

    def reread(self, shard: int) -> None:
        """Announcements are missing for good: read what is followed."""

    def lost(self, shard: int) -> None:
        """Redis lost the shard: whoever is connected has to show themselves."""


class _Channel(NamedTuple):
    source: Source
    shard: int


class Feed:
    """One plain subscription for any number of sources.

    The host calls `pump` over and over and `verify_once` every second or two, both from the same
    thread of whatever kind. Either may raise a RedisError; the host waits a little and goes on.
    """

    def __init__(self, client: Client, sources: Iterable[Source], scripts: Scripts | None = None):
        self._client = client
        self._scripts = scripts or Scripts(client)
        self._channels = {
            name: _Channel(source, shard)
            for source in sources
            for name, shard in source.channels().items()
        }
        self._heads: dict[str, Head] = {}
        self._refilling: set[str] = set()
        self._pubsub: PubSub | None = None
        self._unheard = 0
        #: Whether the last call went well; if not, what is followed may be late.
        self.healthy = False
        #: Announcements that were caught up with because they had not been heard.
        self.caught_up = 0

    def pump(self, timeout_seconds: float = 1.0) -> int:
        """Waits for announcements and applies them; returns how many were heard."""
        try:
            pubsub = self._pubsub or self._subscribe()
            heard, wait = 0, timeout_seconds
            while heard < MOST_AT_ONCE and (message := pubsub.get_message(timeout=wait)):
                heard, wait = heard + 1, 0
                self._take(message)
            self.healthy = True
            return heard
        except (RedisError, OSError):
            self.close()
            raise

    def verify_once(self) -> None:
        """Compares with Redis where every shard stands and fetches what was not heard."""
        self.pump(0)
        before = self.caught_up
        try:
            self._verify(list(self._channels))
        except (RedisError, OSError):
            self.close()
            raise
        self._unheard = self._unheard + 1 if self.caught_up > before else 0
        if self._unheard >= DEAF_AFTER:
            log.warning("announcements are made but not heard: subscribing anew")
            self.close()

    def close(self) -> None:
        """Gives up the connection; the next `pump` makes another."""
        pubsub, self._pubsub, self.healthy, self._unheard = self._pubsub, None, False, 0
        if pubsub:
            try:
                pubsub.close()
            except (RedisError, OSError):
                log.info("the lost subscription could not be closed in order")

    def _subscribe(self) -> PubSub:
        pubsub = _node(self._client).pubsub()
        self._pubsub = pubsub
        pubsub.subscribe(*self._channels)
        waiting = len(self._channels)
        while waiting:
            message = pubsub.get_message(timeout=5)
            if message is None:
                raise TimeoutError("the subscription was not confirmed")
            waiting -= message["type"] == "subscribe"
        self._verify(list(self._channels))
        return pubsub

    def _take(self, message: Mapping[str, Any]) -> None:
        if message["type"] != "message":
            return
        name = text_of(message["channel"])
        self._unheard = 0
        try:
            event = parsed(message["data"])
            epoch, n = str(event["ep"]), int(event["n"])
        except (ValueError, KeyError, TypeError):
            log.warning("an announcement could not be read")
            self._verify([name])
            return
        head = self._heads.get(name)
        if head and head.epoch == epoch and n <= head.n:
            return
        if head and head.epoch == epoch and n == head.n + 1:
            self._heads[name] = Head(epoch, n)
            self._channels[name].source.apply(event)
        else:
            self._verify([name])

    def _verify(self, names: Sequence[str]) -> None:
        calls = [Call("head", self._log(name), ()) for name in names]
        for name, answer in zip(names, self._scripts.run_all(calls), strict=True):
            head, now_ms = Head(text_of(answer[0]), int(answer[1])), int(answer[2])
            self._follow(name, head, now_ms)

    def _follow(self, name: str, head: Head, now_ms: int) -> None:
        source, shard = self._channels[name]
        known = self._heads.get(name)
        if known is None:
            self._heads[name] = head
            source.reread(shard)
        elif known.epoch != head.epoch or known.n > head.n:
            self._refilling.add(name)
            source.lost(shard)
            self._catch_up(name, Head(head.epoch, 0))
        elif known.n < head.n:
            self._catch_up(name, known)
        calm_until_ms = int(head.epoch) + source.calm_ms()
        if name in self._refilling and now_ms >= calm_until_ms:
            self._refilling.discard(name)
            source.reread(shard)

    def _catch_up(self, name: str, known: Head) -> None:
        source, shard = self._channels[name]
        epoch, last, complete, *bodies = self._scripts.run(
            "since", self._log(name), known.epoch, known.n, LONGEST_CATCH_UP
        )
        self._heads[name] = Head(text_of(epoch), int(last))
        self.caught_up += int(last) - known.n
        if complete:
            for body in bodies:
                source.apply(parsed(body))
        elif name not in self._refilling:
            source.reread(shard)

    def _log(self, name: str) -> Sequence[str]:
        source, shard = self._channels[name]
        return source.log(shard)


def _node(client: Client) -> Redis:
    """A node to subscribe at: a cluster carries plain messages to all of them."""
    if isinstance(client, RedisCluster):
        return client.get_redis_connection(client.get_random_node())
    return client
