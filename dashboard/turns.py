"""Turns: one caller does not take the processor of its worker from the others.

Green threads switch only where one waits. So long work calls `step` between its pieces, which lets
the others run after 5 ms. Each caller (an admin with all sessions, an API key) has a share of the
processor:

- While the share is low and others are here, the caller's green threads work one at a time, and the
  others run before each piece of work.
- When it is used up, the caller is behind: it also waits while others have a request under way.
- A caller who is alone gets the whole processor.

A share counts processor time. The time that a caller waits, for a database or because other
programs keep the machine busy, costs it nothing.
"""

import threading
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import greenlet

Item = TypeVar("Item")
Result = TypeVar("Result")
#: Called with a descriptor, events (bits as in `selectors`) and seconds: waits until one of the
#: events happens. Returns the events that have happened, 0 if none did in time.
WaitReady = Callable[[int, int, float], int]

#: The share of the processor that one caller may take for longer than a moment.
SHARE = 0.2
#: Seconds of the processor that one caller may take at once.
BURST_SECONDS = 0.25
#: The longest pause of a caller that has used up its share, and the shortest one worth taking.
PAUSE_SECONDS_MAX, PAUSE_SECONDS_MIN = 1.0, 0.001
#: Processor time after which a long piece of work yields to the others.
STEP_SECONDS = 0.005
#: Quick items between two looks at the time.
STEP_ITEMS = 16
#: The number of shares that are kept; beyond it, shares that are full again are dropped.
SHARES_MAX = 1_000
#: Seconds for one SQL statement of a caller who is alone: several short ones would cost more.
ALONE_SECONDS = 0.05
#: A request holds others up no longer than this: it may wait for something slow.
REQUEST_SECONDS_MAX = 0.25
#: The most turns that a caller with a low share gives to the others before a piece of work.
TURNS_MAX = 20
#: For this long after a request of others, a caller with a low share works at one thing at a time.
BEHIND_SECONDS = 0.1
#: For this long after a request of others, long work is done in slices.
SLICED_SECONDS = 1.0


class Meter:
    """Processor seconds of one green thread: used, charged so far, and used until its last turn."""

    __slots__ = ("charged", "turned", "used")

    def __init__(self) -> None:
        self.used = self.charged = self.turned = 0.0


#: A share, and the time when a request that was charged to it ended.
_Ended = tuple["Share | None", float]


class GreenClock:
    """Counts the processor time of a thread's green threads that have a meter.

    Before `install` it sees no switches: a meter then counts the time of the whole thread.
    """

    def __init__(self, thread_time: Callable[[], float] = time.thread_time):
        self._thread_time = thread_time
        self._running: Meter | None = None
        self._since = 0.0
        #: Switches to any green thread, the loop included.
        self.switches = 0

    def install(self) -> None:
        """Follows the switches of this thread from now on; each costs a microsecond."""
        greenlet.settrace(self._switched)

    def meter(self) -> Meter:
        """Returns the meter of the calling green thread, up to date."""
        current: Any = greenlet.getcurrent()
        meter: Meter | None = getattr(current, "lineup_meter", None)
        if meter is None:
            meter = current.lineup_meter = Meter()
            self._run(meter)
        elif meter is self._running:
            now = self._thread_time()
            meter.used += now - self._since
            self._since = now
        else:
            self._run(meter)
        return meter

    def _run(self, meter: Meter) -> None:
        self._running, self._since = meter, self._thread_time()

    def _switched(self, event: str, between: tuple[Any, Any]) -> None:
        self.switches += 1
        before, after = self._running, getattr(between[1], "lineup_meter", None)
        if before is after is None:
            return
        now = self._thread_time()
        if before is not None:
            before.used += now - self._since
        self._running, self._since = after, now


