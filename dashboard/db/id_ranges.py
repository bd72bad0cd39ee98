"""Threads by ranges of ids, read by the primary key whatever else is asked of them."""

from typing import Any

from sqlalchemy import ColumnElement, and_
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import NullType


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
