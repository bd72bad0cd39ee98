"""Open threads on sockets: new messages, states of deliveries, and threads that sockets lose."""

import logging
from collections.abc import Callable, Collection, Iterable, Mapping

from redis.exceptions import RedisError

from dashboard.db.accounts.admin_desks import Desks, sees
from dashboard.db.outbox.sent_messages import Delivery
from dashboard.db.threads.messages import changed_by
from dashboard.errors import StorageUnavailable
from dashboard.live.notices import Notices
from dashboard.live.reads import Reads
from dashboard.live.socket_admins import SocketAdmins
from dashboard.live.status import Status
from dashboard.live.visible_rows import VisibleRows
from dashboard.tasks import PeriodicTask, RunsTask
from dashboard.transport.caller import Caller
from dashboard.transport.emitter import Emitter
from dashboard.transport.packets import EncodedJson, encode
from dashboard.validation.strict_json import JsonObject
from scoring.ranking import Ranking, RankingLost
from scoring.sorts import ANY_SORT


class Conversations:
    """Pushes messages, acts and advice, read from SQL: a lost notification only delays them."""

    def __init__(self, reads: Reads, emitter: Emitter):
        self._reads = reads
        self._emitter = emitter
        #: Maps threads to the sockets that have them open, each with the desks that it sees.
        self._readers: dict[int, dict[str, Desks]] = {}
        self._pushed: dict[int, int] = {}
        self._pushed_acts: dict[int, int] = {}
        #: The last advice that each socket got for a thread, by thread.
        self._pushed_advice: dict[int, dict[str, str]] = {}
        self._unchecked: set[int] = set()

    def join(self, sid: str, thread_id: int, desks: Desks = None) -> None:
        """Pushes to this socket from now on, while the thread is at one of these desks; None: at
        any. Join before you read the thread, so that nothing is missed."""
        self._readers.setdefault(thread_id, {})[sid] = desks
        self._pushed_advice.get(thread_id, {}).pop(sid, None)

    def has_read(self, thread_id: int, message_id: int, act_id: int) -> None:
        """Notes that a reader has every message and every act up to these."""
        if thread_id in self._readers:
            self._pushed.setdefault(thread_id, message_id)
            self._pushed_acts.setdefault(thread_id, act_id)
            # More may have been stored since that read.
            self._unchecked.add(thread_id)

    def leave(self, sid: str, thread_id: int) -> None:
        readers = self._readers.get(thread_id, {})
        readers.pop(sid, None)
        self._pushed_advice.get(thread_id, {}).pop(sid, None)
        if not readers:
            self._readers.pop(thread_id, None)
            self._pushed.pop(thread_id, None)
            self._pushed_acts.pop(thread_id, None)
            self._pushed_advice.pop(thread_id, None)
            self._unchecked.discard(thread_id)

    def drop(self, sid: str) -> None:
        """Closes all threads of a closed socket."""
        for thread_id in self.opened_by(sid):
            self.leave(sid, thread_id)

    def opened_by(self, sid: str) -> list[int]:
        """Returns the threads that a socket has open."""
        return [id for id, readers in self._readers.items() if sid in readers]

    @property
    def open_threads(self) -> tuple[int, ...]:
        return tuple(self._readers)

    def sockets_at(self, thread_id: int) -> list[str]:
        """Returns the sockets that have the thread open."""
        return list(self._readers.get(thread_id, ()))

    def readers_of(self, thread_id: int) -> list[str]:
        """Returns the sockets that have the thread open and see its current desk. Call it after
        reading the data to send. Raises StorageUnavailable."""
        readers = dict(self._readers.get(thread_id, {}))
        if all(desks is None for desks in readers.values()):
            return list(readers)
        desk = self._reads.desks_of([thread_id]).get(thread_id, "")
        return [sid for sid, desks in readers.items() if sees(desks, desk)]

    @property
    def has_readers(self) -> bool:
        return bool(self._readers)

    @property
    def has_unchecked(self) -> bool:
        return bool(self._unchecked)

    def push(self, changed: Iterable[int] | None) -> None:
        """Sends what is new in the changed threads that are open; None: in all open threads.

        Raises StorageUnavailable; a later call sends what was not sent.
        """
        threads = set(self._readers) if changed is None else set(changed) & set(self._readers)
        self._unchecked |= threads
        for thread_id in sorted(self._unchecked):
            self._push(thread_id)
            self._unchecked.discard(thread_id)

    def _push(self, thread_id: int) -> None:
        pushed = self._pushed.get(thread_id)
        if pushed is None:
            return
        for message in self._reads.messages_after(thread_id, pushed):
            self._send(thread_id, "thread:message", {"message": message})
            if thread_id in self._pushed:
                self._pushed[thread_id] = max(self._pushed[thread_id], changed_by(message))
        self._push_acts(thread_id)
        self._push_advice(thread_id)

    def _push_acts(self, thread_id: int) -> None:
        pushed = self._pushed_acts.get(thread_id)
        if pushed is None:
            return
        for act in self._reads.acts_after(thread_id, pushed):
            self._send(thread_id, "thread:act", act)
            if thread_id in self._pushed_acts:
                self._pushed_acts[thread_id] = max(self._pushed_acts[thread_id], act["id"])

    def _push_advice(self, thread_id: int) -> None:
        """Sends advice, which may also be that there is no more, to sockets that got another one
        last. A socket that has just opened the thread got none."""
        advice = self._reads.advice(thread_id)
        if advice is None:
            return
        data = EncodedJson(encode({"thread_id": thread_id, **advice.to_json()}))
        pushed = self._pushed_advice.setdefault(thread_id, {})
        for sid in self.readers_of(thread_id):
            if pushed.get(sid) != data:
                pushed[sid] = data
                self._emitter.send(sid, "thread:advice", data)

    def _send(self, thread_id: int, event: str, data_of_event: Mapping[str, object]) -> None:
        data = EncodedJson(encode({"thread_id": thread_id, **data_of_event}))
        for sid in self.readers_of(thread_id):
            self._emitter.send(sid, event, data)


