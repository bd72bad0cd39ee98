"""A thread that repeats work until there is none, waits, and tries again after failures."""

import logging
import random
import threading
from collections.abc import Callable

from lineup_client.client import Unavailable

log = logging.getLogger("lineup_client")

FIRST_SECONDS, MOST_SECONDS = 0.5, 30.0


class Worker:
    """Calls `work` as long as it returns True, then whenever it is woken, and at least every
    `pause` seconds. After an exception it waits longer each time, up to 30 s."""

    def __init__(self, name: str, work: Callable[[], bool], pause: float):
        self._name, self._work, self._pause = name, work, pause
        self._woken, self._ends = threading.Event(), False
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
            self._thread.start()

    def wake(self) -> None:
        self._woken.set()

    def stop(self) -> None:
        """Ends the thread after the call under way."""
        self._ends = True
        self.wake()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        failures = 0
        while not self._ends:
            self._woken.clear()
            try:
                while not self._ends and self._work():
                    failures = 0
                failures, seconds = 0, self._pause
            except Exception as error:
                seconds = min(MOST_SECONDS, FIRST_SECONDS * 2**failures) * random.uniform(0.5, 1)
                failures += 1
                if isinstance(error, Unavailable):
                    log.warning("%s: %s; trying again in %.1f s", self._name, error, seconds)
                    seconds = max(seconds, error.retry_after or 0)
                else:
                    log.exception("%s: trying again in %.1f s", self._name, seconds)
            self._woken.wait(seconds)