class Share:
    """The processor time that one caller may use: at most BURST_SECONDS, and SHARE of each second
    is added.

    `worker`: the green thread that works for a caller with a low share.
    """

    def __init__(self, monotonic: Callable[[], float] = time.monotonic):
        self._monotonic = monotonic
        self._level = BURST_SECONDS
        self._at = monotonic()
        self.worker: Any = None

    def spend(self, seconds: float) -> None:
        """Takes used processor time off the share."""
        now = self._monotonic()
        level = min(BURST_SECONDS, self._left()) - seconds
        # A pause has a longest time, so a debt that it cannot pay back is dropped.
        self._level, self._at = max(level, -PAUSE_SECONDS_MAX * SHARE), now

    @property
    def is_full(self) -> bool:
        """Whether the whole share is left."""
        return self._left() >= BURST_SECONDS

    @property
    def is_low(self) -> bool:
        """Whether less than half of it is left."""
        return self._left() < BURST_SECONDS / 2

    @property
    def debt_seconds(self) -> float:
        """Seconds until something is left again; 0.0 if something is left."""
        return max(0.0, -self._left() / SHARE)

    def _left(self) -> float:
        return self._level + (self._monotonic() - self._at) * SHARE


class Work:
    """A request or a call under way. `share` None: its caller is not known yet.

    `credential`: a hash by which the next request of the same caller is recognized at once.
    `holds_lock`: others may wait for its lock, so it lets nobody run.
    """

    __slots__ = ("began_at", "credential", "holds_lock", "share")

    def __init__(self, share: Share | None, began_at: float, credential: int | None = None):
        self.share = share
        self.began_at = began_at
        self.credential = credential
        self.holds_lock = False


