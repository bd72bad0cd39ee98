"""Steps of time, and their table in SQL."""

from collections.abc import Iterable
from typing import NamedTuple

from sqlalchemy import CTE, BigInteger, Integer, text


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
