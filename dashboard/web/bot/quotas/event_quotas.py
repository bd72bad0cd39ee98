"""Holds each API key to its events a second: in Redis for all workers, else in this process."""

import logging
import time
from collections.abc import Callable

from redis.exceptions import RedisError

from dashboard.rate_limits import RateLimiter, RateLimitExceeded, event_quota
from lua_scripts.runner import Client, LuaRunner
from lua_scripts.sources import read_lua

log = logging.getLogger(__name__)

_SCRIPT = "take"
#: While Redis is away it is asked again after this time; a post need not wait for it each time.
RETRY_SECONDS = 2.0


class EventQuotas:
    """Quotas of keys; each is full at first, and fills evenly. `clock`: the shared one, in ms.

    While Redis is away each process counts what it is sent itself: N workers then let through up
    to N times the rate.
    """

    def __init__(
        self,
        client: Client,
        prefix: str,
        clock: Callable[[], int],
        monotonic: Callable[[], float] = time.monotonic,
    ):
        self._runner = LuaRunner(client, {_SCRIPT: read_lua(__package__, _SCRIPT)})
        self._prefix = prefix
        self._clock = clock
        self._monotonic = monotonic
        self._own = RateLimiter(monotonic)
        self._ask_at = 0.0

    def require(self, key_id: int, events_per_second: int, count: int) -> None:
        """Takes `count` events. Raises RateLimitExceeded, and then takes none."""
        quota = event_quota(events_per_second)
        if count > quota.size:
            # It would not be allowed either when the quota is full.
            raise RateLimitExceeded(quota, quota.seconds, count)
        if self._monotonic() < self._ask_at:
            self._own.require(quota, key_id, count)
            return
        try:
            wait_ms = self._take(key_id, quota.seconds * 1000, count / quota.size)
        except RedisError as error:
            log.info("a quota is counted in this process alone: %s", error)
            self._ask_at = self._monotonic() + RETRY_SECONDS
            self._own.require(quota, key_id, count)
            return
        if wait_ms is not None:
            raise RateLimitExceeded(quota, wait_ms / 1000, count)

    def _take(self, key_id: int, whole_ms: float, part: float) -> int | None:
        """None where it was taken, else the ms until it could be. Raises RedisError."""
        now, cost_ms = self._clock(), whole_ms * part
        key = f"{self._prefix}|quota|{key_id}"
        answer = self._runner.run(_SCRIPT, [key], now, f"{whole_ms:.3f}", f"{cost_ms:.6f}")
        return int(answer) if answer else None
