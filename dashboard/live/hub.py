"""The hub of a web process: when a bell rings, reads what changed, once, and frames it for all."""

import logging
import threading
import time
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from redis.exceptions import RedisError

from dashboard.errors import StorageUnavailable
from dashboard.live import frames
from dashboard.live.boards import Boards, Follower, Step
from dashboard.live.conversations import Conversations
from dashboard.live.outlet import Outlet, Parcels
from dashboard.live.reads import Reads
from dashboard.live.screens import Screens
from dashboard.live.status import Status
from dashboard.live.totals import Totals
from dashboard.live.way_out import WayOut
from scoring.pages import PAGES
from scoring.ranking import Ranking, RankingLost
from scoring.reading import Changes, State
from scoring.sorts import SORTS

log = logging.getLogger(__name__)

#: At once when all is quiet, then at most one frame each so often.
FRAME_SECONDS = 0.05
#: A process in which pushing takes more than this share of the time does so less often, and more
#: at once, instead of falling behind: down to one frame each so often.
PUSHING_SHARE = 0.3
BUSY_FRAME_SECONDS = 0.1
#: After so many frames others get their turn: hundreds take longer than a request may wait.
FRAMES_AT_ONCE = 100
#: After a failed read.
RETRY_SECONDS = 1.0
#: Everything is looked at so often, bell or no bell.
SLOW_TICK_SECONDS = 5.0
#: Whether the order is late is asked so often.
STATUS_SECONDS = 1.0
#: A socket that has not acknowledged a frame for so long is gone.
ACKNOWLEDGE_SECONDS = 38.0
#: Beyond so many changed threads a list is opened anew.
CHANGES_MAX = 5_000
#: While Redis is away, open threads are read from SQL so often.
POLL_SECONDS = 2.0
#: Open threads are found on the pages where every thread is.
_EVERY_THREAD = ("arrival", "history")
_ANY_SORT = next(iter(SORTS))


