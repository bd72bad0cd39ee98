"""Announcements from Redis: each once and in order, even if messages get lost."""

import logging
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from redis import Redis
from redis.client import PubSub
from redis.cluster import RedisCluster
from redis.exceptions import RedisError

from lua_scripts.runner import LuaCall, LuaRunner, text_of
from lua_scripts.servers import Client, holder_of, lives_on, run_id_of, servers_of
from presence.jobs import job_sources
from presence.states import parsed

#: A gap of more announcements than this is not read from the stream; states are read again.
MAX_CATCH_UP = 5_000
#: Messages that one `pump` handles before it returns.
MAX_MESSAGES = 1_000
#: After this many checks in a row that found missed announcements, the subscription is renewed.
MISSED_CHECKS_MAX = 2

log = logging.getLogger(__name__)


class Head(NamedTuple):
    """The last announcement of a shard: `n` counts within an `epoch`."""

    epoch: str
    n: int


class Source(Protocol):
    """A receiver of the announcements of some shards."""

    def channels(self) -> Mapping[str, int]:
        """Maps channels to shards."""

    def log(self, shard: int) -> Sequence[str]:
        """Returns the keys of meta and, if announcements are kept, of the stream."""

    def recovery_grace_ms(self) -> int:
        """Returns the ms for which a shard that may have lost data fills before it is read."""

    def apply(self, event: Mapping[str, Any]) -> None:
        """Takes one announcement; called in order, once for each."""

    def reread(self, shard: int) -> None:
        """Reads the current states again, with any numbers: the known ones may belong to a history
        that Redis has lost."""

    def lost(self, shard: int) -> None:
        """Reacts to a possible loss of the shard's data: sends a heartbeat for every connection."""


class _Channel(NamedTuple):
    source: Source
    shard: int


