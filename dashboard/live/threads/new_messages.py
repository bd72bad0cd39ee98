"""Finds which threads may have something new, and has it pushed."""

import logging
from collections.abc import Collection, Iterable

from dashboard.errors import StorageUnavailable
from dashboard.live.notices.notices import Notices
from dashboard.live.status import Status
from dashboard.live.threads.conversations import Conversations
from dashboard.live.threads.held_threads import HeldThreads
from scoring.ranking import Ranking, RankingLost
from scoring.sorts import ANY_SORT

log = logging.getLogger(__name__)

#: Interval at which open threads are read from SQL while Redis is away.
POLL_SECONDS = 2.0
#: With more changed threads, all open ones are read.
CHANGES_MAX = 5_000
#: Every thread is on one of these views.
_EVERY_THREAD = ("arrival", "history")


class NewMessages:
    """A message changes its thread, and the thread stands in the log of changes of a view."""

    def __init__(
        self,
        ranking: Ranking,
        conversations: Conversations,
        held_threads: HeldThreads,
        notices: Notices,
        status: Status,
    ):
        self._ranking = ranking
        self._conversations = conversations
        self._held_threads = held_threads
        self._notices = notices
        self._status = status
        self._cursors: dict[str, tuple[str, int]] = {}
        self._next_poll_at = 0.0

    def push(self, due: Collection[str]) -> None:
        """Sends what is new in open threads, of which these lists have changed, and notices; ends
        what sockets hold of threads that have gone to another desk.

        Raises RedisError and RankingLost.
        """
        if not (self._conversations.has_readers or self._held_threads or self._notices):
            self._cursors.clear()
            return
        changed: set[int] | None = set()
        for list_id in (name for name in _EVERY_THREAD if name in due):
            known = self._cursors.get(list_id)
            found = known and self._ranking.since(list_id, [ANY_SORT], *known, CHANGES_MAX)
            if found:
                self._cursors[list_id] = found.epoch, found.version
                if changed is not None:
                    changed |= {entry.id for entry in found.sets[ANY_SORT]} | set(found.gone)
            else:
                state = self._ranking.states([list_id])[list_id]
                if state.epoch is None:
                    raise RankingLost([list_id])
                self._cursors[list_id] = state.epoch, state.version
                changed = None
        self._push(changed)

    def poll(self, now: float) -> None:
        """Reads open threads from SQL while Redis is away, when no notifications come."""
        if self._status.since is not None and now >= self._next_poll_at:
            self._next_poll_at = now + POLL_SECONDS
            self._push(None)
        elif any(
            each.has_unchecked for each in (self._conversations, self._held_threads, self._notices)
        ):
            self._push(())

    def _push(self, changed: Iterable[int] | None) -> None:
        for work in (self._conversations.push, self._held_threads.check, self._notices.check):
            try:
                work(changed)
            except StorageUnavailable as error:
                log.warning("changed threads cannot be read: %s", error)
