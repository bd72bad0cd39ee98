"""Hears the bell: keyspace notifications of the lists, and whether they still come at all."""

import logging
import random
import time
from collections.abc import Callable, Iterable

import redis
from redis.exceptions import RedisError, ResponseError

from scoring.keys import BELL_FLAGS, Keys

log = logging.getLogger(__name__)

#: How long one wait for a notification lasts.
LISTEN_SECONDS = 1.0
CANARY_SECONDS = 2.0
#: A canary that was not heard for so long: nothing is.
DEAF_SECONDS = 6.0
#: While nothing is heard, everything is looked at so often.
POLL_SECONDS = 1.0
BACKOFF_SECONDS = (0.1, 5.0)
#: What the flag A stands for in `notify-keyspace-events`.
_ALL_CLASSES = "g$lshzxetd"

#: Told which tags have changed; None: any may have.
OnBell = Callable[[Iterable[str] | None], None]


class Listener:
    """One a web process. Emits nothing: a notification says only that it is time to look."""

    def __init__(
        self,
        client: redis.Redis,
        prefix: str,
        on_bell: OnBell,
        sleep: Callable[[float], None] = time.sleep,
        monotonic: Callable[[], float] = time.monotonic,
    ):
        """`client` is its own: with a `socket_timeout`, and a `retry` that tries nothing again."""
        self._client = client
        self._keys = Keys(prefix)
        self._on_bell = on_bell
        self._sleep = sleep
        self._monotonic = monotonic
        self._db = client.connection_pool.connection_kwargs.get("db") or 0
        self._stopped = False
        self._failures = 0
        self._canary_at = 0.0
        self._heard_at = 0.0
        self._polled_at = 0.0
        #: Whether notifications come; else everything is looked at each second.
        self.is_hearing = False
        #: How often the connection was made anew.
        self.reconnects = 0

    def run(self) -> None:
        """Listens until `stop`; never raises, whatever becomes of Redis."""
        while not self._stopped:
            try:
                self._listen()
            except Exception as error:
                level = (
                    logging.WARNING if isinstance(error, RedisError | OSError) else logging.ERROR
                )
                log.log(level, "the bell is not heard: %s", error, exc_info=level > logging.WARNING)
            self.is_hearing = False
            if not self._stopped:
                self.reconnects += 1
                self._on_bell(None)
                self._back_off()

    def stop(self) -> None:
        """`run` returns within a second."""
        self._stopped = True

    def _listen(self) -> None:
        """Until the connection breaks or nothing has been heard for too long."""
        self._ask_for_notifications()
        with self._client.pubsub() as subscription:
            subscription.psubscribe(self._keys.changes_pattern(self._db))
            subscription.subscribe(
                self._keys.canary_channel(self._db), *self._keys.loss_channels(self._db)
            )
            self._heard_at = self._monotonic()
            while not self._stopped:
                self._sing()
                message = subscription.get_message(timeout=LISTEN_SECONDS)
                if message is not None:
                    self._take(message)
                if not self._may_still_hear():
                    return

    def _take(self, message: dict) -> None:
        channel = _text(message["channel"])
        if message["type"] in ("psubscribe", "subscribe"):
            # Also where redis-py subscribed anew by itself: something may have passed unheard.
            self._on_bell(None)
        elif message["type"] == "pmessage":
            tag = self._keys.tag_of(channel.split("__:", 1)[1])
            self._on_bell([tag] if tag else ())
        elif message["type"] == "message" and channel == self._keys.canary_channel(self._db):
            self._hear()
        elif message["type"] == "message":
            tag = self._keys.tag_of(_text(message["data"]))
            self._on_bell([tag] if tag else ())

    def _sing(self) -> None:
        """Writes to a key of its own: who hears nothing of it is deaf, or the bell is off."""
        now = self._monotonic()
        if now - self._canary_at >= CANARY_SECONDS:
            self._canary_at = now
            try:
                self._client.zadd(self._keys.canary, {"canary": time.time()})
            except ResponseError as error:
                # Redis takes no writes (it is full, or read only): then nothing rings anyway.
                log.warning("the bell cannot be tried: %s", error)
                self._heard_at = now
                self._on_bell(None)

    def _hear(self) -> None:
        self._heard_at = self._monotonic()
        self._failures = 0
        if not self.is_hearing:
            self.is_hearing = True
            log.info("the bell is heard")
            self._on_bell(None)

    def _may_still_hear(self) -> bool:
        """Looks at everything while the canary is not heard; False: it is time to connect anew."""
        now = self._monotonic()
        silent = now - self._heard_at
        if not self.is_hearing:
            if now - self._polled_at >= POLL_SECONDS:
                self._polled_at = now
                self._on_bell(None)
            # It was connected anew already; again only now and then.
            return silent <= 10 * DEAF_SECONDS
        if silent > DEAF_SECONDS:
            log.warning("no notifications from Redis for %d s: looking each second", silent)
            return False
        return True

    def _ask_for_notifications(self) -> None:
        """Adds the flags that the bell needs to those that are set, where that is allowed."""
        try:
            held = self._client.config_get("notify-keyspace-events")["notify-keyspace-events"] or ""
            missing = set(BELL_FLAGS) - set(held.replace("A", _ALL_CLASSES))
            if missing:
                flags = held + "".join(sorted(missing))
                self._client.config_set("notify-keyspace-events", flags)
        except (ResponseError, KeyError) as error:
            log.info("Redis does not let itself be asked for notifications: %s", error)

    def _back_off(self) -> None:
        least, most = BACKOFF_SECONDS
        self._failures += 1
        bound = min(most, least * 2**self._failures)
        self._sleep(random.uniform(bound / 2, bound))


def _text(value: bytes | str) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value
