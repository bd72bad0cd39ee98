"""Pushes list changes: reads each change once per process and sends it to all subscribers."""

import logging
import math
import time
from collections.abc import Callable, Iterable
from functools import partial

from redis.exceptions import RedisError

from dashboard.db.lists.named_lists import ListName
from dashboard.db.threads.thread_rows import SharedRow
from dashboard.errors import StorageUnavailable
from dashboard.live import frames
from dashboard.live.notices import Notices
from dashboard.live.reads import Reads
from dashboard.live.socket_admins import SocketAdmins
from dashboard.live.status import Status
from dashboard.live.subscriptions import ReadGroup, Subscriber, Subscriptions
from dashboard.live.threads import Conversations, DeliveryUpdates, HeldThreads, NewMessages
from dashboard.live.totals import Totals
from dashboard.live.visible_rows import VisibleRows
from dashboard.tasks import Backoff, PeriodicTask, RunsTask
from dashboard.transport.emitter import BatchedEmitter, Emitter
from scoring.keys import is_query_list
from scoring.ranking import Ranking, RankingLost
from scoring.reading import Changes, Known, State
from scoring.views import VIEWS

#: Least time between two looks: with a thousand lists nearly every event changes some of them.
READ_SECONDS = 0.05


class TouchedQueries:
    """Finds the subscribed lists of queries that have changed; a notification does not name them.

    What is read grows with the lists that sockets of this worker are subscribed to, not with all
    lists.
    """

    def __init__(self, ranking: Ranking, subscriptions: Subscriptions):
        self._ranking = ranking
        self._subscriptions = subscriptions
        self._numbers: dict[str, int | None] = {}
        self._is_noted = False
        self._next_at = 0.0

    def note(self) -> bool:
        """Notes that some list has changed; whether that is news to a socket with such a list."""
        is_news = not self._is_noted and any(map(is_query_list, self._subscriptions))
        self._is_noted |= is_news
        return is_news

    def take(self, now: float) -> set[str]:
        """Returns the subscribed lists that have changed since the last call; none before a look is
        due. While Redis is away it returns all of them: reading them fails, and is noticed.
        """
        if not self._is_noted or now < self._next_at:
            return set()
        self._is_noted, self._next_at = False, now + READ_SECONDS
        list_ids = [list_id for list_id in self._subscriptions if is_query_list(list_id)]
        try:
            numbers = self._ranking.last_changes(list_ids)
        except RedisError:
            return set(list_ids)
        before, self._numbers = self._numbers, numbers
        return {id for id, number in numbers.items() if id not in before or before[id] != number}

    def wait_seconds(self, now: float) -> float:
        """Returns the seconds until `take` has something to do."""
        return max(0.0, self._next_at - now) if self._is_noted else math.inf


log = logging.getLogger(__name__)

#: Least time between two frames of a list; the first one after a pause goes out at once.
FRAME_SECONDS = 0.05
#: Largest share of the time that pushing may take. Beyond it frames come less often and carry more,
#: so that the process keeps up; the time between two frames is at most `BUSY_FRAME_SECONDS`.
PUSHING_SHARE = 0.5
BUSY_FRAME_SECONDS = 0.1
#: Frames after which other green threads run: hundreds take longer than a request may wait.
FRAMES_AT_ONCE = 100
#: Delay after a failed read.
RETRY_SECONDS = 1.0
#: Interval of the unconditional poll.
SLOW_TICK_SECONDS = 5.0
#: Interval of checks whether lists are late.
STATUS_SECONDS = 1.0
#: Interval of sending changed totals of views that a socket does not show.
TOTALS_SECONDS = 1.0
#: A socket that does not acknowledge a frame within this time is disconnected.
ACKNOWLEDGE_SECONDS = 38.0
#: With more changed threads, browsers open the list again.
CHANGES_MAX = 5_000


