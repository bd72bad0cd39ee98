"""The customers that an admin of some desks may know: those with a thread that the admin sees.

The list of customers online and what sockets watch go by this one rule.
"""

import time
from collections.abc import Callable, Collection, Sequence

from dashboard.db.accounts.team import customers_at, known_customers
from dashboard.db.database import Database

#: A thread that was closed longer ago does not count.
KNOWN_MS = 90 * 86_400_000
#: Of so many customers at most a list asks for each; else those on it are looked through, and of
#: more than this the answers are kept for some seconds.
_FEW = 1_000
_KEPT_SECONDS = 5.0
_SLICE = 500
#: The most sets of desks with answers that are kept.
_KEPT_MAX = 100


class KnownCustomers:
    """Finds customers by the desks of an admin. Raises StorageUnavailable.

    `clock` gives milliseconds, `monotonic` seconds.
    """

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
        """The customers among `people`, named SOURCE/ID, that an admin of these desks knows."""
        found: set[str] = set()
        for start in range(0, len(people), _SLICE):
            with self._database.read() as connection:
                closed_since = self._clock() - KNOWN_MS
                some = people[start : start + _SLICE]
                found |= known_customers(connection, some, desks, closed_since)
        return found

    def all_if_few(self, desks: Collection[str]) -> list[str] | None:
        """All customers that an admin of these desks knows; None where they are many."""
        with self._database.read() as connection:
            found = customers_at(connection, desks, self._clock() - KNOWN_MS, _FEW + 1)
        return found if len(found) <= _FEW else None

    def of_a_list(self, desks: frozenset[str]) -> Callable[[Sequence[str]], Collection[str]]:
        """`among` for a list, which asks again and again; its answers may be some seconds old where
        the list is long."""
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
