"""Which lists of queries that somebody looks at have changed: one read for all of them."""

import math

from redis.exceptions import RedisError

from dashboard.live.subscriptions import Subscriptions
from scoring.keys import is_query_list
from scoring.ranking import Ranking

#: Least time between two reads: with a thousand lists nearly every event changes some of them.
READ_SECONDS = 0.05


class TouchedQueries:
    """One notification says that some lists of queries have changed, of all that there are.

    What is read grows with the lists that sockets of this worker are subscribed to, not with those
    that there are.
    """

    def __init__(self, ranking: Ranking, subscriptions: Subscriptions):
        self._ranking = ranking
        self._subscriptions = subscriptions
        self._numbers: dict[str, int | None] = {}
        self._is_noted = False
        self._next_at = 0.0

    def note(self) -> bool:
        """Some list has changed; whether that is news, and somebody looks at lists of queries."""
        is_news = not self._is_noted and any(map(is_query_list, self._subscriptions))
        self._is_noted |= is_news
        return is_news

    def take(self, now: float) -> set[str]:
        """The subscribed lists that have changed since the last call, where it is time to look.

        While Redis is away all of them: reading them finds out.
        """
        if not self._is_noted or now < self._next_at:
            return set()
        self._is_noted, self._next_at = False, now + READ_SECONDS
        list_ids = [list_id for list_id in self._subscriptions if is_query_list(list_id)]
        try:
            numbers = self._ranking.last_changes(list_ids)
        except RedisError:
            return set(list_ids)
        known, self._numbers = self._numbers, numbers
        return {id for id, number in numbers.items() if id not in known or known[id] != number}

    def wait_seconds(self, now: float) -> float:
        """Seconds until `take` has something to do."""
        return max(0.0, self._next_at - now) if self._is_noted else math.inf
