"""The periodic tasks of presence in a web process, and the admins who are present."""

import logging
import math
import random
import time
from collections.abc import Callable, Collection, Sequence
from typing import Any

from redis.exceptions import RedisError
from sqlalchemy import Connection

from dashboard.db import last_seen
from dashboard.db.database import Database
from dashboard.db.queues import admins, definitions
from dashboard.db.queues.admins import Presence
from dashboard.errors import StorageUnavailable
from dashboard.presence.admin_presence import AdminPresence
from dashboard.presence.bots import BotPresence
from dashboard.presence.pushing import PresencePusher
from dashboard.presence.service import PresenceService
from dashboard.tasks import PeriodicTask, Seconds
from dashboard.transport.emitter import Emitter
from dashboard.transport.packets import EncodedJson, encode
from presence.feed import Feed, Source
from presence.outbox import Departure, OnlineTimes, Outbox
from presence.people import People
from presence.settings import Settings
from presence.states import PresenceSnapshot, Viewer
from presence.sweeper import Sweeper

#: Seconds for which the admins of the last reading count as known.
_LIFETIME_SECONDS = 5.0


class PresentAdmins:
    """Knows the present admins. A task reads them when admins come or leave, and every 3 s.
    Transactions ask here, because they must not wait for Redis."""

    def __init__(self, people: People, monotonic: Callable[[], float] = time.monotonic):
        self._people = people
        self._monotonic = monotonic
        self._present: frozenset[str] = frozenset()
        self._until = float("-inf")

    def refresh(self) -> list[str]:
        """Reads connected admins, hidden or not; returns the shards' epochs. Raises RedisError."""
        self._present, epochs = self._people.connected()
        self._until = self._monotonic() + _LIFETIME_SECONDS
        return epochs

    def forget(self) -> None:
        """Drops everything: Redis is away, or has lost its data."""
        self._until = float("-inf")

    def count(self) -> int | None:
        """Counts the admins with an open window; None while that is unknown."""
        return len(self._present) if self._monotonic() < self._until else None

    def is_absent(self, admin_id: int) -> bool:
        """Whether the admin has no window open; False while that is unknown."""
        return self._monotonic() < self._until and str(admin_id) not in self._present


#: A viewer who sees exactly what every colleague sees; no admin has the id 0.
_ANY_COLLEAGUE = Viewer("0")


def shown_statuses(people: People, ids: Collection[int]) -> dict[int, str]:
    """Maps admins to their statuses, as every colleague sees them. Raises RedisError."""
    held = people.held(map(str, ids))
    return {int(one): seen.seen_by(_ANY_COLLEAGUE)["status"] for one, seen in held.items()}


class QueuePresence:
    """Copies the presence of the admins that queues know from Redis to SQL, where hand-outs read
    it. Every process does so; an older state never replaces a newer one."""

    def __init__(
        self,
        people: People,
        database: Database,
        clock: Callable[[], int],
        on_change: Callable[[], object],
    ):
        self._people = people
        self._database = database
        self._clock = clock
        self._on_change = on_change

    def copy(self, *, trusts_absence: bool = True) -> None:
        """Stores the states that have changed. `trusts_absence`: also of admins who seem to have
        gone. Raises RedisError and StorageUnavailable."""
        with self._database.read() as connection:
            ids = admins.known_ids(connection)
        if not ids:
            return
        held = self._people.held(map(str, ids))
        statuses = {
            int(person): Presence(
                snapshot.truth["status"],
                snapshot.seen_by(_ANY_COLLEAGUE)["status"],
                snapshot.truth["v"],
            )
            for person, snapshot in held.items()
            if snapshot.truth["status"] != "offline"
            or (trusts_absence and self._is_known(snapshot))
        }
        with self._database.read() as connection:
            if not admins.differing(connection, statuses):
                return

        def write(connection: Connection) -> None:
            definitions.lock(connection)
            changed = admins.differing(connection, statuses)
            admins.set_statuses(connection, changed, self._clock())

        self._database.write(write, is_idempotent=True)
        self._on_change()

    def _is_known(self, snapshot: PresenceSnapshot) -> bool:
        """Whether it is known that an absent admin is absent. A Redis that has lost its data knows
        nothing of admins until their windows are opened there again."""
        known_ms = snapshot.version - int(snapshot.epoch)
        return snapshot.is_truly_known or known_ms >= self._people.timing.recovery_grace_ms


