"""Statements that run on the driver's own connection, and how rows travel there as JSON.

`Query` reads, `RowStatement` writes many rows at once; `drive` translates the driver's errors.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from pydantic_core import from_json, to_json
from sqlalchemy import JSON, Boolean, Column, Connection, LargeBinary, Select, Table
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DBAPIError

Result = TypeVar("Result")


def drive(connection: Connection, run: Callable[[Any], Result]) -> Result:
    """Returns the result of `run(connection of the driver)`, within the transaction.

    Errors are those that SQLAlchemy raises: DBAPIError and its subclasses.
    """
    driver: Any = connection.connection.driver_connection
    try:
        return run(driver)
    except connection.dialect.loaded_dbapi.Error as error:
        raise _translated(connection, driver, error) from error
    except Exception:
        raise
    except BaseException:
        # A statement may still be running: its results must not reach the next user.
        connection.invalidate()
        raise


def _translated(connection: Connection, driver: Any, error: Exception) -> BaseException:
    dialect: Any = connection.dialect
    is_lost = dialect.is_disconnect(error, driver, None)
    if is_lost:
        connection.invalidate(error)
    return DBAPIError.instance(
        None,
        None,
        error,
        dialect.loaded_dbapi.Error,
        hide_parameters=True,
        connection_invalidated=is_lost,
        dialect=dialect,
    )


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
        raw_rows = driver.execute(self._sqlite, parameters).fetchall()
        if not self._of_sqlite:
            return raw_rows
        rows: list[Row] = []
        for row in raw_rows:
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
    results = drive(connection, lambda driver: run(driver, asks))
    return [ask.read(rows) for ask, rows in zip(asks, results, strict=True)]


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
    name, selected = table.name, ", ".join(column.name for column in own)
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
    return None if text is None else loads(text)


RowValues = Mapping[str, Any]
_POSTGRES = postgresql.dialect()
#: True for every id. PostgreSQL assumes that the JSON has 100 rows, for which it would rather read
#: a whole table than look each up; with these conditions it assumes one row.
FEW = f" AND given.id BETWEEN 1 AND {2**63 - 1}"


class RowStatement(NamedTuple):
    """Statements that write rows. SQLite: one for each row, with values as named parameters.
    PostgreSQL: one for all, with their JSON list as parameter. `json_columns` hold JSON."""

    sqlite: str
    postgresql: str
    json_columns: Sequence[str] = ()

    def write(self, connection: Connection, rows: Sequence[RowValues]) -> None:
        """Writes the rows. Raises DBAPIError."""
        write_all(connection, [Write(self, rows)])

    def insert(self, connection: Connection, rows: Sequence[RowValues], key: str) -> dict[Any, int]:
        """Inserts the rows; returns the id of each by its value of `key`. Raises DBAPIError."""
        if connection.dialect.name == "sqlite":
            bound = self.bound(rows)
            return drive(connection, lambda driver: _inserted(driver.cursor(), self, bound, key))
        text, parameters = f"{self.postgresql} RETURNING {key}, id", [dumps_rows(rows)]
        return drive(connection, lambda driver: dict(driver.execute(text, parameters).fetchall()))

    def bound(self, rows: Sequence[RowValues]) -> Sequence[RowValues]:
        """Converts the rows to values that SQLite accepts."""
        if not self.json_columns:
            return rows
        return [
            {
                **row,
                **{name: dumps(row[name]) for name in self.json_columns if row[name] is not None},
            }
            for row in rows
        ]


class Write(NamedTuple):
    """A statement and the rows that it writes."""

    statement: RowStatement
    rows: Sequence[RowValues]


def write_all(connection: Connection, writes: Sequence[Write]) -> None:
    """Runs the writes, in their order. PostgreSQL takes them in one round trip. Raises
    DBAPIError."""
    writes = [write for write in writes if write.rows]
    if writes:
        run = _write_one_by_one if connection.dialect.name == "sqlite" else _write_at_once
        drive(connection, lambda driver: run(driver, writes))


def _write_one_by_one(driver: Any, writes: Sequence[Write]) -> None:
    for statement, rows in writes:
        driver.executemany(statement.sqlite, statement.bound(rows))


def _inserted(
    cursor: Any, statement: RowStatement, rows: Sequence[RowValues], key: str
) -> dict[Any, int]:
    return {row[key]: cursor.execute(statement.sqlite, row).lastrowid for row in rows}


def _write_at_once(driver: Any, writes: Sequence[Write]) -> None:
    with driver.pipeline():
        for statement, rows in writes:
            driver.execute(statement.postgresql, [dumps_rows(rows)])


def insert_of(table: Table, columns: Sequence[str]) -> RowStatement:
    """Returns the statement that inserts rows with these columns."""
    own = [table.c[name] for name in columns]
    names = ", ".join(column.name for column in own)
    return RowStatement(
        f"INSERT INTO {table.name} ({names})"
        f" VALUES ({', '.join(f':{column.key}' for column in own)})",
        f"INSERT INTO {table.name} ({names}) SELECT {', '.join(map(_given, own))}"
        f" FROM {recordset(own)}",
        _json_columns(own),
    )


def update_of(table: Table, columns: Sequence[str]) -> RowStatement:
    """Returns the statement that sets these columns of the rows with the ids `id`."""
    own = [table.c[name] for name in columns]
    return RowStatement(
        f"UPDATE {table.name} SET {', '.join(f'{column.name} = :{column.key}' for column in own)}"
        " WHERE id = :id",
        f"UPDATE {table.name}"
        f" SET {', '.join(f'{column.name} = {_given(column)}' for column in own)}"
        f" FROM {recordset([table.c.id, *own])} WHERE {table.name}.id = given.id{FEW}",
        _json_columns(own),
    )


def recordset(columns: Sequence[Column[Any]]) -> str:
    """Returns the FROM item of PostgreSQL's rows: a table `given` with these columns."""
    typed = ", ".join(f'"{column.key}" {_type(column)}' for column in columns)
    return f"json_to_recordset(%s) AS given ({typed})"


def _type(column: Column[Any]) -> str:
    return "text" if _is_binary(column) else column.type.compile(_POSTGRES)


def _given(column: Column[Any]) -> str:
    name = f'given."{column.key}"'
    return f"decode({name}, 'hex')" if _is_binary(column) else name


def _is_binary(column: Column[Any]) -> bool:
    return isinstance(column.type, LargeBinary)


def _json_columns(columns: Sequence[Column[Any]]) -> list[str]:
    return [column.key for column in columns if isinstance(column.type, JSON)]


loads = from_json


def dumps(value: Any) -> str:
    """Encodes the value. Raises ValueError for a lone surrogate, which no text here has."""
    return to_json(value).decode()


def dumps_rows(rows: Sequence[Any]) -> str:
    """Encodes rows in the same way; their bytes become hexadecimal digits."""
    return to_json(rows, bytes_mode="hex").decode()


def insert_missing(connection: Connection, table: Table, rows: Sequence[RowValues]) -> None:
    """Inserts rows; those that violate a unique constraint are skipped.

    Pass rows in the same order everywhere: PostgreSQL waits for concurrent inserts of the same
    key, and different orders would deadlock.
    """
    connection.execute(insert_on(connection, table).on_conflict_do_nothing(), rows)


def insert_on(connection: Connection, table: Table) -> postgresql.Insert | sqlite.Insert:
    """Returns an insert of this dialect, with `on_conflict_do_nothing` and `…_do_update`."""
    kind = postgresql if connection.dialect.name == "postgresql" else sqlite
    return kind.insert(table)
