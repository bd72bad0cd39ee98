"""The admins with an open window, known without asking Redis."""

import time
from collections.abc import Callable

from presence.people import People

#: What was read is used for this many seconds.
_LIFETIME_SECONDS = 5.0


class PresentAdmins:
    """Keeps the present admins. A task reads them when admins come or leave, and every 3 s;
    transactions ask here, because they may not wait."""

    def __init__(self, people: People, monotonic: Callable[[], float] = time.monotonic):
        self._people = people
        self._monotonic = monotonic
        self._present: frozenset[str] = frozenset()
        self._until = float("-inf")

    def refresh(self) -> None:
        """Reads the connected admins, the invisible included. Raises RedisError."""
        self._present = self._people.connected()
        self._until = self._monotonic() + _LIFETIME_SECONDS

    def forget(self) -> None:
        """Drops everything: Redis is away, or has lost its data."""
        self._until = float("-inf")

    def count(self) -> int | None:
        """Counts the admins with an open window; None while that is unknown."""
        return len(self._present) if self._monotonic() < self._until else None

    def is_absent(self, admin_id: int) -> bool:
        """Whether the admin has no window open; False while that is unknown."""
        return self._monotonic() < self._until and str(admin_id) not in self._present
