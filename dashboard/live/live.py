"""The way out of a web process, built and running: listener, hub and sockets together."""

import logging
import time
from collections.abc import Callable

import redis
from flask import Flask

from dashboard.config import AsyncMode
from dashboard.errors import StorageUnavailable
from dashboard.live.answers import Answers
from dashboard.live.hub import Hub
from dashboard.live.listener import Listener
from dashboard.live.reads import Reads
from dashboard.live.sockets import Sockets
from dashboard.live.status import Status
from scoring.ranking import Ranking

log = logging.getLogger(__name__)

#: Sessions are checked again, and strangers counted, so often.
KEEP_SECONDS = 2.0
#: An open connection must be a socket of ours by then; found at the next round.
STRANGER_SECONDS = 6.0


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
    ):
        self.sockets = Sockets(async_mode, reads)
        status = Status(late_since, clock, self.sockets)
        self.hub = Hub(ranking, reads, status, self.sockets)
        self.sockets.answer_with(Answers(ranking, reads, self.hub), self.hub.drop)
        self.listener = Listener(bell, ranking.keys.prefix, self.hub.ring)
        self._stopped = False

    def attach(self, app: Flask) -> None:
        """Puts Socket.IO in front of the application."""
        self.sockets.attach(app)

    def measure(self, watch: Callable[[str, str, Callable[[], float]], None]) -> None:
        """Names the numbers of the way out: `watch(name, help, read)`."""
        watch("sockets", "Dashboards that are connected.", lambda: len(self.sockets))
        watch("bad_calls", "Calls over sockets that made no sense.", lambda: self.sockets.bad_calls)
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
        for task in (self.listener.run, self.hub.run, self._keep):
            self.sockets.socketio.start_background_task(task)

    def stop(self) -> None:
        """Closes the sockets; the rest ends by itself within a second or two."""
        self._stopped = True
        self.listener.stop()
        self.hub.stop()
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