log = logging.getLogger(__name__)

#: Intervals of the tasks, in seconds.
ROOMS_SECONDS = 0.1
PEOPLE_SECONDS = 0.25
BEATS_SECONDS = 0.5
SETTINGS_SECONDS = 1.0
#: A sweep comes when the next known item is due, between these intervals; the longer one is at most
#: half of the shortest grace, so that an item that another worker made due sooner is known in time.
SWEEP_SECONDS, SWEEP_LEAST_SECONDS = 2.0, 0.25
STORE_SECONDS = 2.0
#: Interval of storing the people online in one more shard, if it is due.
STORE_ONLINE_SECONDS = 10.0
RELATIONS_SECONDS = 5.0
#: Interval of looking for announcements that an ended worker has not stored.
UNFINISHED_SECONDS = 15.0
#: Interval of removing old rows of last seen, while there are some, and while there are none.
TRIM_SECONDS, TRIM_REST_SECONDS = 10.0, 60.0
#: Interval of removing the consumers of ended workers from one more shard.
CONSUMERS_SECONDS = 60.0
#: Interval of reading the present admins; shorter if one came or left.
PRESENT_SECONDS, PRESENT_LEAST_SECONDS = 3.0, 0.5
#: The longest pause before the presence of the admins of queues is copied.
COPY_SPREAD_SECONDS = 0.3
#: Interval of the work for sockets, while there are none.
REST_SECONDS = 10.0
#: Interval at which continued typing is sent again; browsers show it for 7.5 s.
TYPING_SECONDS = 2.5
#: One wait for announcements, and the interval of comparing their number with Redis, in seconds.
LISTEN_SECONDS = 1.0
VERIFY_SECONDS = 1.5
#: The same interval while no socket is connected here: then nothing is shown to anybody.
VERIFY_REST_SECONDS = 10.0
#: Shards that another worker swept less than this ago, in milliseconds, are skipped.
SKIP_SWEPT_WITHIN_MS = 200
#: Times of last seen that one transaction stores.
STORED_AT_ONCE = 250
#: People who stay online are stored this often, in milliseconds: once in about sixty heartbeats.
ONLINE_STORED_MS = 30 * 60_000
StoreDepartures = Callable[[Connection, Sequence[Departure]], None]
_QUEUE_ADMINS = "admins of queues"
_PUSH = "push to chatbots"
#: Interval of telling chatbots of presence, while a source asks for it, and while none does.
PUSH_SECONDS, PUSH_REST_SECONDS = 1.0, 10.0
#: Consumer group of all workers: each announcement is stored by one of them.
STORAGE_GROUP = "storage"


