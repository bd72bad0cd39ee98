"""The state of the queue, for supervisors: who waits, how long, and who is here."""

from collections.abc import Callable
from typing import NamedTuple

from redis.exceptions import RedisError

from dashboard.tasks import PeriodicTask, RunsTask
from dashboard.transport.caller import Caller
from dashboard.transport.emitter import Emitter
from dashboard.transport.packets import EncodedJson, encode
from scoring.ranking import Ranking, RankingLost

#: In this view everybody waits; in this sort the one who waits longest is first, and the score is
#: the time since when.
_WAITING = ("not_respond", "longest_wait")
#: A wait that is longer than this counts as a long one.
LONG_WAIT_MS = 30 * 60_000


class QueueNumbers(NamedTuple):
    """The state of the queue. `longest_since` in milliseconds since 1970, None where nobody waits;
    `over` is how many wait for longer than `LONG_WAIT_MS`; `here` is None while it is not known."""

    waiting: int
    longest_since: int | None
    over: int
    here: int | None


class QueueReader:
    """Reads the numbers; `here` counts the admins who have a window open, the invisible included.

    `clock` gives milliseconds since 1970.
    """

    def __init__(self, ranking: Ranking, here: Callable[[], int | None], clock: Callable[[], int]):
        self._ranking = ranking
        self._here = here
        self._clock = clock

    def read(self) -> QueueNumbers | None:
        """None while Redis is away, or lacks the list."""
        name, sort = _WAITING
        try:
            head = self._ranking.head(name, sort, 1)
            over = self._ranking.count_below(name, sort, self._clock() - LONG_WAIT_MS)
        except (RedisError, RankingLost):
            return None
        first = head.entries[0].score if head.entries else None
        # Read one after the other: a thread may have left in between.
        return QueueNumbers(head.total, first, min(over, head.total), self._here())


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
        for sid, last in [*self._sent.items()]:
            if last != numbers and sid in self._sent:
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
