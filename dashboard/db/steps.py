"""Tables in SQL that a statement brings along: steps of time, and other rows."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from pydantic_core import to_json
from sqlalchemy import (
    CTE,
    JSON,
    BigInteger,
    ColumnClause,
    ColumnElement,
    Integer,
    Text,
    cast,
    func,
    literal,
    literal_column,
    select,
    text,
)


class Step(NamedTuple):
    """A part of the time from `begin` until just before `end`; steps of one label count together.
    Labels are numbers from 0."""

    begin: int
    end: int
    label: int


def step_table(steps: Iterable[Step]) -> CTE:
    """Returns at least one step as a table with the columns of Step.

    As text: compiling a hundred rows of literals takes milliseconds, in which no event is served.
    """
    rows = ", ".join(f"({step.label}, {step.begin}, {step.end})" for step in steps)
    named = 'column1 AS label, column2 AS "begin", column3 AS "end"'
    found = text(f"SELECT {named} FROM (VALUES {rows}) AS given")
    return found.columns(label=Integer, begin=BigInteger, end=BigInteger).cte("steps")


def json_table(
    on_postgres: bool, columns: Sequence[ColumnClause[Any]], rows: Sequence[tuple[Any, ...]]
) -> CTE:
    """Builds a table of rows with these columns from one parameter: PostgreSQL takes at most 65,535
    of them in a statement, and thousands take long to compile."""
    sent = literal(to_json(rows).decode(), Text)
    read: list[ColumnElement[Any]]
    if on_postgres:
        one = func.json_array_elements(cast(sent, JSON)).table_valued("value").c.value
        read = [one.op("->>")(literal_column(f"{at}")) for at in range(len(columns))]
    else:
        one = func.json_each(sent).table_valued("value").c.value
        read = [func.json_extract(one, f"$[{at}]") for at in range(len(columns))]
    typed = [cast(each, to.type).label(to.name) for each, to in zip(read, columns, strict=True)]
    return select(*typed).cte()
