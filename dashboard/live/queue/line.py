"""Tells supervisors the state of the queue."""

from collections.abc import Callable

from dashboard.live.queue.numbers import LONG_WAIT_MS, QueueNumbers
from dashboard.tasks import PeriodicTask, RunsTask
from dashboard.transport.caller import Caller
from dashboard.transport.emitter import Emitter
from dashboard.transport.packets import EncodedJson, encode

#: Interval of reading the numbers. Time alone changes them, too.
READ_SECONDS = 1.0
#: The same while no supervisor is here.
REST_SECONDS = 10.0


class QueueLine(RunsTask):
    """Sends the numbers to each socket of a supervisor, and again when one of them changes.

    `read` gives None while they are not known; then nothing is sent.
    """

    def __init__(self, read: Callable[[], QueueNumbers | None], emitter: Emitter):
        self._read = read
        self._emitter = emitter
        #: What each socket was sent last; None: nothing yet.
        self._sent: dict[str, QueueNumbers | None] = {}
        self._task = PeriodicTask(
            "telling the state of the queue",
            self.turn,
            interval_seconds=lambda: READ_SECONDS if self._sent else REST_SECONDS,
        )

    def turn(self) -> None:
        """Sends the numbers to those who do not have them."""
        if not self._sent:
            return
        numbers = self._read()
        if numbers is None:
            return
        data = EncodedJson(encode(numbers._asdict() | {"over_ms": LONG_WAIT_MS}))
        for sid, sent in [*self._sent.items()]:
            if sent != numbers and sid in self._sent:
                self._sent[sid] = numbers
                self._emitter.send(sid, "queue:numbers", data)

    # A SocketObserver

    def on_connect(self, caller: Caller) -> None:
        """Nothing can be sent yet."""

    def on_ready(self, caller: Caller) -> None:
        if caller.role == "supervisor":
            self._sent[caller.sid] = None
            self._task.wake()

    def on_role(self, caller: Caller) -> None:
        if caller.role == "supervisor":
            self._sent.setdefault(caller.sid)
            self._task.wake()
        elif caller.sid in self._sent:
            del self._sent[caller.sid]
            self._emitter.send(caller.sid, "queue:numbers", EncodedJson("null"))

    def on_message(self, sid: str) -> None:
        """The numbers do not depend on when a socket last called."""

    def on_disconnect(self, sid: str, reason: str) -> None:
        self._sent.pop(sid, None)
