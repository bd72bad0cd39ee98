"""How long the lists of queries are, read for all of them at once."""

import time
from collections.abc import Callable, Mapping

from redis.exceptions import RedisError

from scoring.ranking import Ranking

#: Interval of reading all lengths, whether or not anything is known to have changed.
READ_ALL_SECONDS = 5.0


class Lengths:
    """What was read last: each was the length of its list at one of its versions."""

    def __init__(self, ranking: Ranking, monotonic: Callable[[], float] = time.monotonic):
        self._ranking = ranking
        self._monotonic = monotonic
        self._known: dict[str, int] = {}
        #: Of the last calls that are known, one for each group of lists; None: all lists are read.
        self._numbers: tuple[int, ...] | None = None
        self._is_touched = True
        self._read_all_at = 0.0

    @property
    def known(self) -> Mapping[str, int]:
        """By list id; without lists that are lost, or are being built for the first time."""
        return self._known

    def note(self) -> None:
        """Some list of a query has changed."""
        self._is_touched = True

    def read(self) -> set[str]:
        """The lists whose length is another one than at the call before. Raises RedisError."""
        now = self._monotonic()
        if now >= self._read_all_at:
            self._is_touched, self._numbers = True, None
        if not self._is_touched:
            return set()
        self._is_touched = False
        try:
            found = self._ranking.totals(self._numbers)
        except RedisError:
            self._is_touched = True
            raise
        known = self._known
        if self._numbers is None:
            self._read_all_at = now + READ_ALL_SECONDS
            self._known = {}
        # After a loss of data numbers begin again: then all is read once more.
        self._numbers = found.numbers if found.is_whole else None
        self._is_touched |= not found.is_whole
        self._known = self._known | found.totals
        return {id for id, total in found.totals.items() if known.get(id) != total}
