"""Waits for descriptors as a green thread; the drivers' own waiting costs several times as much."""

from collections.abc import Callable
from select import POLLIN, POLLOUT
from selectors import EVENT_READ, EVENT_WRITE
from typing import Any

from dashboard.turns import WaitReady


def waiter(
    make_poll: Callable[[], Any],
    wait_read: Callable[[int, float], object],
    select: Callable[..., tuple[list[int], list[int], list[int]]],
) -> WaitReady:
    """Returns a `wait_ready` function.

    `make_poll` makes a poll object that does not switch to another green thread; `wait_read` and
    `select` do so, and `wait_read` raises TimeoutError when its seconds are over.
    """

    def wait_ready(descriptor: int, events: int, seconds: float) -> int:
        if not events & EVENT_WRITE:
            try:
                wait_read(descriptor, seconds)
            except TimeoutError:
                return 0
            return EVENT_READ
        ready = _ready_now(make_poll(), descriptor, events)
        if ready:
            # A connection can almost always be written to: no other thread needs to run for that.
            return ready
        reading = [descriptor] if events & EVENT_READ else []
        reads, writes, _ = select(reading, [descriptor], [], seconds)
        return EVENT_READ * bool(reads) | EVENT_WRITE * bool(writes)

    return wait_ready


def _ready_now(poll: Any, descriptor: int, events: int) -> int:
    poll.register(descriptor, POLLIN * bool(events & EVENT_READ) | POLLOUT)
    found = poll.poll(0)
    if not found:
        return 0
    # A broken descriptor counts as ready for everything: its user finds the error.
    is_at = found[0][1]
    return events & (EVENT_READ * bool(is_at & ~POLLOUT) | EVENT_WRITE * bool(is_at & ~POLLIN))
