"""Writes many rows on the driver: SQLite takes them one by one in a loop in C, PostgreSQL all of
them as JSON in one statement, which it prepares once for any number of rows."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import JSON, Column, Connection, LargeBinary, Table
from sqlalchemy.dialects import postgresql

from dashboard.db.driver import json_text
from dashboard.db.driver.running import drive

Row = Mapping[str, Any]
_POSTGRES = postgresql.dialect()
#: True for every id. PostgreSQL assumes that the JSON has 100 rows, for which it would rather read
#: a whole table than look each up; with these conditions it assumes one row.
_FEW = f" AND given.id BETWEEN 1 AND {2**63 - 1}"


class RowStatement(NamedTuple):
    """Statements that write rows. SQLite: one for each row, with values as named parameters.
    PostgreSQL: one for all, with their JSON list as parameter. `json_columns` hold JSON."""

    sqlite: str
    postgresql: str
    json_columns: Sequence[str] = ()

    def write(self, connection: Connection, rows: Sequence[Row]) -> None:
        """Writes the rows. Raises DBAPIError."""
        write_all(connection, [Write(self, rows)])

    def insert(self, connection: Connection, rows: Sequence[Row], key: str) -> dict[Any, int]:
        """Inserts the rows; returns the id of each by its value of `key`. Raises DBAPIError."""
        if connection.dialect.name == "sqlite":
            bound = self.bound(rows)
            return drive(connection, lambda driver: _inserted(driver.cursor(), self, bound, key))
        text, given = f"{self.postgresql} RETURNING {key}, id", [json_text.dumps_rows(rows)]
        return drive(connection, lambda driver: dict(driver.execute(text, given).fetchall()))

    def bound(self, rows: Sequence[Row]) -> Sequence[Row]:
        """Converts the rows to values that SQLite accepts."""
        if not self.json_columns:
            return rows
        return [
            {
                **row,
                **{
                    name: json_text.dumps(row[name])
                    for name in self.json_columns
                    if row[name] is not None
                },
            }
            for row in rows
        ]


class Write(NamedTuple):
    """A statement and the rows that it writes."""

    statement: RowStatement
    rows: Sequence[Row]


def write_all(connection: Connection, writes: Sequence[Write]) -> None:
    """Runs the writes, in their order. PostgreSQL takes them in one round trip. Raises
    DBAPIError."""
    writes = [each for each in writes if each.rows]
    if writes:
        run = _one_by_one if connection.dialect.name == "sqlite" else _at_once
        drive(connection, lambda driver: run(driver, writes))


def _one_by_one(driver: Any, writes: Sequence[Write]) -> None:
    for statement, rows in writes:
        driver.executemany(statement.sqlite, statement.bound(rows))


def _inserted(
    cursor: Any, statement: RowStatement, rows: Sequence[Row], key: str
) -> dict[Any, int]:
    return {row[key]: cursor.execute(statement.sqlite, row).lastrowid for row in rows}


def _at_once(driver: Any, writes: Sequence[Write]) -> None:
    with driver.pipeline():
        for statement, rows in writes:
            driver.execute(statement.postgresql, [json_text.dumps_rows(rows)])


def insert_of(table: Table, columns: Sequence[str]) -> RowStatement:
    """Returns the statement that inserts rows with these columns."""
    own = [table.c[name] for name in columns]
    names = ", ".join(each.name for each in own)
    return RowStatement(
        f"INSERT INTO {table.name} ({names}) VALUES ({', '.join(f':{each.key}' for each in own)})",
        f"INSERT INTO {table.name} ({names}) SELECT {', '.join(map(_given, own))}"
        f" FROM {_recordset(own)}",
        _json_columns(own),
    )


def update_of(table: Table, columns: Sequence[str]) -> RowStatement:
    """Returns the statement that sets these columns of the rows with the ids `id`."""
    own = [table.c[name] for name in columns]
    return RowStatement(
        f"UPDATE {table.name} SET {', '.join(f'{each.name} = :{each.key}' for each in own)}"
        " WHERE id = :id",
        f"UPDATE {table.name} SET {', '.join(f'{each.name} = {_given(each)}' for each in own)}"
        f" FROM {_recordset([table.c.id, *own])} WHERE {table.name}.id = given.id{_FEW}",
        _json_columns(own),
    )


def _recordset(columns: Sequence[Column[Any]]) -> str:
    """Returns the FROM item of PostgreSQL's rows: a table `given` with these columns."""
    typed = ", ".join(f'"{each.key}" {_type(each)}' for each in columns)
    return f"json_to_recordset(%s) AS given ({typed})"


def _type(column: Column[Any]) -> str:
    return "text" if _is_binary(column) else column.type.compile(_POSTGRES)


def _given(column: Column[Any]) -> str:
    name = f'given."{column.key}"'
    return f"decode({name}, 'hex')" if _is_binary(column) else name


def _is_binary(column: Column[Any]) -> bool:
    return isinstance(column.type, LargeBinary)


def _json_columns(columns: Sequence[Column[Any]]) -> list[str]:
    return [each.key for each in columns if isinstance(each.type, JSON)]
