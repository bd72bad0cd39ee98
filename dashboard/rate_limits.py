"""Rate limits, and the limiters that apply them to callers.

Limiters of one process keep token buckets in memory; `SharedLimiter` keeps them in Redis, for all
workers together. Sign-in attempts are counted in Redis as well as here. Limits of a connection, of
lists that are opened and of lines in the log protect the process that counts them.
"""

import math
import time
from collections.abc import Callable, Hashable
from contextlib import suppress
from typing import NamedTuple

from redis.exceptions import RedisError

from dashboard.errors import Problem
from lua_scripts.runner import LuaRunner, text_of
from lua_scripts.servers import Client
from lua_scripts.sources import read_lua
from presence.people import MAX_LOOKED_UP

#: Buckets kept in this process; beyond it, those that are full again are dropped.
_BUCKETS_MAX = 10_000


class RateLimit(NamedTuple):
    """Allows up to `size` at once, and `size` in `seconds` on average.

    `detail` is the sentence of the refusal; `{size}` and `{seconds}` (to wait) are filled in.
    """

    size: int
    seconds: float
    detail: str


#: Look-ups of people's presence by a key or an admin: twenty full calls a minute.
LOOK_UPS = RateLimit(
    20 * MAX_LOOKED_UP, 60, "{size} people may be looked up a minute; try in {seconds} s."
)
#: Socket.IO calls of one connection, and of all windows of one admin: many may come back at once.
SOCKET_CALLS = RateLimit(100, 1, "Too many calls.")
ADMIN_CALLS = RateLimit(300, 1, "Too many calls.")
#: Calls of one connection that are refused as 400 or 422; one more ends it.
INVALID_SOCKET_CALLS = RateLimit(19, 60, "Too many calls that cannot be understood.")
#: New lists of queries opened by one admin: each is read from SQL.
NEW_LISTS = RateLimit(300, 300, "Too many new lists were opened; try again in {seconds} s.")
#: Conditions of views that one admin saves: lists of changed and deleted ones stay for a minute.
SAVED_CONDITIONS = RateLimit(
    6_000, 60, "Views of {size} conditions may be saved a minute; try again in {seconds} s."
)
_SIGN_IN_DETAIL = "Too many wrong sign-ins; try again in {seconds} s."
#: Wrong sign-ins for one account: from one address, and from a device that signed in before.
SIGN_INS_PER_PAIR = RateLimit(5, 60, _SIGN_IN_DETAIL)
SIGN_INS_PER_DEVICE = RateLimit(5, 60, _SIGN_IN_DETAIL)
#: Wrong sign-ins from one address, and for one account from everywhere except known devices.
SIGN_INS_PER_ADDRESS = RateLimit(60, 60, _SIGN_IN_DETAIL)
SIGN_INS_PER_ACCOUNT = RateLimit(100, 600, _SIGN_IN_DETAIL)
#: Invitation links that failed, from one address.
INVITATIONS_PER_ADDRESS = RateLimit(60, 60, "Too many invitations were tried; wait {seconds} s.")
_CODE_DETAIL = "Too many wrong codes; try again in {seconds} s."
#: Wrong codes of the second factor, after the right password: a million codes are possible and
#: three are valid at a time, so an account allows fewer of them than passwords.
CODES_PER_PAIR = RateLimit(5, 60, _CODE_DETAIL)
CODES_PER_DEVICE = RateLimit(10, 600, _CODE_DETAIL)
CODES_PER_ADDRESS = RateLimit(60, 60, _CODE_DETAIL)
CODES_PER_ACCOUNT = RateLimit(20, 3_600, _CODE_DETAIL)

#: Sign-ins by the provider of accounts from one address, begun and completed.
OIDC_SIGN_INS_PER_ADDRESS = RateLimit(
    120, 60, "Too many sign-ins from this address; try again in {seconds} s."
)
#: Log lines of refused access: for one caller, and for all of them together.
REFUSED_LINES_PER_CALLER = RateLimit(10, 60, "Too many lines of one caller.")
REFUSED_LINES = RateLimit(100, 60, "Too many lines of all callers.")


def event_quota(events_per_second: int) -> RateLimit:
    """Returns the quota of an API key that was made with `--rate`."""
    detail = "This key may post {size} events a second; nothing was stored."
    return RateLimit(events_per_second, 1, detail)


class RateLimitExceeded(Problem):
    """429 with `Retry-After`, in whole seconds and at least 1."""

    def __init__(self, limit: RateLimit, wait_seconds: float, cost: int = 1):
        seconds = max(1, math.ceil(wait_seconds))
        detail = limit.detail.format(size=limit.size, seconds=seconds)
        if cost > limit.size:
            detail += f" A call of {cost} is more than it may ever make at once."
        super().__init__(429, "rate_limited", detail, headers={"Retry-After": str(seconds)})


