"""When the reconciler may rest: nothing has changed since it found Redis and SQL equal.

Comparing costs the more the more threads there are, so it is not done for its own sake.
"""

import time
from collections.abc import Callable, Collection
from typing import NamedTuple

from redis.exceptions import RedisError

from dashboard.db.agenda import Agenda
from scoring.pulse import Pulse, Watch
from scoring.ranking import Ranking

#: A rest ends after so long: then the heads are compared, and a few threads, whatever is known.
REST_SECONDS = 60.0
#: Interval of asking Redis meanwhile whether any program has written, and whether it was restarted.
WATCH_SECONDS = 10.0


class Mark(NamedTuple):
    """Another one after each change of a list by our programs."""

    lists: int
    views: tuple[str, ...]
    queries: str
    unlisted: str


def mark_of(agenda: Agenda | None, pulse: Pulse | None) -> Mark | None:
    """None where SQL or Redis is away, or one of them says that something is to be done."""
    if agenda is None or pulse is None or agenda.has_unplaced or agenda.has_expired:
        return None
    if "" in pulse.views:
        return None
    return Mark(agenda.lists, pulse.views, pulse.queries, pulse.unlisted)


class Rest:
    """Decides it, by marks. After each change all threads are compared once: in what may be two
    passes, for the one under way has begun before it."""

    def __init__(self, ranking: Ranking, monotonic: Callable[[], float] = time.monotonic):
        self._ranking = ranking
        self._monotonic = monotonic
        self._equal_at: Mark | None = None
        self._was_equal = False
        self._list_ids: Collection[str] = ()
        self._until = self._watch_until = 0.0
        self._watch: Watch | None = None
        #: How many passes must have ended.
        self._passes = 0

    def goes_on(self, mark: Mark | None, passes: int) -> bool:
        """Whether nothing is to be compared now; `passes`: how many have ended."""
        if mark is None or mark != self._equal_at:
            # At the start nothing has changed: what was placed before is as it was then.
            if self._was_equal:
                self.compare_all(passes)
            return False
        if self.is_comparing(passes) or self._monotonic() >= self._until:
            return False
        return not self._is_touched(passes)

    def is_comparing(self, passes: int) -> bool:
        """Whether all threads are to be compared."""
        return passes < self._passes

    def begin(self, mark: Mark | None, list_ids: Collection[str]) -> None:
        """A tick was made at a mark, None: not all was equal, or is known to stay so."""
        self._equal_at, self._list_ids = mark, list_ids
        self._was_equal |= mark is not None
        self._until = self._monotonic() + REST_SECONDS

    def compare_all(self, passes: int) -> None:
        """All threads are to be compared once from now on."""
        self._passes = passes + 2
        self._end_watch()

    def _is_touched(self, passes: int) -> bool:
        now = self._monotonic()
        if self._watch is not None and now < self._watch_until:
            return False
        try:
            self._ranking.notice_restarts()
            watch = self._ranking.watch(self._list_ids)
        except RedisError:
            return True
        # Ended after the next one has begun, so that nothing is written in between.
        is_untouched = self._watch is None or self._watch.end()
        self._watch, self._watch_until = watch, now + WATCH_SECONDS
        if not is_untouched:
            self.compare_all(passes)
        return not is_untouched

    def _end_watch(self) -> None:
        if self._watch is not None:
            self._watch.end()
            self._watch = None
