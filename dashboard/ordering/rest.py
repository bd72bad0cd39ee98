"""When the reconciler may rest: nothing has changed since it found Redis and SQL equal.

Comparing costs the more the more threads there are, so it is not done for its own sake.
"""

import time
from collections import deque
from collections.abc import Callable, Collection
from typing import NamedTuple

from redis.exceptions import RedisError

from dashboard.db.agenda import Agenda
from scoring.pulse import Pulse, Watch
from scoring.ranking import Ranking

#: A rest ends after so long: then the heads are compared, and a few threads, whatever is known.
REST_SECONDS = 60.0
#: The same after a change, while there are few.
CHANGED_SECONDS = 10.0
#: Of so many turns, so many find a change where there are many: then there is no rest.
TURNS, TURNS_BUSY = 10, 8
#: After so many turns in which SQL says that a thread is unplaced, nobody is about to place it.
TURNS_UNPLACED = 2
#: Interval of asking Redis meanwhile whether any program has written, and whether it was restarted.
WATCH_SECONDS = 10.0


class Mark(NamedTuple):
    """Another one after each change of a list by our programs."""

    lists: int
    views: tuple[str, ...]
    queries: str
    unlisted: str


def mark_of(agenda: Agenda | None, pulse: Pulse | None) -> Mark | None:
    """None where SQL or Redis is away, a view is lost, or a list is to be removed."""
    if agenda is None or pulse is None or agenda.has_expired or "" in pulse.views:
        return None
    return Mark(agenda.lists, pulse.views, pulse.queries, pulse.unlisted)


class Rest:
    """Decides it, by marks.

    What our programs change is placed by its revision, and looked at seldom. Where another program
    has written, or Redis was away, all threads are compared once: in what may be two passes, for
    the one under way has begun before it.
    """

    def __init__(self, ranking: Ranking, monotonic: Callable[[], float] = time.monotonic):
        self._ranking = ranking
        self._monotonic = monotonic
        self._mark: Mark | None = None
        self._is_equal = False
        self._list_ids: Collection[str] = ()
        self._began = self._watch_until = 0.0
        self._watch: Watch | None = None
        self._changes: deque[bool] = deque(maxlen=TURNS)
        self._unplaced = 0
        #: How many passes must have ended.
        self._passes = 0

    def goes_on(self, agenda: Agenda | None, pulse: Pulse | None, passes: int) -> bool:
        """Whether nothing is to be compared now; `passes`: how many have ended."""
        mark, before = mark_of(agenda, pulse), self._mark
        is_changed, self._mark = mark != before, mark
        self._changes.append(is_changed)
        self._unplaced = self._unplaced + 1 if agenda is not None and agenda.has_unplaced else 0
        if mark is None or not self._is_equal or self.is_comparing(passes):
            return False
        if self._unplaced > TURNS_UNPLACED or self.is_busy:
            return False
        if is_changed:
            self._end_watch()
        rested = self._monotonic() - self._began
        if rested >= (CHANGED_SECONDS if any(self._changes) else REST_SECONDS):
            return False
        return not self._is_touched(passes)

    @property
    def is_busy(self) -> bool:
        """Whether there are many changes."""
        return self._changes.count(True) >= TURNS_BUSY

    def is_comparing(self, passes: int) -> bool:
        """Whether all threads are to be compared."""
        return passes < self._passes

    def begin(self, is_equal: bool, list_ids: Collection[str]) -> None:
        """A tick was made; whether it found all equal, and nothing is to be looked at again."""
        self._is_equal, self._list_ids = is_equal, list_ids
        self._began = self._monotonic()

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