#: Called with a socket and a thread that it no longer has open.
OnGone = Callable[[str, int], object]


class HeldThreads:
    """Closes open threads, and drops rows on screen, that a socket may no longer see."""

    def __init__(
        self,
        reads: Reads,
        admins: SocketAdmins,
        visible_rows: VisibleRows,
        conversations: Conversations,
        emitter: Emitter,
    ):
        self._reads = reads
        self._admins = admins
        self._visible_rows = visible_rows
        self._conversations = conversations
        self._emitter = emitter
        self._observers: list[OnGone] = []
        #: Changed threads that could not be checked yet; None: all.
        self._unchecked: set[int] | None = set()

    def __bool__(self) -> bool:
        return bool(self._admins.of_some_desks())

    @property
    def has_unchecked(self) -> bool:
        """Whether a check has failed, and must be repeated."""
        return self._unchecked is None or bool(self._unchecked)

    def observe(self, on_gone: OnGone) -> None:
        """Calls `on_gone` for each open thread that is closed here."""
        self._observers.append(on_gone)

    def check(self, changed: Iterable[int] | None) -> None:
        """Checks the desks of these threads if a socket has them open or on screen; None: of all.

        An erased thread is closed on all sockets. Raises StorageUnavailable; a later call checks
        the threads again.
        """
        if changed is None or self._unchecked is None:
            self._unchecked = None
        else:
            self._unchecked |= {*changed}
        held = {sid: self._of(sid) for sid in self._admins.of_some_desks()}
        if self._unchecked is not None:
            held = {sid: threads & self._unchecked for sid, threads in held.items()}
        opened = frozenset(self._conversations.open_threads)
        if self._unchecked is not None:
            opened &= self._unchecked
        ids = opened.union(*held.values())
        desks_of = self._reads.desks_of(ids) if ids else {}
        self._unchecked = set()
        for sid, threads in held.items():
            seen = self._admins.desks_of(sid)
            for id in threads & desks_of.keys():
                if seen is not None and desks_of[id] not in seen:
                    self._end(sid, id)
        for id in opened - desks_of.keys():
            for sid in self._conversations.sockets_at(id):
                self._end(sid, id)

    def _of(self, sid: str) -> frozenset[int]:
        return frozenset([*self._visible_rows.of(sid), *self._conversations.opened_by(sid)])

    def _end(self, sid: str, thread_id: int) -> None:
        self._visible_rows.watch(sid, (), [thread_id])
        if thread_id not in self._conversations.opened_by(sid):
            return
        self._conversations.leave(sid, thread_id)
        for on_gone in self._observers:
            on_gone(sid, thread_id)
        self._emitter.send(sid, "thread:gone", EncodedJson(encode({"thread_id": thread_id})))


log = logging.getLogger(__name__)

#: Interval at which open threads are read from SQL while Redis is away.
UNLISTED_SECONDS = 2.0
#: With more changed threads, all open ones are read.
CHANGES_MAX = 5_000
#: A thread on any view is on one of these.
_VIEWS = ("arrival", "history")