class PresenceTasks:
    """Runs each task on its own; a step that fails is tried again after a pause. `worker` names
    this process among the consumers of the announcements."""

    def __init__(
        self,
        presence_service: PresenceService,
        bot_presence: BotPresence,
        presence: AdminPresence,
        emitter: Emitter,
        worker: str,
        present_admins: PresentAdmins,
        queue_presence: QueuePresence,
        pusher: PresencePusher,
    ):
        self._queue_presence, self._pusher = queue_presence, pusher
        self._presence_service = presence_service
        self._bot_presence = bot_presence
        self._presence = presence
        self._present_admins = present_admins
        self._emitter = emitter
        people = [presence_service.customers, presence_service.admins]
        self._recovery_seconds = presence_service.timing.recovery_grace_ms / 1_000
        grace_seconds = presence_service.timing.page_closed_grace_ms / 1_000
        self._sweep_seconds = max(SWEEP_LEAST_SECONDS, min(SWEEP_SECONDS, grace_seconds / 2))
        looked_at_ms = round(750 * self._sweep_seconds)
        self._sweeper = Sweeper(people, lambda: time.sleep(0), looked_at_ms=looked_at_ms)
        stores: list[StoreDepartures] = [last_seen.save_customers, last_seen.save_admins]
        self._stored = [
            (Outbox(one, STORAGE_GROUP, worker), OnlineTimes(one, ONLINE_STORED_MS), store)
            for one, store in zip(people, stores, strict=True)
        ]
        #: The shards with announcements that may have to be stored: of customers, and of admins.
        self._news: tuple[set[int], ...] = tuple(set() for _ in people)
        self._feed = self._new_feed()
        self._unfinished_at = self._verify_at = self._sweep_from = 0.0
        self._trim_in_seconds, self._sweep_in_seconds = TRIM_SECONDS, SWEEP_LEAST_SECONDS
        #: The epochs by kind at the last look, and when there was time to come back since a change.
        self._epochs, self._absent_from = dict[str, list[str]](), 0.0
        self._tasks: dict[str, PeriodicTask] = {}
        #: When shown states began to be old, in ms since 1970; None while they are current.
        self.late_since: int | None = None
        #: How far the oldest connection of the last sweep was past its deadline, in ms.
        self.lag_ms = 0

    def start(self, spawn: Callable[..., Any]) -> None:
        """Runs every step as a task of its own; `spawn(function)` starts a (green) thread."""
        self._bot_presence.on_pending = lambda: self._wake("customer messages")
        self._presence_service.on_settings = self._note_end
        for name, seconds, step in self._steps():
            task = PeriodicTask(
                f"presence: {name}",
                step,
                interval_seconds=seconds,
                expected=(RedisError, OSError, StorageUnavailable),
                expected_level=logging.DEBUG,
            )
            self._tasks[name] = task
            spawn(task.run)

    def _steps(self) -> list[tuple[str, Seconds, Callable[[], object]]]:
        presence, viewers = self._presence, self._presence.viewers

        def with_sockets(seconds: float) -> Callable[[], float]:
            return lambda: seconds if presence.has_sockets else REST_SECONDS

        def settings() -> None:
            self._presence_service.flush_unsent_settings()
            self._presence_service.send_settings_again()

        return [
            ("listen", 0.0, self._listen),
            ("publish rooms", with_sockets(ROOMS_SECONDS), viewers.flush),
            ("publish people", with_sockets(PEOPLE_SECONDS), self._flush_people),
            ("ping", with_sockets(PEOPLE_SECONDS), presence.tick),
            ("heartbeats", with_sockets(BEATS_SECONDS), presence.heartbeats.flush_once),
            (
                "heartbeats in rooms",
                with_sockets(BEATS_SECONDS),
                lambda: viewers.flush_beats(presence.is_shown),
            ),
            ("customer messages", REST_SECONDS, self._flush_pending),
            ("settings", SETTINGS_SECONDS, settings),
            ("sweep", lambda: self._sweep_in_seconds, self._sweep),
            ("store last seen", UNFINISHED_SECONDS, self._store_soon),
            ("store who is online", STORE_ONLINE_SECONDS, self._store_online),
            ("relations", with_sockets(RELATIONS_SECONDS), presence.refresh_relations),
            ("typing", with_sockets(TYPING_SECONDS), self._repeat_typing),
            ("present admins", PRESENT_SECONDS, self._refresh_soon),
            (_QUEUE_ADMINS, PRESENT_SECONDS, self._copy_for_queues),
            (_PUSH, self._push_seconds, self._push),
            ("trim", lambda: self._trim_in_seconds, self._trim),
            ("remove consumers", CONSUMERS_SECONDS, self._remove_consumers),
        ]

    def wake(self) -> None:
        """Starts the tasks at once that rest while no socket is connected here."""
        self._verify_at = 0.0
        for task in self._tasks.values():
            task.wake()

    def wake_queue_presence(self) -> None:
        """Has the presence of the admins of queues copied at once."""
        self._wake(_QUEUE_ADMINS)

    def _wake(self, name: str) -> None:
        if name in self._tasks:
            self._tasks[name].wake()

    def _note_end(self, settings: Settings) -> None:
        """Sweeps sooner if a status ends before the next sweep."""
        soon_ms = self._presence_service.clock() + 1_000 * self._sweep_seconds
        if (settings.override.until or math.inf) < soon_ms:
            self._wake("sweep")

    def _flush_pending(self) -> None:
        """Sends everything that came within half a second together."""
        while self._bot_presence.has_pending:
            time.sleep(BEATS_SECONDS)
            self._bot_presence.flush_pending()

    def _store_soon(self) -> None:
        """Stores everything that came within two seconds together."""
        if any(self._news):
            time.sleep(STORE_SECONDS)
        self._store_news()

    def stop(self) -> None:
        """Ends every task after its current step."""
        for task in self._tasks.values():
            task.stop()

    def send_status(self, sid: str) -> None:
        """Tells a new socket whether the states it will see may be old."""
        self._emitter.send(sid, "presence:status", self._status())

    def _listen(self) -> None:
        try:
            if time.monotonic() >= self._verify_at:
                self._feed.verify_once()
                rest = VERIFY_SECONDS if self._presence.has_sockets else VERIFY_REST_SECONDS
                self._verify_at = time.monotonic() + rest
            else:
                self._feed.pump(LISTEN_SECONDS)
        except (RedisError, OSError):
            self._set_late(True)
            raise
        except Exception:
            # A new feed reads every state again, including changes that this one missed.
            self._feed.close()
            self._feed = self._new_feed()
            self._set_late(True)
            raise
        # A Redis that takes no writes, because it is full, still answers what is read here.
        self._set_late(self._presence.heartbeats.are_refused)

    def _set_late(self, late: bool) -> None:
        if late != (self.late_since is not None):
            self._pause_sweeping()
            self._presence.heartbeats.mark_all()
            self._presence_service.send_all_settings_again()
            self.late_since = self._presence_service.clock() if late else None
            self._emitter.broadcast("presence:status", self._status())
            log.log(
                logging.WARNING if late else logging.INFO,
                "presence is %s",
                "delayed" if late else "current again",
            )

    def _status(self) -> EncodedJson:
        late = self.late_since is not None
        return EncodedJson(encode({"late": late, "since": self.late_since}))

    def _new_feed(self) -> Feed:
        viewers = self._presence.viewers
        sources: list[Source] = [
            *self._presence.watchers.values(),
            viewers.readers,
            viewers.writers,
        ]
        return Feed(self._presence_service.client, sources, on_news=self._note_news)

    def _note_news(self, source: Source, shard: int) -> None:
        """Notes that people of a shard may have come, left or changed."""
        for news, kind in zip(self._news, ("customer", "admin"), strict=True):
            if source is self._presence.watchers[kind]:
                news.add(shard)
                self._wake("store last seen")
                if kind == "admin":
                    self._wake("present admins")
                    self._wake(_QUEUE_ADMINS)
                    if self._pusher.is_asked:
                        self._wake(_PUSH)

    def _flush_people(self) -> None:
        for watchers in self._presence.watchers.values():
            watchers.flush_once()

    def _repeat_typing(self) -> None:
        if self.late_since is None:
            self._presence.viewers.repeat_typing()

    def _refresh_soon(self) -> None:
        """Waits half a second and reads the present admins once."""
        time.sleep(PRESENT_LEAST_SECONDS)
        self._refresh_present()

    def _refresh_present(self) -> None:
        self._note_epochs("admin", self._present_admins.refresh())
        if not self._knows_absence():
            self._present_admins.forget()

    def _copy_for_queues(self) -> None:
        # All processes hear of a change at once; after a pause most find that it is stored.
        time.sleep(COPY_SPREAD_SECONDS * random.random())
        # After an outage connections that are about to come back may be missing in Redis.
        self._queue_presence.copy(trusts_absence=not self._sweeping_is_paused())

    def _sweep(self) -> None:
        self._sweep_in_seconds = self._sweep_seconds
        if self._sweeping_is_paused():
            # Typing ends also during an outage.
            self._presence_service.writers.sweep_once()
            return
        try:
            due = self._sweeper.look(SKIP_SWEPT_WITHIN_MS)
            self.lag_ms = self._sweeper.sweep(due).lag_ms
        except (RedisError, OSError):
            self._pause_sweeping()
            self._presence.heartbeats.mark_all()
            raise
        of_customers, of_admins = due.rooms
        self._presence_service.threads.sweep_once(shards=of_admins)
        self._presence_service.writers.sweep_once(shards=of_customers)
        if due.next_ms is not None:
            next_seconds = min(self._sweep_seconds, due.next_ms / 1_000)
            self._sweep_in_seconds = max(SWEEP_LEAST_SECONDS, next_seconds)

    def _pause_sweeping(self) -> None:
        """Gives connections time to send heartbeats after an outage, before any of them expires."""
        self._sweep_from = time.monotonic() + self._recovery_seconds

    def _sweeping_is_paused(self) -> bool:
        return self.late_since is not None or time.monotonic() < self._sweep_from

    def _note_epochs(self, kind: str, epochs: list[str]) -> None:
        """Notes whether Redis has lost people of this kind since the last look."""
        if self._epochs.get(kind, epochs) != epochs:
            self._absent_from = time.monotonic() + self._recovery_seconds
        self._epochs[kind] = epochs

    def _knows_absence(self) -> bool:
        """Whether people who are not in Redis are absent. After an outage, and after Redis has lost
        data, people who are about to come back may be missing."""
        return not self._sweeping_is_paused() and time.monotonic() >= self._absent_from

    def _store_news(self) -> None:
        """Stores announcements since the last call, and those left by another worker."""
        if time.monotonic() >= self._unfinished_at:
            for news, (outbox, _, _) in zip(self._news, self._stored, strict=True):
                news |= outbox.unfinished()
            self._unfinished_at = time.monotonic() + UNFINISHED_SECONDS
        for news, (outbox, _, store) in zip(self._news, self._stored, strict=True):
            while shards := set(news):
                news.clear()
                try:
                    self._store_some(outbox, store, shards)
                except BaseException:
                    news |= shards
                    raise
                news |= outbox.unread

    def _store(self) -> None:
        """Stores all announcements."""
        for news, (outbox, _, _) in zip(self._news, self._stored, strict=True):
            news.update(range(outbox.shards))
        self._store_news()

    def _store_some(self, outbox: Outbox, store: StoreDepartures, shards: Collection[int]) -> None:
        departures = outbox.read_once(STORED_AT_ONCE, shards)
        self._write(store, departures)
        people = [departure.person for departure in departures]
        if people and store is last_seen.save_customers and self._pusher.note(people):
            self._wake(_PUSH)
        outbox.acknowledge()

    def _push_seconds(self) -> float:
        return PUSH_SECONDS if self._pusher.is_asked else PUSH_REST_SECONDS

    def _push(self) -> None:
        """Tells chatbots of changes."""
        self._note_epochs("customer", self._presence_service.customers.epochs())
        self._note_epochs("admin", self._presence_service.admins.epochs())
        if self._knows_absence():
            self._pusher.turn()

    def _trim(self) -> None:
        self._trim_in_seconds = TRIM_SECONDS if self._sweeper.trim_once() else TRIM_REST_SECONDS

    def _remove_consumers(self) -> None:
        for outbox, _, _ in self._stored:
            outbox.remove_consumers()

    def _store_online(self) -> None:
        for _, online, store in self._stored:
            for departures in online.batches(STORED_AT_ONCE):
                self._write(store, departures)

    def _write(self, store: StoreDepartures, departures: Sequence[Departure]) -> None:
        seen = [departure for departure in departures if departure.last_seen is not None]
        if seen:
            database = self._presence_service.database
            database.write(lambda connection: store(connection, seen), is_idempotent=True)
            time.sleep(0)
