"""Which customers an admin of some desks may know of: those with a thread that the admin sees.

Two callers, the list of who was here and what sockets watch, go by one rule.
"""

import time
from collections.abc import Callable, Collection, Sequence

from dashboard.db.accounts.team import customers_at, known_customers
from dashboard.db.database import Database
from dashboard.turns import turns

#: A thread that was closed longer ago tells nothing any more of its customer.
KNOWN_MS = 90 * 86_400_000
#: Of so many customers at most a list asks for each; else those on it are looked through, and of
#: more than this the answers are kept for some seconds.
_FEW = 1_000
_KEPT_SECONDS = 5.0
_SLICE = 500
#: Sets of desks of which answers are kept.
_KEPT_MAX = 100


class KnownCustomers:
    """Raises StorageUnavailable. `clock` gives milliseconds, `monotonic` seconds."""

    def __init__(
        self,
        database: Database,
        clock: Callable[[], int],
        monotonic: Callable[[], float] = time.monotonic,
    ):
        self._database = database
        self._clock = clock
        self._monotonic = monotonic
        self._kept: dict[frozenset[str], tuple[float, dict[str, bool]]] = {}

    def among(self, people: Sequence[str], desks: Collection[str]) -> set[str]:
        """Those of the customers, named SOURCE/ID, of whom an admin who sees these desks knows."""
        found: set[str] = set()
        for start in range(0, len(people), _SLICE):
            turns.step()
            with self._database.read() as connection:
                closed_since = self._clock() - KNOWN_MS
                some = people[start : start + _SLICE]
                found |= known_customers(connection, some, desks, closed_since)
        return found

    def all_if_few(self, desks: Collection[str]) -> list[str] | None:
        """All customers of whom an admin who sees these desks knows; None where they are many."""
        with self._database.read() as connection:
            found = customers_at(connection, desks, self._clock() - KNOWN_MS, _FEW + 1)
        return found if len(found) <= _FEW else None

    def of_a_list(self, desks: frozenset[str]) -> Callable[[Sequence[str]], Collection[str]]:
        """The same for a list, which is asked again and again: of long ones some seconds old."""
        asked = 0

        def among(people: Sequence[str]) -> Collection[str]:
            nonlocal asked
            asked += len(people)
            if asked <= _FEW:
                return self.among(people, desks)
            kept = self._answers(desks)
            new = [person for person in people if person not in kept]
            found = self.among(new, desks)
            kept.update((person, person in found) for person in new)
            return {person for person in people if kept[person]}

        return among

    def _answers(self, desks: frozenset[str]) -> dict[str, bool]:
        now = self._monotonic()
        until, kept = self._kept.get(desks, (now, {}))
        if now >= until:
            if len(self._kept) >= _KEPT_MAX:
                self._kept.clear()
            kept = {}
            self._kept[desks] = now + _KEPT_SECONDS, kept
        return kept
