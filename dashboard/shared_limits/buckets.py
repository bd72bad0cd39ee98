"""Token buckets that all workers share; each process counts for itself while Redis is away."""

import time
from collections.abc import Callable

from redis.exceptions import RedisError

from dashboard.rate_limits import RateLimit, RateLimiter, RateLimitExceeded
from lua_scripts.runner import Client, LuaRunner, text_of
from lua_scripts.sources import read_lua

#: Circuit breaker: after a failure Redis is not asked for this long, so that callers do not wait.
BREAK_SECONDS = 1.0


class SharedLimiter:
    """Like `RateLimiter`, over all workers: one script, one key and one round trip a call.

    `clock` gives milliseconds and is shared by all processes; `monotonic` gives seconds.
    """

    def __init__(
        self,
        client: Client,
        prefix: str,
        clock: Callable[[], int],
        monotonic: Callable[[], float] = time.monotonic,
    ):
        self._lua = LuaRunner(client, {"take": read_lua(__package__, "take")})
        self._prefix = prefix
        self._clock = clock
        self._monotonic = monotonic
        self._own = RateLimiter(monotonic)
        self._retry_at = float("-inf")

    def require(self, limit: RateLimit, caller: str, cost: int = 1) -> None:
        """Takes `cost` tokens of the caller. Raises RateLimitExceeded, and then takes none."""
        wait_seconds = self._take(limit, caller, cost)
        if wait_seconds is not None:
            raise RateLimitExceeded(limit, wait_seconds, cost)

    def _take(self, limit: RateLimit, caller: str, cost: int) -> float | None:
        if self._monotonic() >= self._retry_at:
            try:
                return self._take_shared(limit, caller, cost)
            except (RedisError, OSError):
                self._retry_at = self._monotonic() + BREAK_SECONDS
        return self._own.take(limit, caller, cost)

    def _take_shared(self, limit: RateLimit, caller: str, cost: int) -> float | None:
        key = f"{self._prefix}|rate|{caller}"
        fills_ms = int(1_000 * limit.seconds)
        wait_ms = text_of(self._lua.run("take", [key], limit.size, fills_ms, cost, self._clock()))
        return float(wait_ms) / 1_000 if wait_ms else None
