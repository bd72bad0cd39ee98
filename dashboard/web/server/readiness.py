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
from typing import Any

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
        """Tells some connections with input; returns at once. Returns whether the next ones can
        wait: these were all, and all have handled their input."""
        found = self._epoll.poll(0, _AT_ONCE)
        all_handled = True
        for descriptor, _ in found:
            on_readable = self._watched.get(descriptor)
            if on_readable is None:
                continue
            try:
                all_handled &= on_readable()
            except Exception:
                log.exception("a connection could not be told of its input")
        return all_handled and len(found) < _AT_ONCE

    def _run(self) -> None:
        while True:
            self._wait(self._epoll.fileno())
            if self.tell():
                self._pause(GATHER_SECONDS)

    def _unwatch(self, descriptor: int) -> None:
        if self._watched.pop(descriptor, None) is not None:
            self._epoll.unregister(descriptor)