class Turns:
    """Decides which callers of a worker work and which wait. Nothing waits before `install`."""

    def __init__(
        self,
        monotonic: Callable[[], float] = time.monotonic,
        clock: GreenClock | None = None,
        wait: Callable[[threading.Lock, float], object] = lambda lock, seconds: lock.acquire(
            timeout=seconds
        ),
    ):
        self._monotonic = monotonic
        self._clock = clock or GreenClock()
        self._wait = wait
        self._give_turn: Callable[[], object] | None = None
        self._shares: dict[Hashable, Share] = {}
        #: The share of all unknown callers, who count as one caller.
        self._of_nobody = Share(monotonic)
        self._works: dict[Any, Work] = {}
        #: Callers by hashes of their credentials.
        self._callers: dict[int, Hashable] = {}
        self._waiting: list[threading.Lock] = []
        #: The last request of a caller who was not behind; and before it, the last such request of
        #: another caller.
        self._last: _Ended = (None, float("-inf"))
        self._before: _Ended = self._last
        #: Pauses of PAUSE_SECONDS_MAX, because the others were at work all the while.
        self.lost = 0

    def install(self, give_turn: Callable[[], object]) -> None:
        """Called once by the server. `give_turn()` lets all ready green threads run."""
        self._give_turn = give_turn
        self._clock.install()

    def share(self, caller: Hashable) -> Share:
        """Returns the caller's share, common to all connections."""
        share = self._shares.get(caller)
        if share is None:
            if len(self._shares) >= SHARES_MAX:
                shares = self._shares.items()
                self._shares = {who: other for who, other in shares if not other.is_full}
            share = self._shares[caller] = Share(self._monotonic)
        return share

    @contextmanager
    def working(
        self, caller: Hashable | None = None, credential: str | None = None
    ) -> Iterator[None]:
        """Runs its block as a request or a call. If `caller` is None, the caller is recognized by
        the credential, or named later by `known_as`."""
        if self._give_turn is None:
            yield
            return
        green = greenlet.getcurrent()
        sign = hash(credential) if credential else None
        if caller is None and sign is not None:
            caller = self._callers.get(sign)
        share = None if caller is None else self.share(caller)
        work = self._works[green] = Work(share, self._monotonic(), sign)
        self._clock.meter()
        try:
            # Finding out the sender of a request is work, too.
            if share is not None and sign is not None:
                self.pause(share)
            yield
        finally:
            self._end(work, green)

    def known_as(self, caller: Hashable) -> None:
        """Names the caller of the current request, which waits if the share demands it."""
        work = self._works.get(greenlet.getcurrent())
        if work is not None:
            work.share = self.share(caller)
            if work.credential is not None:
                if len(self._callers) >= SHARES_MAX:
                    self._callers.clear()
                self._callers[work.credential] = caller
            self.pause(work.share)

    def is_working(self) -> bool:
        """Whether this green thread works for a request or a call."""
        return greenlet.getcurrent() in self._works

    def step(self) -> None:
        """Lets the others run if this green thread has worked for STEP_SECONDS. Call it between two
        pieces of work, outside of transactions that write."""
        work = self._works.get(greenlet.getcurrent())
        if work is not None and not work.holds_lock and self.has_worked():
            self.turn(work.share)

    @contextmanager
    def holding_lock(self) -> Iterator[None]:
        """Runs its block as work that others may wait for: `step` and `give` let nobody run."""
        work = self._works.get(greenlet.getcurrent())
        was_held = work is not None and work.holds_lock
        if work is not None:
            work.holds_lock = True
        try:
            yield
        finally:
            if work is not None:
                work.holds_lock = was_held

    @property
    def step_seconds(self) -> float:
        """The time that one statement of this green thread may take, since others wait for it."""
        return ALONE_SECONDS if self._is_alone() else STEP_SECONDS

    def slices(self, items: Sequence[Item], first: int) -> Iterator[Sequence[Item]]:
        """Yields the items in slices of STEP_SECONDS each, with turns in between; all at once for a
        caller who is alone. `first`: the size of the first slice."""
        at, size = 0, first
        while at < len(items):
            size = len(items) if self._is_alone() else min(size, len(items))
            before = self._clock.meter().used
            yield items[at : at + size]
            at += size
            used = self._clock.meter().used - before
            if used > STEP_SECONDS:
                size = max(1, int(size * STEP_SECONDS / used))
            elif used < STEP_SECONDS / 2:
                size *= 2
            self.step()

    def each(self, items: Iterable[Item]) -> Iterator[Item]:
        """Yields the items; calls `step` after every STEP_ITEMS of them."""
        for number, item in enumerate(items, 1):
            yield item
            if not number % STEP_ITEMS:
                self.step()

    def _is_alone(self) -> bool:
        """Whether no other caller has had a request within SLICED_SECONDS."""
        own = self._works.get(greenlet.getcurrent())
        if own is None or own.share is None:
            return True
        others = any(work.share is not own.share for work in self._works.values())
        return not others and self._monotonic() - self._others_at(own.share) > SLICED_SECONDS

    def give(self) -> None:
        """Lets the others run, between two statements of a long piece of work."""
        work = self._works.get(greenlet.getcurrent())
        if work is None:
            time.sleep(0)
        elif not work.holds_lock:
            self.turn(work.share)

    def has_worked(self) -> bool:
        """Whether the green thread has worked for STEP_SECONDS since its last turn."""
        meter = self._clock.meter()
        return meter.used - meter.turned >= STEP_SECONDS

    def turn(self, share: Share | None) -> None:
        """Lets the others run, and waits if the share demands it."""
        self.charge(share)
        if share is not None:
            self.pause(share)
        if self._give_turn is not None:
            self._give_turn()
        meter = self._clock.meter()
        meter.turned = meter.used

    def begin(self) -> None:
        """Begins new work on the green thread: its time so far is charged to nobody."""
        meter = self._clock.meter()
        meter.charged = meter.turned = meter.used

    def _give_more_turns(self, share: Share) -> None:
        """Lets the others run until none of them can, if they were here within SLICED_SECONDS: a
        request takes several turns before its caller is known."""
        if self._give_turn is None or self._monotonic() - self._others_at(share) > SLICED_SECONDS:
            return
        for _ in range(TURNS_MAX):
            before = self._clock.switches
            self._give_turn()
            # One switch to the loop, and one back: nobody else ran.
            if self._clock.switches - before <= 2:
                return

    def charge(self, share: Share | None) -> None:
        """Charges a share with the time of the green thread since its last charge."""
        meter = self._clock.meter()
        (share or self._of_nobody).spend(meter.used - meter.charged)
        meter.charged = meter.used

    def pause(self, share: Share) -> None:
        """Waits while the share is used up and others have a request under way, or while it is low
        and another green thread works for the caller; for a second at most. Then, with a low share,
        lets the others run first."""
        self.rest(share)
        until = self._monotonic() + PAUSE_SECONDS_MAX
        while self._is_behind(share):
            seconds = share.debt_seconds or REQUEST_SECONDS_MAX
            seconds = min(seconds, REQUEST_SECONDS_MAX, until - self._monotonic())
            if seconds < PAUSE_SECONDS_MIN:
                break
            self._wait_for_end(seconds)
        self.lost += self._monotonic() > until - PAUSE_SECONDS_MIN
        if share.is_low:
            share.worker = greenlet.getcurrent()
            self._give_more_turns(share)

    def rest(self, share: Share) -> None:
        """Marks that the green thread does not work for the caller any more."""
        if share.worker is greenlet.getcurrent():
            share.worker = None
            self._wake()

    def used_elsewhere(self, seconds: float) -> None:
        """Counts processor time that a thread has used for the calling green thread."""
        self._clock.meter().used += seconds

    def _is_behind(self, share: Share) -> bool:
        if share.debt_seconds > 0 and self._others_work(share):
            return True
        if share.worker is None or not share.is_low:
            return False
        return self._monotonic() - self._others_at(share) < BEHIND_SECONDS

    def _others_work(self, share: Share) -> bool:
        """Whether others who are not behind themselves have a request under way."""
        latest = self._monotonic() - REQUEST_SECONDS_MAX
        return any(
            of is not share and work.began_at >= latest and of.debt_seconds == 0
            for work in self._works.values()
            for of in [work.share or self._of_nobody]
        )

    def _others_at(self, share: Share) -> float:
        """Returns when a request of others ended last."""
        return (self._before if self._last[0] is share else self._last)[1]

    def _wait_for_end(self, seconds: float) -> None:
        lock = threading.Lock()
        lock.acquire()
        self._waiting.append(lock)
        try:
            self._wait(lock, seconds)
        finally:
            if lock in self._waiting:
                self._waiting.remove(lock)

    def _end(self, work: Work, green: Any) -> None:
        share = work.share or self._of_nobody
        self.charge(share)
        del self._works[green]
        if share.worker is green:
            share.worker = None
        if share.debt_seconds == 0:
            if self._last[0] is not share:
                self._before = self._last
            self._last = share, self._monotonic()
        self._wake()

    def _wake(self) -> None:
        """Wakes the waiting green threads to look again."""
        waiting, self._waiting = self._waiting, []
        for lock in waiting:
            lock.release()


