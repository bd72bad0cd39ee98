"""Work in the background of a chatbot, and the file with what must outlive the process."""

import logging
import random
import threading
from collections.abc import Callable
from typing import Self

from lineup_client.client import Unavailable
from lineup_client.storage import open_storage

log = logging.getLogger("lineup_client")

FIRST_SECONDS, MOST_SECONDS = 0.5, 30.0


class Worker:
    """Calls `work` as long as it returns True, then whenever it is woken, and at least every
    `pause` seconds. After an exception it waits longer each time, up to 30 s, also if it is woken.
    """

    def __init__(self, name: str, work: Callable[[], bool], pause: float):
        self._name, self._work, self._pause = name, work, pause
        self._woken, self._ends = threading.Event(), threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
            self._thread.start()

    def wake(self) -> None:
        self._woken.set()

    def stop(self) -> None:
        """Ends the thread after the call under way."""
        self._ends.set()
        self.wake()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        failures = 0
        while not self._ends.is_set():
            self._woken.clear()
            until = self._woken
            try:
                while not self._ends.is_set() and self._work():
                    failures = 0
                failures, seconds = 0, self._pause
            except Exception as error:
                seconds = min(MOST_SECONDS, FIRST_SECONDS * 2**failures) * random.uniform(0.5, 1)
                failures += 1
                until = self._ends
                if isinstance(error, Unavailable):
                    log.warning("%s: %s; trying again in %.1f s", self._name, error, seconds)
                    seconds = max(seconds, error.retry_after or 0)
                else:
                    log.exception("%s: trying again in %.1f s", self._name, seconds)
            until.wait(seconds)


class Background:
    """A file, and work that goes on in a `with` statement. It ends after the call under way."""

    def __init__(self, name: str, file: str | None, work: Callable[[], bool], pause: float):
        self._storage = open_storage(file)
        self._worker = Worker(name, work, pause)

    def __enter__(self) -> Self:
        self._worker.start()
        return self

    def __exit__(self, *given: object) -> None:
        self._worker.stop()
        self._storage.close()
