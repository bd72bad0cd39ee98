"""Holds keys to their rate: events a second, in this process."""

import math
import time
from collections.abc import Callable

from dashboard.buckets import Buckets
from dashboard.errors import Problem
from dashboard.store.keys import Caller


class Quotas:
    """Counts events a second by key; keys without a rate are not counted."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic):
        self._buckets = Buckets(monotonic)

    def take(self, caller: Caller, events: int) -> None:
        """Takes so many events from the caller's quota, or none: raises Problem (429)."""
        rate = caller.rate_per_second
        if rate is None:
            return
        seconds = self._buckets.take(caller.key_id, events, rate)
        if seconds is not None:
            raise _over_quota(rate, events, seconds)


def _over_quota(rate: int, events: int, seconds: float) -> Problem:
    detail = f"This key may post {rate} events a second; nothing was stored."
    if events > rate:
        detail += f" A batch of {events} is more than it may ever post at once."
    headers = {"Retry-After": str(max(1, math.ceil(seconds)))}
    return Problem(429, "rate_limited", detail, headers=headers)
