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
#: The same after changes, few and many.
CHANGED_SECONDS, BUSY_SECONDS = 10.0, 5.0
#: Turns that are remembered, and the changes of one at which there are many.
TURNS, BUSY_CHANGES = 10, 5
#: Interval of asking Redis meanwhile whether any program has written, and whether it was restarted.
WATCH_SECONDS = 10.0


class Mark(NamedTuple):
    """Another one after each change of a list by our programs."""

    lists: int
    views: tuple[str, ...]
    queries: tuple[str, ...]
    unlisted: str

    def changes_since(self, before: "Mark | None") -> int:
        """The number of changes since an earlier mark, about."""
        if before is None or before == self:
            return int(before is None)
        numbers = zip((*self.views, *self.queries), (*before.views, *before.queries), strict=True)
        return max([1, *(_number(now) - _number(then) for now, then in numbers)])


def _number(text: str) -> int:
    return int(text.rpartition(" ")[2] or 0)


def mark_of(agenda: Agenda | None, pulse: Pulse | None) -> Mark | None:
    """The mark of now; None where SQL or Redis is away, a view is lost, or a list must go."""
    if agenda is None or pulse is None or agenda.has_expired or "" in pulse.views:
        return None
    return Mark(agenda.lists, pulse.views, pulse.queries, pulse.unlisted)


class Rest:
    """Decides by marks whether the reconciler may rest.

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
        self._changes: deque[int] = deque(maxlen=TURNS)
        #: How many passes must have ended.
        self._passes = 0

    def goes_on(self, agenda: Agenda | None, pulse: Pulse | None, passes: int) -> bool:
        """Whether nothing is to be compared now; `passes`: how many have ended."""
        mark, before = mark_of(agenda, pulse), self._mark
        self._mark = mark
        self._changes.append(mark.changes_since(before) if mark is not None else 1)
        if mark is None or not self._is_equal or self.is_comparing(passes):
            return False
        if before is None or mark.lists != before.lists:
            # A list that was added is to be built.
            return False
        if mark != before:
            self._end_watch()
        rested = self._monotonic() - self._began
        if rested >= (CHANGED_SECONDS if any(self._changes) else REST_SECONDS):
            return False
        if self.is_busy and rested >= BUSY_SECONDS:
            return False
        return not self._is_touched(passes)

    @property
    def is_busy(self) -> bool:
        """Whether there are many changes."""
        return sum(self._changes) >= BUSY_CHANGES * TURNS

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
