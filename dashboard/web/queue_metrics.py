"""What the desk looks like now, for Prometheus: the same in each worker, read from Redis."""

from collections.abc import Callable, Mapping

from redis.exceptions import RedisError

from dashboard.live.queue.numbers import QueueReader
from dashboard.services import Services
from presence.people import People
from scoring.ranking import Ranking, RankingLost
from scoring.views import VIEWS


def watch_queue(services: Services) -> None:
    """Adds the gauges of the queue to the metrics."""
    queue = QueueMetrics(services.ranking, services.queue_reader, services.clock)
    here = AdminsHere(services.presence_service.admins)
    for name, text, label, read in (
        ("queue_threads", "Threads in a view.", "view", queue.lengths),
        ("longest_wait_seconds", "The longest wait; 0: nobody waits.", "", queue.longest_wait),
        ("long_waits", "Threads that have waited for more than 30 minutes.", "", queue.long_waits),
        ("admins_here", "Admins who have a window open.", "", here.count),
    ):
        services.metrics.watch_many(name, text, label, read, "once")


class QueueMetrics:
    """Lengths of the views, and of the waits; nothing while Redis cannot tell.

    `clock` gives milliseconds since 1970.
    """

    def __init__(self, ranking: Ranking, reader: QueueReader, clock: Callable[[], int]):
        self._ranking = ranking
        self._reader = reader
        self._clock = clock

    def lengths(self) -> Mapping[str, float]:
        """View to the number of its threads."""
        try:
            return {view: self._ranking.head(view, "arrival", 1).total for view in VIEWS}
        except (RedisError, RankingLost):
            return {}

    def longest_wait(self) -> Mapping[str, float]:
        """Seconds."""
        numbers = self._reader.read()
        if numbers is None:
            return {}
        since = numbers.longest_since
        return {"": 0 if since is None else max(0, self._clock() - since) / 1000}

    def long_waits(self) -> Mapping[str, float]:
        """How many wait for longer than half an hour."""
        numbers = self._reader.read()
        return {} if numbers is None else {"": numbers.over}


class AdminsHere:
    """How many admins have a window open, the invisible included; nothing without Redis."""

    def __init__(self, admins: People):
        self._admins = admins

    def count(self) -> Mapping[str, float]:
        try:
            return {"": len(self._admins.connected())}
        except RedisError:
            return {}
