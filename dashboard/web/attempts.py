"""Counts wrong sign-ins, by account and by address, so that nobody can go on guessing."""

import hashlib
from collections.abc import Callable
from contextlib import suppress

import redis
from redis.exceptions import RedisError

from dashboard.errors import Problem

WINDOW_SECONDS = 60
WRONG_PER_ACCOUNT = 5
WRONG_PER_ADDRESS = 60
#: Windows kept in this process while Redis is away; the oldest go first.
_KEPT = 10_000


class TooManyAttempts(Problem):
    def __init__(self, seconds: int):
        super().__init__(
            429,
            "rate_limited",
            f"Too many wrong sign-ins; try again in {seconds} s.",
            headers={"Retry-After": str(seconds)},
        )


class Attempts:
    """Shared by all workers through Redis, and counted in each as well: Redis may be away."""

    def __init__(self, client: redis.Redis, prefix: str, clock: Callable[[], int]):
        self._client = client
        self._prefix = prefix
        self._clock = clock
        self._windows: dict[str, tuple[int, int]] = {}

    def begin(self, email: str, address: str) -> None:
        """Counts an attempt before it is checked, so that many at once do not slip through.

        Raises TooManyAttempts, whether or not the password would have been right.
        """
        for name, most in self._names(email, address):
            count, seconds = max(self._count_here(name), self._count_shared(name))
            if count > most:
                raise TooManyAttempts(seconds)

    def succeeded(self, email: str, address: str) -> None:
        """The attempt was right and does not count."""
        for name, _ in self._names(email, address):
            count, ends_at = self._windows.get(name, (0, 0))
            if count:
                self._windows[name] = (count - 1, ends_at)
            self._forget_shared(name)

    def _names(self, email: str, address: str) -> tuple[tuple[str, int], ...]:
        account = hashlib.sha256(email.encode("utf-8", "surrogatepass")).hexdigest()[:32]
        start = f"{{{self._prefix}}}|signin"
        return (
            (f"{start}|address|{address}", WRONG_PER_ADDRESS),
            (f"{start}|account|{account}", WRONG_PER_ACCOUNT),
        )

    def _count_here(self, name: str) -> tuple[int, int]:
        now = self._clock()
        count, ends_at = self._windows.pop(name, (0, 0))
        if now >= ends_at:
            count, ends_at = 0, now + WINDOW_SECONDS * 1000
        self._windows[name] = (count + 1, ends_at)
        while len(self._windows) > _KEPT:
            del self._windows[next(iter(self._windows))]
        return count + 1, max(1, (ends_at - now + 999) // 1000)

    def _forget_shared(self, name: str) -> None:
        with suppress(RedisError), self._client.pipeline(transaction=True) as pipeline:
            pipeline.decr(name)
            pipeline.ttl(name)
            _, seconds = pipeline.execute()
            if seconds < 0:
                # The window ended meanwhile: what was counted down would stay for ever.
                self._client.delete(name)

    def _count_shared(self, name: str) -> tuple[int, int]:
        try:
            with self._client.pipeline(transaction=True) as pipeline:
                pipeline.set(name, 0, ex=WINDOW_SECONDS, nx=True)
                pipeline.incr(name)
                pipeline.ttl(name)
                _, count, seconds = pipeline.execute()
        except RedisError:
            return 0, WINDOW_SECONDS
        return count, max(1, seconds)
