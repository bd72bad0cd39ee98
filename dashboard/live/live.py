"""The way out of a web process, built and running: listener, hub and sockets together."""

import logging
import os
import secrets
import time
from collections.abc import Callable

import redis
from flask import Flask

from dashboard.attendance.attendance import Attendance
from dashboard.attendance.chatbots import Chatbots
from dashboard.config import AsyncMode
from dashboard.errors import StorageUnavailable
from dashboard.live.answers import Answers, Caller
from dashboard.live.hub import Hub
from dashboard.live.listener import Listener
from dashboard.live.presence import Presence
from dashboard.live.presence_host import PresenceHost
from dashboard.live.reads import Reads
from dashboard.live.sockets import Sockets
from dashboard.live.status import Status
from dashboard.live.viewers import Viewers
from dashboard.store.database import Database
from scoring.ranking import Ranking

log = logging.getLogger(__name__)

#: Sessions are checked again, and strangers counted, so often.
KEEP_SECONDS = 2.0
#: An open connection must be a socket of ours by then; found at the next round.
STRANGER_SECONDS = 6.0


class Lists:
    """The lists and open threads, as far as they follow sockets."""

    def __init__(self, answers: Answers, hub: Hub, host: PresenceHost):
        self._answers = answers
        self._hub = hub
        self._host = host

    def arrive(self, caller: Caller) -> None:
        """Nothing is known of the socket yet."""

    def greet(self, caller: Caller) -> None:
        self._answers.greet(caller)
        self._host.greet(caller.sid)

    def heard(self, sid: str) -> None:
        """Lists follow what was asked, whenever that was."""

    def gone(self, sid: str, reason: str) -> None:
        self._hub.drop(sid)


class Live:
    """Made with its own Redis client for the bell: `bell` (see Listener)."""

    def __init__(
        self,
        *,
        ranking: Ranking,
        bell: redis.Redis,
        reads: Reads,
        late_since: Callable[[], int | None],
        clock: Callable[[], int],
        async_mode: AsyncMode,
        attendance: Attendance,
        chatbots: Chatbots,
        database: Database,
        writes: Callable[[int, int], object] = lambda thread_id, admin_id: None,
    ):
        self.sockets = Sockets(async_mode, reads)
        status = Status(late_since, clock, self.sockets)
        self.hub = Hub(ranking, reads, status, self.sockets)
        answers = Answers(ranking, reads, self.hub)
        viewers = Viewers(attendance, self.hub.screens, reads.names, self.sockets)
        self.presence = Presence(attendance, viewers, self.sockets, clock, writes=writes)
        worker = f"{os.getpid()}-{secrets.token_hex(4)}"
        self.host = PresenceHost(
            attendance, chatbots, self.presence, database, self.sockets, clock, worker
        )
        self.sockets.answer_with(
            self.presence.calls(answers.calls()),
            [Lists(answers, self.hub, self.host), self.presence],
        )
        self.listener = Listener(bell, ranking.keys.prefix, self.hub.ring)
        self._stopped = False

    def attach(self, app: Flask) -> None:
        """Puts Socket.IO in front of the application."""
        self.sockets.attach(app)

    def measure(self, watch: Callable[[str, str, Callable[[], float]], None]) -> None:
        """Names the numbers of the way out: `watch(name, help, read)`."""
        watch("sockets", "Dashboards that are connected.", lambda: len(self.sockets))
        watch("bad_calls", "Calls over sockets that made no sense.", lambda: self.sockets.bad_calls)
        watch("presence_late", "1 while presence may be old.", lambda: bool(self.host.late_since))
        watch(
            "presence_sweep_lag_ms",
            "How overdue the oldest connection of the last sweep was.",
            lambda: self.host.lag_ms,
        )
        watch("bell_heard", "1 while notifications come.", lambda: self.listener.is_hearing)
        watch(
            "bell_reconnects",
            "How often the listener connected anew.",
            lambda: self.listener.reconnects,
        )

    def doubt_sessions(self) -> None:
        """One of them is over: all are looked up again at the next call."""
        self.sockets.doubt_sessions()

    def start(self) -> None:
        """Begins to listen and to push, in the background."""
        for task in (self.listener.run, self.hub.run, self.hub.way_out.run, self._keep):
            self.sockets.socketio.start_background_task(task)
        self.host.start(self.sockets.socketio.start_background_task)

    def stop(self) -> None:
        """Closes the sockets; the rest ends by itself within a second or two."""
        self._stopped = True
        # First of all: its admins get time to come back elsewhere.
        self.presence.drain()
        self.listener.stop()
        self.hub.stop()
        self.host.stop()
        self.hub.way_out.stop()
        self.sockets.close_all()

    def _keep(self) -> None:
        """Sends away whom no session stands for any more."""
        while not self._stopped:
            time.sleep(KEEP_SECONDS)
            try:
                self.sockets.hang_up_on_strangers(STRANGER_SECONDS)
                self.sockets.check_sessions()
            except StorageUnavailable as error:
                log.warning("sessions cannot be checked: %s", error)
            except Exception:
                log.exception("looking after the sockets failed")
