"""Ranges of ids: how many of them a statement looks at, read by the primary key if need be."""

from typing import Any

from sqlalchemy import ColumnElement, and_
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import NullType

from dashboard.db.stride import Stride

#: Ids that one statement looks at: at first, at least and at most. In between it is as many as take
#: 50 ms, whatever is asked of them.
SIZE, SIZE_MIN, SIZE_MAX = 8_000, 2_000, 64_000
SIZE_SECONDS = 0.05
#: Ids at first and at least where others are served between statements.
FEW = 500


class _Selective(FunctionElement[Any]):
    """A condition that few rows meet; equal to it everywhere."""

    name = "selective"
    # Not Boolean: SQLAlchemy would compare it with 1, and SQLite not see what it is.
    type = NullType()
    inherit_cache = True


@compiles(_Selective)
def _as_it_is(element: _Selective, compiler: Any, **options: Any) -> str:
    return f"({compiler.process(element.clauses, **options)})"


@compiles(_Selective, "sqlite")
def _for_sqlite(element: _Selective, compiler: Any, **options: Any) -> str:
    # Without it SQLite takes an index on another condition, and reads all of it for each range.
    return f"likelihood({compiler.process(element.clauses, **options)}, 0.0001)"


def within(
    id: ColumnElement[int], after_id: int | ColumnElement[int], last_id: int | ColumnElement[int]
) -> ColumnElement[bool]:
    """Whether `after_id` < id <= `last_id`."""
    return and_(_Selective(id > after_id), _Selective(id <= last_id))


def stride(seconds: float = SIZE_SECONDS) -> Stride:
    """Counts the ids that the next statement looks at: as many as take `seconds`."""
    # A statement takes a millisecond by itself, so fewer than FEW gain nothing.
    first, least = (SIZE, SIZE_MIN) if seconds >= SIZE_SECONDS else (FEW, FEW)
    return Stride(first, least, SIZE_MAX, seconds)
