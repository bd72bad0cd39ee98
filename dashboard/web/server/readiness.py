"""Tells connections about their input, all of them from one green thread.

A green thread that waits for its own connection is registered with the hub, switched to, and
removed again for each few bytes that come. Here a connection is registered once.
"""

import logging
import select
import threading
import time
from collections.abc import Callable
from functools import partial
from select import POLLIN, POLLOUT
from selectors import EVENT_READ, EVENT_WRITE
from typing import Any

from dashboard.turns import WaitReady

log = logging.getLogger(__name__)

#: Connections that are told before all other green threads have their turn.
_AT_ONCE = 64
#: Seconds between two rounds while only acknowledgements arrive: a hundred dashboards acknowledge a
#: frame one after the other, and waking for each costs as much as reading it.
GATHER_SECONDS = 0.005

#: Called without arguments each time that more input or its end has come; must not wait. Returns
#: whether all of it is handled, with nothing left for the connection's own thread.
OnReadable = Callable[[], bool]


class Readiness:
    """Watches connections with its own epoll, on which one green thread waits."""

    def __init__(
        self,
        make_epoll: Callable[[], Any],
        wait: Callable[[int], object],
        pause: Callable[[float], object] = time.sleep,
    ):
        """`wait` waits, as a green thread, until a descriptor can be read."""
        self._make_epoll = make_epoll
        self._wait = wait
        self._pause = pause
        self._epoll: Any = None
        self._watched: dict[int, OnReadable] = {}

    def watch(self, descriptor: int, on_readable: OnReadable) -> Callable[[], None]:
        """Watches from now on; returns a function to call before the descriptor is closed.

        `on_readable` is called once for all input since its last call.
        """
        if self._epoll is None:
            self._epoll = self._make_epoll()
            threading.Thread(target=self._run, daemon=True).start()
        self._watched[descriptor] = on_readable
        self._epoll.register(descriptor, select.EPOLLIN | select.EPOLLRDHUP | select.EPOLLET)
        return partial(self._unwatch, descriptor)

    def tell(self) -> bool:
        """Tells some connections about their input, without waiting. Returns whether there is no
        more to do: all connections with input were told, and have handled it."""
        events = self._epoll.poll(0, _AT_ONCE)
        all_handled = True
        for descriptor, _ in events:
            on_readable = self._watched.get(descriptor)
            if on_readable is None:
                continue
            try:
                all_handled &= on_readable()
            except Exception:
                log.exception("a connection could not be told of its input")
        return all_handled and len(events) < _AT_ONCE

    def _run(self) -> None:
        while True:
            self._wait(self._epoll.fileno())
            if self.tell():
                self._pause(GATHER_SECONDS)

    def _unwatch(self, descriptor: int) -> None:
        if self._watched.pop(descriptor, None) is not None:
            self._epoll.unregister(descriptor)


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
    states = poll.poll(0)
    if not states:
        return 0
    # A broken descriptor counts as ready for everything: its user finds the error.
    is_at = states[0][1]
    return events & (EVENT_READ * bool(is_at & ~POLLOUT) | EVENT_WRITE * bool(is_at & ~POLLIN))
