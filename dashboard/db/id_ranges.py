"""Walks over ids in steps that take about equally long."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import ColumnElement, and_
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import NullType


class Stride:
    """Adapts the `size` of the next step, from `least` to `most`, to take `seconds`."""

    def __init__(
        self,
        first: int,
        least: int,
        most: int,
        seconds: float,
        monotonic: Callable[[], float] = time.monotonic,
    ):
        self.size = first
        self._least = least
        self._most = most
        self._seconds = seconds
        self._monotonic = monotonic
        self._longest_seconds = 0.0

    @contextmanager
    def timed(self) -> Iterator[None]:
        """Times a statement or a transaction of a step; use it around each."""
        begun = self._monotonic()
        yield
        self._longest_seconds = max(self._longest_seconds, self._monotonic() - begun)

    def adapt(self) -> None:
        """Adapts the size after a step, by the longest of the timed statements."""
        seconds, self._longest_seconds = self._longest_seconds, 0.0
        if seconds > self._seconds:
            self.size = max(self._least, self.size // 2)
        elif seconds < self._seconds / 2:
            self.size = min(self._most, 2 * self.size)


#: Ids that one statement looks at: at first, at least and at most. In between, as many as take
#: SIZE_SECONDS, for any condition.
SIZE, SIZE_MIN, SIZE_MAX = 8_000, 2_000, 64_000
SIZE_SECONDS = 0.05
#: Ids at first and at least if other requests are served between statements.
FEW = 500


class _Selective(FunctionElement[Any]):
    """Marks a condition that few rows meet; its value stays the same."""

    name = "selective"
    # Not Boolean: SQLAlchemy would compare it with 1, and SQLite would not recognize the condition.
    type = NullType()
    inherit_cache = True


@compiles(_Selective)
def _as_it_is(element: _Selective, compiler: Any, **options: Any) -> str:
    return f"({compiler.process(element.clauses, **options)})"


@compiles(_Selective, "sqlite")
def _for_sqlite(element: _Selective, compiler: Any, **options: Any) -> str:
    # Otherwise SQLite takes an index on another condition, and reads all of it for each range.
    return f"likelihood({compiler.process(element.clauses, **options)}, 0.0001)"


def within(
    id: ColumnElement[int], after_id: int | ColumnElement[int], last_id: int | ColumnElement[int]
) -> ColumnElement[bool]:
    """Whether `after_id` < id <= `last_id`."""
    return and_(_Selective(id > after_id), _Selective(id <= last_id))


def stride(seconds: float = SIZE_SECONDS) -> Stride:
    """Returns the stride of a walk with statements of about `seconds` each."""
    # A statement takes a millisecond by itself, so fewer than FEW gain nothing.
    first, least = (SIZE, SIZE_MIN) if seconds >= SIZE_SECONDS else (FEW, FEW)
    return Stride(first, least, SIZE_MAX, seconds)
