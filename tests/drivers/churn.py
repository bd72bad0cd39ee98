"""A constant rate of client messages, while a test looks at the list."""

import itertools
import threading
import time
from collections.abc import Sequence

from tests.drivers.lineup import LineupDriver

TICK_SECONDS = 0.1


class Churn:
    """Within `with`: posts `per_second` client messages, in one of `threads` after another."""

    def __init__(self, lineup: LineupDriver, threads: Sequence[str], per_second: float):
        self._lineup = lineup
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
                events = [self._lineup.message_event(name, body) for name in names]
                self._lineup.post(*events)
                self.moves += len(events)
