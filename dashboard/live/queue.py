"""The state of the queue, for supervisors: threads that wait, their waits, and admins present."""

from collections.abc import Callable
from typing import NamedTuple

from redis.exceptions import RedisError

from dashboard.tasks import PeriodicTask, RunsTask
from dashboard.transport.caller import Caller
from dashboard.transport.emitter import Emitter
from dashboard.transport.packets import EncodedJson, encode
from scoring.ranking import Ranking, RankingLost

#: The view of all threads that wait, and the sort with the longest wait first; its score is the
#: time at which the wait began.
_WAITING = ("not_respond", "longest_wait")
#: A wait that is longer than this counts as a long one.
LONG_WAIT_MS = 30 * 60_000


class QueueNumbers(NamedTuple):
    """The state of the queue. `longest_since`: in milliseconds since 1970, None if no thread waits;
    `over`: threads that wait for longer than `LONG_WAIT_MS`; `here`: None while it is not known."""

    waiting: int
    longest_since: int | None
    over: int
    here: int | None


class QueueReader:
    """Reads the numbers; `here` counts the admins with an open window, including invisible ones.

    `clock` gives milliseconds since 1970.
    """

    def __init__(self, ranking: Ranking, here: Callable[[], int | None], clock: Callable[[], int]):
        self._ranking = ranking
        self._here = here
        self._clock = clock

    def read(self) -> QueueNumbers | None:
        """Reads the numbers; None while Redis is away, or lacks the list."""
        name, sort = _WAITING
        try:
            head = self._ranking.head(name, sort, 1)
            over = self._ranking.count_below(name, sort, self._clock() - LONG_WAIT_MS)
        except (RedisError, RankingLost):
            return None
        first = head.entries[0].score if head.entries else None
        # The two reads are separate: a thread may have left in between.
        return QueueNumbers(head.total, first, min(over, head.total), self._here())


#: Interval of reading the numbers. Time alone changes them, too.
READ_SECONDS = 1.0
#: The same while no supervisor is here.
REST_SECONDS = 10.0


class QueueLine(RunsTask):
    """Sends the numbers to each socket of a supervisor, and again when one of them changes.

    `read` returns None while they are not known; then nothing is sent.
    """

    def __init__(self, read: Callable[[], QueueNumbers | None], emitter: Emitter):
        self._read = read
        self._emitter = emitter
        #: What each socket was sent last; None: nothing yet.
        self._sent: dict[str, QueueNumbers | None] = {}
        self._task = PeriodicTask(
            "sending the state of the queue",
            self.turn,
            interval_seconds=lambda: READ_SECONDS if self._sent else REST_SECONDS,
        )

    def turn(self) -> None:
        """Sends the numbers to the sockets that do not have them."""
        if not self._sent:
            return
        numbers = self._read()
        if numbers is None:
            return
        data = EncodedJson(encode(numbers._asdict() | {"over_ms": LONG_WAIT_MS}))
        for sid, last in [*self._sent.items()]:
            if last != numbers and sid in self._sent:
                self._sent[sid] = numbers
                self._emitter.send(sid, "queue:numbers", data)

    # A SocketObserver

    def on_connect(self, caller: Caller) -> None:
        """Does nothing: nothing can be sent yet."""

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
        """Does nothing: the numbers do not depend on the time of a socket's last call."""

    def on_disconnect(self, sid: str, reason: str) -> None:
        self._sent.pop(sid, None)
