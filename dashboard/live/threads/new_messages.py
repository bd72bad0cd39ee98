"""Finds which threads may have something new, and has it pushed."""

import logging
from collections.abc import Collection, Iterable

from redis.exceptions import RedisError

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
#: A thread on any view is on one of these.
_VIEWS = ("arrival", "history")


class NewMessages:
    """A message changes its thread, and the thread stands in the log of changes of a view; where it
    is snoozed or archived, among the unlisted changes."""

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
        self._has_unlisted = False
        self._unlisted_number: int | None = None
        self._next_poll_at = 0.0

    def push(self, due: Collection[str]) -> None:
        """Sends what is new in open threads, of which these lists have changed, and notices; ends
        what sockets hold of threads that have gone to another desk.

        Raises RedisError and RankingLost.
        """
        if not self._concerns_anybody():
            self._cursors.clear()
            return
        changed: set[int] | None = set()
        for list_id in (name for name in _VIEWS if name in due):
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

    def note_unlisted(self) -> None:
        """The next `poll` reads which threads have changed that are on no view."""
        self._has_unlisted = True

    def poll(self, now: float) -> None:
        """Reads open threads from SQL while Redis is away, when no notifications come; and what is
        new in threads that are on no view."""
        if self._status.since is not None and now >= self._next_poll_at:
            self._next_poll_at = now + POLL_SECONDS
            self._push(None)
        elif self._has_unlisted and self._status.since is None:
            self._push_unlisted()
        elif any(
            each.has_unchecked for each in (self._conversations, self._held_threads, self._notices)
        ):
            self._push(())

    def _push_unlisted(self) -> None:
        if not self._concerns_anybody():
            self._has_unlisted = False
            return
        try:
            found = self._ranking.unlisted_since(self._unlisted_number)
        except RedisError as error:
            log.info("changes of threads on no view are read later: %s", error)
            return
        self._has_unlisted, self._unlisted_number = False, found.number
        self._push(found.ids)

    def _concerns_anybody(self) -> bool:
        return self._conversations.has_readers or bool(self._held_threads or self._notices)

    def _push(self, changed: Iterable[int] | None) -> None:
        for work in (self._conversations.push, self._held_threads.check, self._notices.check):
            try:
                work(changed)
            except StorageUnavailable as error:
                log.warning("changed threads cannot be read: %s", error)
