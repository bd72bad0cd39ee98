"""How many wait, since when, and who is here: read from Redis."""

from collections.abc import Callable
from typing import NamedTuple

from redis.exceptions import RedisError

from scoring.ranking import Ranking, RankingLost

#: In this view everybody waits; in this sort the one who waits longest is first, and the score is
#: the time since when.
_WAITING = ("not_respond", "longest_wait")
#: A wait that is longer than this counts as a long one.
LONG_WAIT_MS = 30 * 60_000


class QueueNumbers(NamedTuple):
    """The state of the queue. `longest_since` in milliseconds since 1970, None where nobody waits;
    `over` is how many wait for longer than `LONG_WAIT_MS`; `here` is None while it is not known."""

    waiting: int
    longest_since: int | None
    over: int
    here: int | None


class QueueReader:
    """Reads the numbers; `here` counts the admins who have a window open, the invisible included.

    `clock` gives milliseconds since 1970.
    """

    def __init__(self, ranking: Ranking, here: Callable[[], int | None], clock: Callable[[], int]):
        self._ranking = ranking
        self._here = here
        self._clock = clock

    def read(self) -> QueueNumbers | None:
        """None while Redis is away, or lacks the list."""
        name, sort = _WAITING
        try:
            head = self._ranking.head(name, sort, 1)
            over = self._ranking.count_below(name, sort, self._clock() - LONG_WAIT_MS)
        except (RedisError, RankingLost):
            return None
        first = head.entries[0].score if head.entries else None
        # Read one after the other: a thread may have left in between.
        return QueueNumbers(head.total, first, min(over, head.total), self._here())
