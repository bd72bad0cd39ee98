"""Which admins have a window open, known without asking Redis."""

import time
from collections.abc import Callable

from presence.people import People

#: Seconds after which what was read counts no more.
_LIFETIME_SECONDS = 5.0


class PresentAdmins:
    """Read by a task when admins come or leave, and every 3 s; asked inside transactions, where
    nothing may wait."""

    def __init__(self, people: People, monotonic: Callable[[], float] = time.monotonic):
        self._people = people
        self._monotonic = monotonic
        self._present: frozenset[str] = frozenset()
        self._until = float("-inf")

    def refresh(self) -> None:
        """Reads who is connected, the invisible included. Raises RedisError."""
        self._present = self._people.connected()
        self._until = self._monotonic() + _LIFETIME_SECONDS

    def forget(self) -> None:
        """Nothing is known: Redis is away, or has lost its data."""
        self._until = float("-inf")

    def count(self) -> int | None:
        """How many admins have a window open; None while that is not known."""
        return len(self._present) if self._monotonic() < self._until else None

    def is_absent(self, admin_id: int) -> bool:
        """Whether the admin has no window open; False where that is not known."""
        return self._monotonic() < self._until and str(admin_id) not in self._present
