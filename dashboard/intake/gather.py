"""Gathers what several callers hand in at the same moment, so that one step does it for all."""

import threading
import time
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


class _Batch(Generic[Item, Result]):
    def __init__(self) -> None:
        self.items: list[Item] = []
        self.results: Sequence[Result] | None = None
        self.failed: Exception | None = None

    @property
    def is_done(self) -> bool:
        return self.results is not None or self.failed is not None


class Gather(Generic[Item, Result]):
    """Does `work` for many callers at once; `work` gives a result an item, in their order.

    Nobody waits for company: who comes while another's step is under way, or in the same turn of
    the green threads, shares the next one.
    """

    def __init__(self, work: Callable[[Sequence[Item]], Sequence[Result]], most: int):
        self._work = work
        self._most = most
        self._turn = threading.Lock()
        self._next: _Batch[Item, Result] = _Batch()

    def do(self, item: Item) -> Result:
        """The item's result, or what its step raised."""
        if len(self._next.items) >= self._most:
            self._next = _Batch()
        batch = self._next
        place = len(batch.items)
        batch.items.append(item)
        # Whoever is ready now joins; without green threads this costs nothing.
        time.sleep(0)
        with self._turn:
            if not batch.is_done:
                self._do(batch)
        if batch.failed is not None:
            raise batch.failed
        assert batch.results is not None
        return batch.results[place]

    def _do(self, batch: _Batch[Item, Result]) -> None:
        if self._next is batch:
            self._next = _Batch()
        try:
            batch.results = self._work(batch.items)
        except Exception as error:
            batch.failed = error
