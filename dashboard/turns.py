"""Turns: one connection that sends without pause does not block the others of its worker.

Green threads switch only where one waits, and a connection whose input is always there never
waits. So it yields after each piece of work, and a caller that uses more than its share of the
processor is paused.
"""

import time
from collections.abc import Callable, Hashable
from weakref import WeakValueDictionary

#: The share of the processor that one caller may take for longer than a moment.
SHARE = 0.2
#: Seconds of the processor that one caller may take at once.
BURST_SECONDS = 0.25
#: The longest pause of a caller that has overdrawn its budget.
PAUSE_SECONDS_MAX = 1.0
#: The most that is charged for one piece of work: it may have waited for a database or for others.
WORK_SECONDS_MAX = 0.05
#: Time after which a piece of work that goes on yields to the others.
STEP_SECONDS = 0.005
#: The most that `Pauses` charges for one batch: the rest of a longer one is waiting.
BATCH_SECONDS_MAX = 0.01


class TimeBudget:
    """A bucket of processor time: it holds BURST_SECONDS and fills with SHARE of each second."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic):
        self._monotonic = monotonic
        self._level = BURST_SECONDS
        self._at = monotonic()

    def spend(self, seconds: float) -> float:
        """Takes time that was used; the seconds to pause, 0.0 where the bucket is not empty."""
        now = self._monotonic()
        level = min(BURST_SECONDS, self._level + (now - self._at) * SHARE) - seconds
        # A pause has a longest time, so what it cannot pay back is dropped.
        self._level, self._at = max(level, -PAUSE_SECONDS_MAX * SHARE), now
        return max(0.0, -self._level / SHARE)


class Budgets:
    """The budgets of callers: all connections of one share theirs."""

    def __init__(self) -> None:
        self._budgets: WeakValueDictionary[Hashable, TimeBudget] = WeakValueDictionary()

    def of(self, caller: Hashable) -> TimeBudget:
        """The caller's budget; it lives while a connection holds it."""
        budget = self._budgets.get(caller)
        if budget is None:
            budget = self._budgets[caller] = TimeBudget()
        return budget


class Pace:
    """How one connection takes turns with the others.

    `give_turn()` lets every green thread that can run do so, and returns. Work is measured by the
    clock, because a clock of the processor costs a system call for each frame.
    """

    def __init__(
        self,
        budget: TimeBudget,
        give_turn: Callable[[], object],
        pause: Callable[[float], object] = time.sleep,
        monotonic: Callable[[], float] = time.monotonic,
    ):
        self._budget = budget
        self._give_turn = give_turn
        self._pause = pause
        self._monotonic = monotonic
        self._since = monotonic()
        self._has_waited = True

    def waited(self) -> None:
        """Notes that the connection waited for its client, and so the others ran."""
        self._since = self._monotonic()
        self._has_waited = True

    def step(self) -> None:
        """Before a piece of work: yields to the others, unless they just ran."""
        if self._has_waited:
            self._has_waited = False
        else:
            self.turn()

    def long_step(self) -> None:
        """Within a piece of work: yields to the others once it has taken STEP_SECONDS."""
        if self._monotonic() - self._since >= STEP_SECONDS:
            self.turn()

    def turn(self) -> None:
        """Lets the others run; if the budget is overdrawn, until it is paid back."""
        if not self.pay():
            self._give_turn()
        self._since = self._monotonic()

    def pay(self) -> bool:
        """Takes the time used from the budget; pauses if that overdraws it, and says whether."""
        seconds = self.spend()
        if seconds > 0:
            self._pause(seconds)
        return seconds > 0

    def spend(self) -> float:
        """Takes the time used from the budget; the seconds to pause if that overdraws it."""
        now = self._monotonic()
        seconds = self._budget.spend(min(now - self._since, WORK_SECONDS_MAX))
        self._since = now
        return seconds


class Pauses:
    """Called between the batches of a long call: pauses, so that the call takes SHARE of the time.

    A call that names 500 people takes as long as fifty ordinary ones.
    """

    def __init__(
        self,
        pause: Callable[[float], object] = time.sleep,
        monotonic: Callable[[], float] = time.monotonic,
    ):
        self._pause = pause
        self._monotonic = monotonic
        self._since = monotonic()

    def __call__(self) -> None:
        worked = min(self._monotonic() - self._since, BATCH_SECONDS_MAX)
        self._pause(worked * (1 / SHARE - 1))
        self._since = self._monotonic()