#: The turns of this process.
turns = Turns()


class Pace:
    """Makes one connection, which may always have input, take turns with the others."""

    def __init__(self, share: Share, turns: Turns = turns):
        self._share = share
        self._turns = turns
        self._has_waited = True

    def waited(self) -> None:
        """Marks that the connection waited for its client while others ran. Earlier work of the
        green thread is charged already, or was for another caller."""
        self._has_waited = True
        self._turns.begin()

    def step(self) -> None:
        """Yields to the others before a piece of work, unless they just ran."""
        if self._has_waited:
            self._has_waited = False
        else:
            self.turn()

    def long_step(self) -> None:
        """Yields to the others within a piece of work, once it has taken STEP_SECONDS."""
        if self._turns.has_worked():
            self.turn()

    def turn(self) -> None:
        """Lets the others run, and goes behind them if the share is used up."""
        self._turns.turn(self._share)

    def pay(self) -> None:
        """Charges the used time before the connection waits for its client, and goes behind the
        others if that overdraws the share."""
        self._turns.charge(self._share)
        self._turns.pause(self._share)
        self._turns.rest(self._share)

    def is_overdrawn(self) -> bool:
        """Charges the used time; returns whether that overdraws the share."""
        self._turns.charge(self._share)
        return self._share.debt_seconds > 0


def counted(offload: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps an `offload`: charges the processor time of the work to the calling green thread."""

    def run(work: Callable[..., Result], *arguments: Any) -> Result:
        used = 0.0

        def timed() -> Result:
            nonlocal used
            begun = time.thread_time()
            try:
                return work(*arguments)
            finally:
                used = time.thread_time() - begun

        try:
            result: Result = offload(timed)
            return result
        finally:
            turns.used_elsewhere(used)

    return run
