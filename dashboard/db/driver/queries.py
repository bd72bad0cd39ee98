"""Queries that the driver runs: SQLAlchemy takes ten times as long for one as SQLite itself."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from sqlalchemy import JSON, Boolean, Column, Connection, Select, Table
from sqlalchemy.dialects import postgresql, sqlite

from dashboard.db.driver import json_text
from dashboard.db.driver.running import drive

Result = TypeVar("Result")
Row = Sequence[Any]
#: Converts a value of the driver to that of a column.
_Convert = Callable[[Any], Any]
#: Parameters such as `:name`, but not the type of a cast, such as `::BIGINT`.
_PARAMETER = re.compile(r"(?<!:):(\w+)")


class Query:
    """A select of columns of tables; its text names parameters like `:name`.

    `postgresql` is the text for PostgreSQL, if it differs.
    """

    def __init__(self, columns: Sequence[Column[Any]], text: str, postgresql: str | None = None):
        self._sqlite = text
        self._postgres = _PARAMETER.sub(r"%(\1)s", postgresql or text)
        converts = [(at, _convert(column)) for at, column in enumerate(columns)]
        self._of_sqlite = [(at, convert) for at, convert in converts if convert is not None]

    def on_sqlite(self, driver: Any, parameters: Mapping[str, Any]) -> list[Row]:
        """Returns the rows, with the values that the columns have in Python."""
        found = driver.execute(self._sqlite, parameters).fetchall()
        if not self._of_sqlite:
            return found
        rows: list[Row] = []
        for row in found:
            values = list(row)
            for at, convert in self._of_sqlite:
                values[at] = convert(values[at])
            rows.append(values)
        return rows

    def on_postgres(self, driver: Any, parameters: Mapping[str, Any]) -> Any:
        """Returns a cursor that has the rows once the pipeline has ended."""
        return driver.execute(self._postgres, parameters, prepare=True)


class Ask(NamedTuple, Generic[Result]):
    """A query with its parameters, and the function that reads its rows."""

    query: Query
    parameters: Mapping[str, Any]
    read: Callable[[list[Row]], Result]


def answers(connection: Connection, asks: Sequence[Ask[Any]]) -> list[Any]:
    """Runs the queries in this order and returns the result of each. PostgreSQL gets them in one
    round trip. Raises DBAPIError."""
    run = _one_by_one if connection.dialect.name == "sqlite" else _at_once
    found = drive(connection, lambda driver: run(driver, asks))
    return [ask.read(rows) for ask, rows in zip(asks, found, strict=True)]


def answer(connection: Connection, ask: Ask[Result]) -> Result:
    """Runs one query and returns its result. Raises DBAPIError."""
    return answers(connection, [ask])[0]


def query_of(statement: Select[Any]) -> Query:
    """Makes a query of a select that returns numbers and truth values, and has named parameters."""
    on_sqlite, on_postgres = (
        str(statement.compile(dialect=dialect(paramstyle="named")))
        for dialect in (sqlite.dialect, postgresql.dialect)
    )
    return Query([], on_sqlite, on_postgres)


def by_name(table: Table, columns: Sequence[str], *, locked: bool = False) -> Query:
    """Returns the query for rows of a source with an `external_id` in the JSON list `:names`.
    `locked` locks them, in the order of their ids."""
    own = [table.c[name] for name in columns]
    name, selected = table.name, ", ".join(each.name for each in own)
    text = (
        f"SELECT {selected} FROM {name} WHERE source_id = :source"
        " AND external_id IN (SELECT value FROM json_each(:names)) ORDER BY id"
    )
    # In a new database, without statistics, PostgreSQL would plan to read all rows of the source.
    # OFFSET and FOR UPDATE force it to look each name up.
    postgresql = _LOCKED_BY_NAME if locked else _BY_NAME
    return Query(own, text, postgresql.format(name, selected))


_BY_NAME = (
    "SELECT found.* FROM json_array_elements_text(CAST(:names AS json)) AS asked (name)"
    " CROSS JOIN LATERAL (SELECT {1} FROM {0}"
    " WHERE source_id = :source AND external_id = asked.name OFFSET 0) AS found"
)
_LOCKED_BY_NAME = (
    "SELECT locked.* FROM (" + _BY_NAME.format("{0}", "id") + " ORDER BY found.id) AS named"
    " CROSS JOIN LATERAL (SELECT {1} FROM {0} WHERE {0}.id = named.id FOR UPDATE) AS locked"
)


def _one_by_one(driver: Any, asks: Sequence[Ask[Any]]) -> list[list[Row]]:
    return [ask.query.on_sqlite(driver, ask.parameters) for ask in asks]


def _at_once(driver: Any, asks: Sequence[Ask[Any]]) -> list[list[Row]]:
    with driver.pipeline():
        cursors = [ask.query.on_postgres(driver, ask.parameters) for ask in asks]
    return [cursor.fetchall() for cursor in cursors]


def _convert(column: Column[Any]) -> _Convert | None:
    """Returns the conversion that SQLite's values of this column need, or None."""
    if isinstance(column.type, Boolean):
        return bool
    return _loads if isinstance(column.type, JSON) else None


def _loads(text: str | None) -> Any:
    return None if text is None else json_text.loads(text)
