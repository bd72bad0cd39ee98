"""Keeps threads moving at a rate, while a test looks."""

import itertools
import threading
import time
from collections.abc import Sequence

from tests.browser.stage import Stage

TICK_SECONDS = 0.1


class Churn:
    """Within `with`: a client message in one of `threads` after another, so many a second."""

    def __init__(self, stage: Stage, threads: Sequence[str], per_second: float):
        self._stage = stage
        self._threads = itertools.cycle(threads)
        self._per_second = per_second
        self._ended = threading.Event()
        self._runner = threading.Thread(target=self._run, daemon=True)
        self.moves = 0

    def __enter__(self) -> "Churn":
        self._runner.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._ended.set()
        self._runner.join(10)

    def _run(self) -> None:
        began = time.monotonic()
        while not self._ended.wait(TICK_SECONDS):
            due = int((time.monotonic() - began) * self._per_second) - self.moves
            if due > 0:
                body = f"Move {self.moves}"
                names = itertools.islice(self._threads, min(due, 500))
                events = [self._stage.message(name, body) for name in names]
                self._stage.post(*events)
                self.moves += len(events)