class Hub:
    """Pushes what changed to this worker's sockets, and to no others.

    Of everything it holds, what belongs to a socket is dropped by `drop`.
    """

    def __init__(
        self,
        ranking: Ranking,
        reads: Reads,
        status: Status,
        outlet: Outlet,
        monotonic: Callable[[], float] = time.monotonic,
    ):
        self._ranking = ranking
        self._reads = reads
        self._outlet = outlet
        self._parcels = Parcels(outlet)
        self._monotonic = monotonic
        self.status = status
        self.boards = Boards()
        self.screens = Screens()
        self.totals = Totals(self._parcels)
        self.conversations = Conversations(reads, outlet)
        self.way_out = WayOut(reads, self.conversations, outlet)
        self._rung: set[str] = set()
        self._due_at: dict[str, float] = {}
        self._looked_at: dict[str, tuple[str, int]] = {}
        self._bell = threading.Event()
        self._next_tick_at = 0.0
        self._next_poll_at = 0.0
        self._sent = 0
        self._stopped = False

    def ring(self, tags: Iterable[str] | None) -> None:
        """These tags have changed; None: any may have."""
        self._rung |= self._known_tags() if tags is None else set(filter(self._knows, tags))
        if self._rung or self.conversations.are_unsure:
            self._bell.set()

    def drop(self, sid: str) -> None:
        """The socket is gone, and all that was kept for it."""
        for part in (self.boards, self.screens, self.totals, self.conversations):
            part.drop(sid)

    def run(self) -> None:
        """Pushes until `stop`; never raises."""
        while not self._stopped:
            self._bell.wait(self._wait_seconds())
            self._bell.clear()
            try:
                self.turn()
            except Exception:
                log.exception("a turn of the hub failed")
                time.sleep(RETRY_SECONDS)

    def stop(self) -> None:
        self._stopped = True
        self._bell.set()

    def turn(self) -> None:
        """Pushes what is due now."""
        now = self._monotonic()
        if now >= self._next_tick_at:
            self._next_tick_at = now + SLOW_TICK_SECONDS
            self._rung |= self._known_tags()
            self._hang_up_on_the_silent(now)
        due = {tag for tag in self._rung if self._due_at.get(tag, 0.0) <= now}
        self._rung -= due
        self._due_at = {tag: at for tag, at in self._due_at.items() if at > now}
        if due:
            self._push(due)
        self._poll_messages(now)
        self.status.tell()

    def _push(self, due: set[str]) -> None:
        begun = self._monotonic()
        retry = begun + RETRY_SECONDS
        try:
            lost = self._read_and_send(due)
            self.status.could_read()
        except (RedisError, RankingLost) as error:
            if not self.status.is_unread:
                log.warning("the order cannot be read: %s", error)
            self.status.could_not_read()
            lost = due
        pause = (self._monotonic() - begun) / PUSHING_SHARE
        again = begun + min(max(FRAME_SECONDS, pause), BUSY_FRAME_SECONDS)
        self._due_at |= dict.fromkeys(due, again) | dict.fromkeys(lost, retry)
        self._rung |= lost

    def _read_and_send(self, due: set[str]) -> set[str]:
        """The tags that could not be read: those of a new admin are not there at once."""
        steps = [
            (tag, step, self._since(tag, step)) for tag in due for step in self.boards.steps(tag)
        ]
        states = self._states(
            self.totals.wanted(due) | {tag for tag, _, changes in steps if changes is None}
        )
        rows = frames.Rows(self._rows(changes for _, _, changes in steps if changes))
        # Told first, they go out in one piece with the frames.
        self.totals.tell({tag: state.total for tag, state in states.items() if state.epoch})
        for tag, step, changes in steps:
            if changes is not None:
                self._send(step, changes, rows)
            elif states[tag].epoch is not None:
                self._send_anew(step, states[tag])
        self._parcels.deliver_all()
        self._push_new_messages(due)
        return {tag for tag, state in states.items() if state.epoch is None}

    def _states(self, tags: set[str]) -> dict[str, State]:
        """Where the tags stand. Raises RankingLost where one that there always is has gone."""
        if self.status.is_unread:
            # All is well again when all that there always is can be read.
            tags = tags.union(PAGES)
        states = self._ranking.states(tags) if tags else {}
        lost = [tag for tag in PAGES if tag in states and states[tag].epoch is None]
        if lost:
            raise RankingLost(lost)
        return states

    def _since(self, tag: str, step: Step) -> Changes | None:
        return self._ranking.since(tag, step.sorts(), step.epoch, step.since, CHANGES_MAX)

    def _rows(self, found: Iterable[Changes]) -> dict[int, dict[str, Any]]:
        """The rows, of the threads that changed, which somebody has or will have on screen.

        What lands on top is seen at once by all who are not scrolled: if each of them had to
        fetch it, that would cost more than everything else.
        """
        ids: set[int] = set()
        for changes in found:
            for sort, entries in changes.sets.items():
                ids.update(self.screens.on_screen(entry.id for entry in entries))
                ids.update(entry.id for entry in changes.on_top(sort))
        try:
            return self._reads.rows(ids)
        except StorageUnavailable:
            # Browsers fetch what they see and were not sent.
            return {}

    def _send(self, step: Step, changes: Changes, rows: frames.Rows) -> None:
        for list in {follower.list for follower in step.followers}:
            frame = None
            for follower in step.followers:
                if follower.list != list or not _is_behind(follower, changes):
                    continue
                frame = frame or frames.order(list, changes, step.since, rows)
                self._send_frame(follower, changes.epoch, changes.version, frame)

    def _send_anew(self, step: Step, state: State) -> None:
        assert state.epoch is not None
        for follower in step.followers:
            if not follower.gone:
                frame = frames.anew(follower.list, state.epoch, state.version, state.total)
                self._send_frame(follower, state.epoch, state.version, frame)

    def _send_frame(
        self, follower: Follower, epoch: str, version: int, frame: frames.Fragment
    ) -> None:
        follower.epoch, follower.version = epoch, version
        follower.unacknowledged_since = self._monotonic()
        self._parcels.send(follower.sid, "list:order", frame, partial(self._acknowledged, follower))
        self._parcels.deliver(follower.sid)
        self._sent += 1
        if self._sent % FRAMES_AT_ONCE == 0:
            time.sleep(0)

    def _acknowledged(self, follower: Follower, *ignored: object) -> None:
        follower.unacknowledged_since = None
        if follower.missed and not follower.gone:
            follower.missed = False
            self.ring([self.boards.lists_of(follower.sid)[follower.list]])

    def _push_new_messages(self, due: set[str]) -> None:
        """Sends what was written in open threads, as far as their pages have changed."""
        if not self.conversations.are_open:
            self._looked_at.clear()
            return
        changed: set[int] | None = set()
        for tag in due.intersection(_EVERY_THREAD):
            known = self._looked_at.get(tag)
            found = known and self._ranking.since(tag, [_ANY_SORT], *known, CHANGES_MAX)
            if found:
                self._looked_at[tag] = found.epoch, found.version
                if changed is not None:
                    changed |= {entry.id for entry in found.sets[_ANY_SORT]} | set(found.gone)
            else:
                state = self._states({tag})[tag]
                self._looked_at[tag] = state.epoch or "", state.version
                changed = None
        self._push_messages(changed)

    def _push_messages(self, changed: Iterable[int] | None) -> None:
        try:
            self.conversations.push(changed)
        except StorageUnavailable as error:
            log.warning("open threads cannot be read: %s", error)

    def _poll_messages(self, now: float) -> None:
        """While Redis is away there are no bells: SQL is asked."""
        if self.status.since is not None and now >= self._next_poll_at:
            self._next_poll_at = now + POLL_SECONDS
            self._push_messages(None)
        elif self.conversations.are_unsure:
            self._push_messages(())

    def _hang_up_on_the_silent(self, now: float) -> None:
        for follower in self.boards.followers():
            since = follower.unacknowledged_since
            if since is not None and now - since > ACKNOWLEDGE_SECONDS:
                self._outlet.hang_up(follower.sid)

    def _known_tags(self) -> set[str]:
        return {*PAGES, *self.boards, *self.totals.tags}

    def _knows(self, tag: str) -> bool:
        return tag in PAGES or tag in self.boards or tag in self.totals.tags

    def _wait_seconds(self) -> float:
        """How long there is nothing to do, unless a bell rings."""
        now = self._monotonic()
        waits = [STATUS_SECONDS, self._next_tick_at - now]
        waits += [self._due_at.get(tag, now) - now for tag in self._rung]
        return max(0.0, min(waits))


def _is_behind(follower: Follower, changes: Changes) -> bool:
    """Whether a frame brings the socket on: it may have synced, or closed, in between."""
    if follower.gone or follower.epoch != changes.epoch:
        return False
    return follower.version < changes.version and follower.unacknowledged_since is None