class NewMessages:
    """Finds changed threads: those on a view in its change log, snoozed and archived threads among
    the unlisted changes. A new message changes its thread."""

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
        """Sends what is new in open threads after these lists have changed, and notices; closes
        threads that have gone to a desk that the socket does not see.

        Raises RedisError and RankingLost.
        """
        if not self._concerns_anybody():
            self._cursors.clear()
            return
        changed: set[int] | None = set()
        cursors = dict(self._cursors)
        for list_id in (name for name in _VIEWS if name in due):
            cursor = self._cursors.get(list_id)
            changes = cursor and self._ranking.since(list_id, [ANY_SORT], *cursor, CHANGES_MAX)
            if changes:
                cursors[list_id] = changes.epoch, changes.version
                if changed is not None:
                    changed |= {entry.id for entry in changes.sets[ANY_SORT]} | set(changes.gone)
            else:
                state = self._ranking.states([list_id])[list_id]
                if state.epoch is None:
                    raise RankingLost([list_id])
                cursors[list_id] = state.epoch, state.version
                changed = None
        # Not before all lists were read: a call that fails would lose what it has found.
        self._cursors = cursors
        self._push(changed)

    def note_unlisted(self) -> None:
        """Has the next `poll` find the changed threads that are on no view."""
        self._has_unlisted = True

    def poll(self, now: float) -> None:
        """Reads open threads from SQL while Redis is away and sends no notifications; otherwise
        sends what is new in threads on no view, or repeats failed reads."""
        if self._status.since is not None and now >= self._next_poll_at:
            self._next_poll_at = now + UNLISTED_SECONDS
            self._push(None)
        elif self._has_unlisted and self._status.since is None:
            self._push_unlisted()
        elif any(
            part.has_unchecked for part in (self._conversations, self._held_threads, self._notices)
        ):
            self._push(())

    def _push_unlisted(self) -> None:
        if not self._concerns_anybody():
            self._has_unlisted = False
            return
        try:
            changes = self._ranking.unlisted_since(self._unlisted_number)
        except RedisError as error:
            log.info("changes of threads on no view are read later: %s", error)
            return
        self._has_unlisted, self._unlisted_number = False, changes.number
        self._push(changes.ids)

    def _concerns_anybody(self) -> bool:
        return self._conversations.has_readers or bool(self._held_threads or self._notices)

    def _push(self, changed: Iterable[int] | None) -> None:
        for work in (self._conversations.push, self._held_threads.check, self._notices.check):
            try:
                work(changed)
            except StorageUnavailable as error:
                log.warning("changed threads cannot be read: %s", error)


#: Interval of reads: any worker may have written.
POLL_SECONDS = 1.0
#: The same while nobody is here.
REST_SECONDS = 3.0
#: Each read overlaps the one before, because clocks differ and commits are late. Nothing is sent
#: twice.
OVERLAP_MS = 15_000


class DeliveryUpdates(RunsTask):
    """Sends changes of deliveries. They are read from SQL, because dispatchers and receipts may be
    on any worker.

    Only admins who see all threads are told of failing sources, which any thread may reveal.
    """

    def __init__(
        self, reads: Reads, conversations: Conversations, emitter: Emitter, admins: SocketAdmins
    ):
        self._reads = reads
        self._admins = admins
        self._conversations = conversations
        self._emitter = emitter
        self._failing: dict[str, int] = {}
        self._announced: dict[int, Delivery] = {}
        self._read_at: int | None = None
        self._task = PeriodicTask(
            "reading deliveries",
            self.poll,
            interval_seconds=lambda: POLL_SECONDS if self._admins else REST_SECONDS,
            expected=(StorageUnavailable,),
        )
        admins.wakes.append(self.wake)

    def send_to(self, caller: Caller) -> None:
        """Sends the failing sources to a new socket that sees all threads."""
        if caller.desks is None:
            self._emitter.send(caller.sid, "sources:failing", self._data())

    def poll(self) -> None:
        """Sends what is new, if any socket is here. Raises StorageUnavailable."""
        if not self._admins and not self._conversations.open_threads:
            self._read_at = None
            return
        failing = self._reads.failing_sources()
        if failing != self._failing:
            self._failing = failing
            for sid in self._admins.of_all_desks():
                self._emitter.send(sid, "sources:failing", self._data())
        self._send_deliveries()

    def _send_deliveries(self) -> None:
        open_threads = self._conversations.open_threads
        now = self._reads.now()
        since = (self._read_at if self._read_at is not None else now) - OVERLAP_MS
        all_news = self._reads.delivery_news(open_threads, since)
        self._read_at = now
        for news in all_news:
            if self._announced.get(news.message_id) != news.delivery:
                self._send(news._asdict())
        self._announced = {news.message_id: news.delivery for news in all_news}

    def _send(self, news: JsonObject) -> None:
        data = EncodedJson(encode(news))
        for sid in self._conversations.readers_of(news["thread_id"]):
            self._emitter.send(sid, "thread:delivery", data)

    def _data(self) -> EncodedJson:
        sources = [{"source": name, "since": since} for name, since in self._failing.items()]
        return EncodedJson(encode({"sources": sources}))
