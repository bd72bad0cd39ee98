"""What keeps presence going in a web process: a few loops, each on its own."""

import logging
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from redis.exceptions import RedisError
from sqlalchemy import Connection

from dashboard.attendance.attendance import Attendance
from dashboard.attendance.chatbots import Chatbots
from dashboard.errors import StorageUnavailable
from dashboard.live.outlet import Outlet
from dashboard.live.packets import Fragment, encode
from dashboard.live.presence import Presence
from dashboard.store import presence as kept
from dashboard.store.database import Database
from presence.feed import Feed, Source
from presence.outbox import Departure, Outbox
from presence.sweeper import Sweeper

log = logging.getLogger(__name__)

#: How often each is done, in seconds.
ROOMS_SECONDS = 0.1
PEOPLE_SECONDS = 0.25
BEATS_SECONDS = 0.5
SWEEP_SECONDS = 0.25
STORE_SECONDS = 2.0
RECONSIDER_SECONDS = 5.0
TRIM_SECONDS = 10.0
#: Announcements are waited for so long at a time, and compared with Redis so often.
LISTEN_SECONDS = 0.5
VERIFY_SECONDS = 1.5
#: After a failure.
RETRY_SECONDS = 1.0
#: What another worker swept within this, in milliseconds, is left alone.
SPARE_MS = 200
Note = Callable[[Connection, Sequence[Departure]], None]
#: Who takes what is to be stored: one of them, whichever asks first.
STORAGE_GROUP = "storage"


class PresenceHost:
    """Runs the loops of presence; each goes on whatever happens, and waits where Redis is away."""

    def __init__(
        self,
        attendance: Attendance,
        chatbots: Chatbots,
        presence: Presence,
        database: Database,
        outlet: Outlet,
        clock: Callable[[], int],
        worker: str,
    ):
        self._attendance = attendance
        self._chatbots = chatbots
        self._presence = presence
        self._database = database
        self._outlet = outlet
        self._clock = clock
        people = [attendance.customers, attendance.admins]
        self._sweeper = Sweeper(people, pause=lambda: time.sleep(0))
        self._outboxes = [
            (Outbox(attendance.customers, STORAGE_GROUP, worker), kept.note_customers),
            (Outbox(attendance.admins, STORAGE_GROUP, worker), kept.note_admins),
        ]
        self._feed = self._new_feed()
        self._verify_at = 0.0
        self._hold_until = 0.0
        self._stopped = False
        #: Since when what is shown of presence may be old, in ms; None while it is right.
        self.late_since: int | None = None
        #: How overdue the oldest of the last sweep was.
        self.lag_ms = 0

    def start(self, spawn: Callable[..., Any]) -> None:
        viewers = self._presence.viewers
        for seconds, work in (
            (0.0, self._listen),
            (ROOMS_SECONDS, viewers.flush),
            (PEOPLE_SECONDS, self._flush_people),
            (PEOPLE_SECONDS, self._presence.tick),
            (BEATS_SECONDS, self._presence.heartbeats.flush_once),
            (BEATS_SECONDS, lambda: viewers.flush_beats(self._presence.is_shown)),
            (BEATS_SECONDS, self._chatbots.tell),
            (BEATS_SECONDS, self._attendance.say_unsaid),
            (SWEEP_SECONDS, self._sweep),
            (SWEEP_SECONDS, self._sweep_rooms),
            (STORE_SECONDS, self._store),
            (RECONSIDER_SECONDS, self._presence.reconsider),
            (TRIM_SECONDS, self._sweeper.trim_once),
        ):
            spawn(self._forever, seconds, work)

    def stop(self) -> None:
        self._stopped = True

    def greet(self, sid: str) -> None:
        """What a new socket is told: whether what it will see may be old."""
        self._outlet.send(sid, "presence:status", self._status())

    def _forever(self, seconds: float, work: Callable[[], object]) -> None:
        while not self._stopped:
            try:
                work()
                time.sleep(seconds)
                continue
            except (RedisError, OSError, StorageUnavailable) as error:
                log.debug("presence waits: %s", error)
            except Exception:
                log.exception("a loop of presence failed")
            time.sleep(RETRY_SECONDS)

    def _listen(self) -> None:
        try:
            if time.monotonic() >= self._verify_at:
                self._feed.verify_once()
                self._verify_at = time.monotonic() + VERIFY_SECONDS
            else:
                self._feed.pump(LISTEN_SECONDS)
        except (RedisError, OSError):
            self._note_late(True)
            raise
        except Exception:
            # What it missed is read by another one, which knows nothing yet.
            self._feed.close()
            self._feed = self._new_feed()
            self._note_late(True)
            raise
        self._note_late(False)

    def _note_late(self, late: bool) -> None:
        if late != (self.late_since is not None):
            self._hold()
            self._presence.heartbeats.mark_all()
            self.late_since = self._clock() if late else None
            self._outlet.broadcast("presence:status", self._status())
            log.log(
                logging.WARNING if late else logging.INFO,
                "presence is %s",
                "delayed" if late else "right again",
            )

    def _status(self) -> Fragment:
        late = self.late_since is not None
        return Fragment(encode({"late": late, "since": self.late_since}))

    def _new_feed(self) -> Feed:
        viewers = self._presence.viewers
        sources: list[Source] = [
            *self._presence.watchers.values(),
            viewers.readers,
            viewers.writers,
        ]
        return Feed(self._attendance.client, sources)

    def _flush_people(self) -> None:
        for watchers in self._presence.watchers.values():
            watchers.flush_once()

    def _sweep(self) -> None:
        if self._holds():
            return
        try:
            self.lag_ms = self._sweeper.sweep_once(SPARE_MS).lag_ms
        except (RedisError, OSError):
            self._hold()
            raise

    def _sweep_rooms(self) -> None:
        if not self._holds():
            self._attendance.threads.sweep_once()
        # Typing ends whatever happens.
        self._attendance.writers.sweep_once()

    def _hold(self) -> None:
        """Beats that were lost with Redis ended nobody: they get time to come again."""
        self._hold_until = time.monotonic() + self._attendance.timing.calm_ms / 1_000

    def _holds(self) -> bool:
        return self.late_since is not None or time.monotonic() < self._hold_until

    def _store(self) -> None:
        for outbox, note in self._outboxes:
            departures = [one for one in outbox.read_once() if one.last_seen is not None]
            if departures:
                self._database.write(partial(_noted, note, departures))
            outbox.done()


def _noted(note: Note, departures: Sequence[Departure], connection: Connection) -> None:
    note(connection, departures)