class Feed:
    """One plain subscription for any number of sources.

    Call `pump` in a loop and `verify_once` every second or two, both from one thread. Either may
    raise a RedisError or OSError: pause, then call again.
    """

    def __init__(
        self,
        client: Client,
        sources: Iterable[Source],
        lua: LuaRunner | None = None,
        on_news: Callable[[Source, int], object] = lambda source, shard: None,
    ):
        """`on_news` is called with each source and shard that may have new announcements."""
        self._client = client
        self._on_news = on_news
        self._lua = lua or LuaRunner(client, job_sources())
        self._channels = {
            name: _Channel(source, shard)
            for source in sources
            for name, shard in source.channels().items()
        }
        self._heads: dict[str, Head] = {}
        #: Channel to the time at which its shard is read again, by Redis's clock in ms.
        self._recovering: dict[str, int] = {}
        #: In a cluster: channel to the server that holds its shard, and its life.
        self._held_by: dict[str, str] = {}
        self._pubsub: PubSub | None = None
        self._missed_checks = 0
        #: Announcements that were read later because their message was missed.
        self.caught_up = 0

    def pump(self, timeout_seconds: float = 1.0) -> int:
        """Waits up to `timeout_seconds` for messages and applies them; returns how many came."""
        try:
            pubsub = self._pubsub or self._subscribe()
            received, wait = 0, timeout_seconds
            while received < MAX_MESSAGES and (message := pubsub.get_message(timeout=wait)):
                received, wait = received + 1, 0
                self._take(message)
            return received
        except (RedisError, OSError):
            self.close()
            raise

    def verify_once(self) -> None:
        """Compares the head of every shard with Redis and fetches missed announcements."""
        self.pump(0)
        before = self.caught_up
        try:
            # Before the heads are read: a server replaced in between is noticed next time.
            doubtful = self._replaced()
            self._verify(list(self._channels), doubtful)
        except (RedisError, OSError):
            self.close()
            raise
        self._missed_checks = self._missed_checks + 1 if self.caught_up > before else 0
        if self._missed_checks >= MISSED_CHECKS_MAX:
            log.warning("presence announcements were missed repeatedly: subscribing again")
            self.close()

    def close(self) -> None:
        """Closes the subscription; the next `pump` makes another."""
        pubsub, self._pubsub, self._missed_checks = self._pubsub, None, 0
        if pubsub:
            try:
                pubsub.close()
            except (RedisError, OSError):
                log.info("a lost subscription could not be closed")

    def _subscribe(self) -> PubSub:
        pubsub = _node(self._client).pubsub()
        is_first = not self._heads
        self._pubsub = pubsub
        pubsub.subscribe(*self._channels)
        waiting = len(self._channels)
        while waiting:
            message = pubsub.get_message(timeout=5)
            if message is None:
                raise TimeoutError("the subscription was not confirmed")
            waiting -= message["type"] == "subscribe"
        # The connection may have broken because Redis ended. It may be back from an older dump,
        # with numbers past ours already, so that they do not show the loss.
        self._verify(list(self._channels), [] if is_first else list(self._channels))
        return pubsub

    def _replaced(self) -> Collection[str]:
        """Returns channels with a shard that another server holds by now: a promoted replica lacks
        the last announcements of its primary, and counts on from there. The subscription may be at
        a third node, and goes on."""
        if not isinstance(self._client, RedisCluster):
            return ()
        lives = {name: run_id_of(node) or name for name, node in servers_of(self._client).items()}
        holders = {name: holder_of(self._client, self._log(name)[0])[0] for name in self._channels}
        before, self._held_by = (
            self._held_by,
            {name: lives.get(holder, holder) for name, holder in holders.items()},
        )
        return {name for name, life in before.items() if not lives_on(life, self._held_by[name])}

    def _take(self, message: Mapping[str, Any]) -> None:
        if message["type"] != "message":
            return
        name = text_of(message["channel"])
        self._missed_checks = 0
        try:
            event = parsed(message["data"])
            epoch, n = str(event["ep"]), int(event["n"])
        except (ValueError, KeyError, TypeError):
            log.warning("a presence announcement could not be parsed")
            self._verify([name])
            return
        head = self._heads.get(name)
        if head and head.epoch == epoch and n <= head.n:
            return
        self._on_news(self._channels[name].source, self._channels[name].shard)
        if head and head.epoch == epoch and n == head.n + 1:
            self._heads[name] = Head(epoch, n)
            self._channels[name].source.apply(event)
        else:
            self._verify([name])

    def _verify(self, names: Sequence[str], doubtful: Collection[str] = ()) -> None:
        calls = [LuaCall("feed/head", self._log(name), ()) for name in names]
        for name, answer in zip(names, self._lua.run_all(calls, as_one=True), strict=True):
            head, now_ms = Head(text_of(answer[0]), int(answer[1])), int(answer[2])
            self._advance(name, head, now_ms, name in doubtful)

    def _advance(self, name: str, head: Head, now_ms: int, is_doubtful: bool) -> None:
        source, shard = self._channels[name]
        last_head = self._heads.get(name)
        if last_head != head or is_doubtful:
            self._on_news(source, shard)
        if last_head is None:
            self._heads[name] = head
            source.reread(shard)
        elif last_head.epoch != head.epoch or last_head.n > head.n:
            self._recover(name, int(head.epoch))
            self._catch_up(name, Head(head.epoch, 0))
        elif last_head.n < head.n:
            self._catch_up(name, last_head)
        if last_head and is_doubtful:
            self._recover(name, now_ms)
        if now_ms >= self._recovering.get(name, now_ms + 1):
            del self._recovering[name]
            source.reread(shard)

    def _recover(self, name: str, since_ms: int) -> None:
        source, shard = self._channels[name]
        until_ms = since_ms + source.recovery_grace_ms()
        self._recovering[name] = max(until_ms, self._recovering.get(name, 0))
        source.lost(shard)

    def _catch_up(self, name: str, head: Head) -> None:
        source, shard = self._channels[name]
        epoch, last, complete, *bodies = self._lua.run(
            "feed/since", self._log(name), head.epoch, head.n, MAX_CATCH_UP
        )
        self._heads[name] = Head(text_of(epoch), int(last))
        self.caught_up += int(last) - head.n
        if complete:
            for body in bodies:
                source.apply(parsed(body))
        elif name not in self._recovering:
            source.reread(shard)

    def _log(self, name: str) -> Sequence[str]:
        source, shard = self._channels[name]
        return source.log(shard)


def _node(client: Client) -> Redis:
    """Returns a node to subscribe at: a cluster delivers plain messages at each of its nodes."""
    if isinstance(client, RedisCluster):
        return client.get_redis_connection(client.get_random_node())
    return client