class RateLimiter:
    """Token buckets by limit and caller; each begins full and fills evenly.

    `monotonic` gives seconds. No call yields to another green thread, so none needs a lock.
    """

    def __init__(self, monotonic: Callable[[], float] = time.monotonic):
        self._monotonic = monotonic
        self._buckets: dict[tuple[RateLimit, Hashable], tuple[float, float]] = {}

    def require(self, limit: RateLimit, caller: Hashable, cost: int = 1) -> None:
        """Takes `cost` tokens. Otherwise raises RateLimitExceeded and takes none."""
        wait_seconds = self.take(limit, caller, cost)
        if wait_seconds is not None:
            raise RateLimitExceeded(limit, wait_seconds, cost)

    def take(self, limit: RateLimit, caller: Hashable, cost: int = 1) -> float | None:
        """Takes `cost` tokens and returns None; or takes none and returns the seconds to wait.

        A cost above the limit's size is never allowed; the wait is then that for a full bucket.
        """
        level, now = self._level(limit, caller)
        is_allowed = cost <= level
        self._set_level(limit, caller, level - cost if is_allowed else level, now)
        if is_allowed:
            return None
        return (min(cost, limit.size) - level) * limit.seconds / limit.size

    def give_back(self, limit: RateLimit, caller: Hashable, cost: int = 1) -> None:
        """Undoes a `take`."""
        level, now = self._level(limit, caller)
        self._set_level(limit, caller, min(float(limit.size), level + cost), now)

    def _level(self, limit: RateLimit, caller: Hashable) -> tuple[float, float]:
        now = self._monotonic()
        level, at = self._buckets.get((limit, caller), (float(limit.size), now))
        return min(float(limit.size), level + (now - at) * limit.size / limit.seconds), now

    def _set_level(self, limit: RateLimit, caller: Hashable, level: float, now: float) -> None:
        if len(self._buckets) >= _BUCKETS_MAX and (limit, caller) not in self._buckets:
            self._drop_full(now)
        self._buckets[limit, caller] = level, now

    def _drop_full(self, now: float) -> None:
        """Drops buckets that are full again; if none is, the least recently made one."""
        self._buckets = {
            (limit, caller): (level, at)
            for (limit, caller), (level, at) in self._buckets.items()
            if level + (now - at) * limit.size / limit.seconds < limit.size
        }
        if len(self._buckets) >= _BUCKETS_MAX:
            del self._buckets[next(iter(self._buckets))]


class SharedWindows:
    """Counts attempts in Redis for all workers, in windows as long as the limit's seconds. Never
    raises RedisError: while Redis is away it counts nothing."""

    def __init__(self, client: Client):
        self._client = client

    def count(self, limit: RateLimit, key: str) -> float | None:
        """Counts an attempt; returns the seconds until the window ends if there are too many."""
        try:
            with self._client.pipeline(transaction=True) as pipeline:
                pipeline.set(key, 0, ex=int(limit.seconds), nx=True)
                pipeline.incr(key)
                pipeline.ttl(key)
                _, count, seconds = pipeline.execute()
        except RedisError:
            return None
        return seconds if count > limit.size else None

    def give_back(self, key: str) -> None:
        """Undoes a `count`."""
        with suppress(RedisError), self._client.pipeline(transaction=True) as pipeline:
            pipeline.decr(key)
            pipeline.ttl(key)
            _, seconds = pipeline.execute()
            if seconds < 0:
                # The window ended meanwhile: a negative count would stay for ever.
                self._client.delete(key)


#: Circuit breaker: for so many seconds after a failure Redis is not asked, so callers do not wait.
BREAK_SECONDS = 1.0


class SharedLimiter:
    """Like `RateLimiter`, for all workers together; while Redis is away each worker counts alone.

    `clock` gives milliseconds and is shared by all processes; `monotonic` gives seconds.
    """

    def __init__(
        self,
        client: Client,
        prefix: str,
        clock: Callable[[], int],
        monotonic: Callable[[], float] = time.monotonic,
    ):
        self._lua = LuaRunner(client, {"take": read_lua("dashboard", "take")})
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
        # In braces, as all keys: users of Redis with restricted rights may use these alone.
        key = f"{{{self._prefix}|rate|{caller}}}"
        fills_ms = int(1_000 * limit.seconds)
        wait_ms = text_of(self._lua.run("take", [key], limit.size, fills_ms, cost, self._clock()))
        return float(wait_ms) / 1_000 if wait_ms else None