class Broadcaster(RunsTask):
    """Pushes changes of lists, totals, open threads and notices to the sockets of this worker."""

    def __init__(
        self,
        ranking: Ranking,
        reads: Reads,
        status: Status,
        emitter: Emitter,
        monotonic: Callable[[], float] = time.monotonic,
    ):
        self._ranking = ranking
        self._reads = reads
        self._emitter = emitter
        self._batched = BatchedEmitter(emitter)
        self._monotonic = monotonic
        self.status = status
        self.admins = SocketAdmins()
        self.subscriptions = Subscriptions()
        self.visible_rows = VisibleRows()
        #: Sockets with a frame that they have not acknowledged yet.
        self._busy: set[str] = set()
        self.totals = Totals(self._batched, self._busy.__contains__, self.subscriptions.views_of)
        self.conversations = Conversations(reads, emitter)
        self.delivery_updates = DeliveryUpdates(reads, self.conversations, emitter, self.admins)
        self.held_threads = HeldThreads(
            reads, self.admins, self.visible_rows, self.conversations, emitter
        )
        self.notices = Notices(reads, emitter, self.admins)
        self._new_messages = NewMessages(
            ranking, self.conversations, self.held_threads, self.notices, status
        )
        self._touched = TouchedQueries(ranking, self.subscriptions)
        self._pending: set[str] = set()
        self._due_at: dict[str, float] = {}
        self._next_tick_at = self._next_totals_at = 0.0
        self._sent = 0
        self._task = PeriodicTask(
            "pushing changes of lists",
            self.turn,
            interval_seconds=self._wait_seconds,
            backoff=Backoff.constant(RETRY_SECONDS),
        )

    def notify(self, list_ids: Iterable[str] | None) -> None:
        """Has these lists, which have changed, read at the next turn; None: all lists."""
        if list_ids is None:
            self._new_messages.note_unlisted()
        self._pending |= (
            self._known_list_ids() if list_ids is None else set(filter(self._is_known, list_ids))
        )
        if self._pending or self.conversations.has_unchecked:
            self._task.wake()

    def notify_queries(self) -> None:
        """Has the next turn find the lists of queries that have changed."""
        if self._touched.note():
            self._task.wake()

    def notify_unlisted(self) -> None:
        """Has the next turn find the changed threads that are on no view."""
        self._new_messages.note_unlisted()
        self._task.wake()

    def send_versions(self, sid: str) -> None:
        """Sends the socket totals with versions from now on."""
        self.totals.send_versions(sid)
        self._batched.flush(sid)

    def drop(self, sid: str) -> None:
        """Removes everything kept for a closed socket."""
        self._busy.discard(sid)
        parts = (self.subscriptions, self.visible_rows, self.totals, self.conversations)
        for part in (self.admins, *parts):
            part.drop(sid)

    def turn(self) -> None:
        """Pushes what is due now."""
        now = self._monotonic()
        if now >= self._next_tick_at:
            self._next_tick_at = now + SLOW_TICK_SECONDS
            self.totals.known = {}
            self._pending |= self._known_list_ids()
            self._new_messages.note_unlisted()
            self._abort_unresponsive(now)
        if now >= self._next_totals_at:
            self._next_totals_at = now + TOTALS_SECONDS
            self.totals.send_put_off()
        self._pending |= self._touched.take(now)
        due = {list_id for list_id in self._pending if self._due_at.get(list_id, 0.0) <= now}
        self._pending -= due
        self._due_at = {list_id: at for list_id, at in self._due_at.items() if at > now}
        if due:
            self._push(due)
        self._batched.flush_all()
        self._new_messages.poll(now)
        self.status.announce()

    def _push(self, due: set[str]) -> None:
        begun = self._monotonic()
        retry = begun + RETRY_SECONDS
        try:
            lost = self._read_and_send(due)
            self.status.read_succeeded()
        except (RedisError, RankingLost) as error:
            if not self.status.is_unreadable:
                log.warning("lists cannot be read: %s", error)
            self.status.read_failed()
            lost = due
        pause = (self._monotonic() - begun) / PUSHING_SHARE
        again = begun + min(max(FRAME_SECONDS, pause), BUSY_FRAME_SECONDS)
        self._due_at |= dict.fromkeys(due, again) | dict.fromkeys(lost, retry)
        self._pending |= lost

    def _read_and_send(self, due: set[str]) -> set[str]:
        """Sends what has changed on these lists; returns those that are still being built."""
        pairs = [
            (list_id, group) for list_id in due for group in self.subscriptions.read_groups(list_id)
        ]
        bases = [Known(id, group.sorts(), group.epoch, group.since) for id, group in pairs]
        answers = self._ranking.since_all(bases, CHANGES_MAX)
        groups = [(*pair, changes) for pair, changes in zip(pairs, answers, strict=True)]
        states = self._states(
            self.totals.list_ids_to_read(due)
            | {list_id for list_id, _, changes in groups if changes is None}
        )
        rows = frames.Rows(self._rows(changes for _, _, changes in groups if changes))
        # Totals come before the frames, so that both go out in one write.
        self.totals.announce(states)
        for list_id, group, changes in groups:
            if changes is not None:
                self._send(group, changes, rows)
            elif states[list_id].epoch is not None:
                self._send_reopen(group, states[list_id])
        self._batched.flush_all()
        self._new_messages.push(due)
        return {list_id for list_id, state in states.items() if state.epoch is None}

    def _states(self, list_ids: set[str]) -> dict[str, State]:
        """Reads the states of the list ids. Raises RankingLost if the list of a view is missing."""
        if self.status.is_unreadable:
            # Reading counts as working again when the lists of all views can be read.
            list_ids = list_ids.union(VIEWS)
        states = self._ranking.states(list_ids, self.totals.known) if list_ids else {}
        lost = [list_id for list_id in VIEWS if list_id in states and states[list_id].epoch is None]
        if lost:
            raise RankingLost(lost)
        return states

    def _rows(self, answers: Iterable[Changes]) -> dict[int, SharedRow]:
        """Reads the rows of those changed threads that are, or will be, visible on a socket.

        A thread at the top of a list is visible on every dashboard that is not scrolled; if each
        dashboard fetched the row, that would cost more than all else.
        """
        ids: set[int] = set()
        for changes in answers:
            for sort, entries in changes.sets.items():
                ids.update(self.visible_rows.on_screen(entry.id for entry in entries))
                ids.update(entry.id for entry in changes.on_top(sort))
        try:
            return self._reads.shared_rows(ids)
        except StorageUnavailable:
            # Browsers fetch visible rows that did not come with the frame.
            return {}

    def _send(self, group: ReadGroup, changes: Changes, rows: frames.Rows) -> None:
        encoded: dict[ListName, frames.EncodedJson] = {}
        for subscriber in group.subscribers:
            if _is_behind(subscriber, changes):
                name = subscriber.list
                if name not in encoded:
                    encoded[name] = frames.order(name, changes, group.since, rows)
                self._send_frame(subscriber, changes.epoch, changes.version, encoded[name])

    def _send_reopen(self, group: ReadGroup, state: State) -> None:
        assert state.epoch is not None
        for subscriber in group.subscribers:
            if not subscriber.is_unsubscribed:
                frame = frames.reopen(subscriber.list, state.epoch, state.version, state.total)
                self._send_frame(subscriber, state.epoch, state.version, frame)

    def _send_frame(
        self, subscriber: Subscriber, epoch: str, version: int, frame: frames.EncodedJson
    ) -> None:
        subscriber.epoch, subscriber.version = epoch, version
        subscriber.unacknowledged_since = self._monotonic()
        self._busy.add(subscriber.sid)
        self.totals.settle(subscriber.sid)
        self._batched.send(
            subscriber.sid, "list:order", frame, partial(self._acknowledged, subscriber)
        )
        self._batched.flush(subscriber.sid)
        self._sent += 1
        if self._sent % FRAMES_AT_ONCE == 0:
            time.sleep(0)

    def _acknowledged(self, subscriber: Subscriber, *ignored: object) -> None:
        subscriber.unacknowledged_since = None
        self._busy.discard(subscriber.sid)
        if subscriber.missed and not subscriber.is_unsubscribed:
            subscriber.missed = False
            self.notify([self.subscriptions.lists_of(subscriber.sid)[subscriber.list]])
        else:
            self.totals.settle(subscriber.sid)
            self._batched.flush(subscriber.sid)

    def _abort_unresponsive(self, now: float) -> None:
        for subscriber in self.subscriptions.subscribers():
            since = subscriber.unacknowledged_since
            if since is not None and now - since > ACKNOWLEDGE_SECONDS:
                self._emitter.abort(subscriber.sid)

    def _known_list_ids(self) -> set[str]:
        return {*VIEWS, *self.subscriptions}

    def _is_known(self, list_id: str) -> bool:
        return list_id in VIEWS or list_id in self.subscriptions

    def _wait_seconds(self) -> float:
        """Seconds until the next turn, unless a notification comes before."""
        now = self._monotonic()
        waits = [STATUS_SECONDS, self._next_tick_at - now, self._touched.wait_seconds(now)]
        waits += [self._due_at.get(list_id, now) - now for list_id in self._pending]
        return max(0.0, min(waits))


def _is_behind(subscriber: Subscriber, changes: Changes) -> bool:
    """Whether the frame is new to the subscriber, who may have synced or closed meanwhile."""
    if subscriber.is_unsubscribed or subscriber.epoch != changes.epoch:
        return False
    return subscriber.version < changes.version
