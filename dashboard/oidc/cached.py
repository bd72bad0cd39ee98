"""What is fetched once for all who need it, and anew after a while."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from dashboard.oidc.refusals import ProviderUnavailable

Value = TypeVar("Value")

#: Seconds for which a value is kept.
KEPT_SECONDS = 600.0
#: Seconds after a failure in which nothing is fetched: those who waited for it fail at once.
PAUSE_SECONDS = 2.0


class Cached(Generic[Value]):
    """`fetch` raises ProviderUnavailable; while it runs, others who need the value wait for it."""

    def __init__(self, fetch: Callable[[], Value], monotonic: Callable[[], float]):
        self._fetch = fetch
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._value: Value | None = None
        self._fetched_at = float("-inf")
        self._failed_at = float("-inf")

    def get(self, newer_than: Value | None = None) -> Value:
        """The value; another one than `newer_than`, unless the same is fetched again.

        Raises ProviderUnavailable.
        """
        with self._lock:
            now = self._monotonic()
            is_fresh = now < self._fetched_at + KEPT_SECONDS
            if self._value is not None and is_fresh and self._value is not newer_than:
                return self._value
            if now < self._failed_at + PAUSE_SECONDS:
                raise ProviderUnavailable()
            try:
                self._value = self._fetch()
            except ProviderUnavailable:
                self._failed_at = self._monotonic()
                raise
            self._fetched_at = self._monotonic()
            return self._value
