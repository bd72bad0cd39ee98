"""Group commit: items of concurrent callers are handled together in one step."""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from dashboard.turns import turns

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass
class _Batch(Generic[Item, Result]):
    items: list[Item] = field(default_factory=list)
    results: Sequence[Result] | None = None
    failed: Exception | None = None

    @property
    def is_done(self) -> bool:
        return self.results is not None or self.failed is not None


class GroupCommit(Generic[Item, Result]):
    """Runs `work` for up to `most` items at once; `work` returns a result for each, in order.

    A caller never waits for others to join: callers that come while a step is running, or in the
    same turn of the green threads, share the next step.
    """

    def __init__(self, work: Callable[[Sequence[Item]], Sequence[Result]], most: int):
        self._work = work
        self._most = most
        self._turn = threading.Lock()
        self._next: _Batch[Item, Result] = _Batch()

    def do(self, item: Item) -> Result:
        """Returns the result of the item, or raises the error of its step."""
        turns.step()
        if len(self._next.items) >= self._most:
            self._next = _Batch()
        batch = self._next
        index = len(batch.items)
        batch.items.append(item)
        # Lets other green threads join; with ordinary threads this costs nothing.
        time.sleep(0)
        # The step is work for others, too: they would wait while its caller goes behind them.
        with self._turn, turns.holding_lock():
            if not batch.is_done:
                self._do(batch)
        if batch.failed is not None:
            raise batch.failed
        assert batch.results is not None
        return batch.results[index]

    def _do(self, batch: _Batch[Item, Result]) -> None:
        if self._next is batch:
            self._next = _Batch()
        try:
            batch.results = self._work(batch.items)
        except Exception as error:
            batch.failed = error
