"""Connections to PostgreSQL for work that may take hours: no statement is cut off.

The driver is imported only when it is used: a process with SQLite does not need it.
"""

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import Connection, create_engine, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from dashboard.errors import StartError

if TYPE_CHECKING:
    import psycopg

_OPTIONS = "-c statement_timeout=0 -c lock_timeout=10000 -c timezone=UTC"
_CONNECT_SECONDS = 3
_SEQUENCE = text(
    "SELECT pg_get_serial_sequence(:table, attname), attname FROM pg_attribute"
    " WHERE attrelid = CAST(:table AS regclass) AND attnum > 0 AND NOT attisdropped"
    " AND pg_get_serial_sequence(:table, attname) IS NOT NULL"
)


@contextmanager
def transaction(url: str, isolation: str) -> Iterator[Connection]:
    """Opens one transaction; rolled back on any exception. Driver errors become StartError."""
    engine = create_engine(
        url,
        connect_args={"options": _OPTIONS, "connect_timeout": _CONNECT_SECONDS},
        poolclass=NullPool,
        isolation_level=isolation,
        # Otherwise an error's text, which is printed, contains the values of the statement.
        hide_parameters=True,
    )
    try:
        with engine.begin() as connection:
            yield connection
    except (DBAPIError, importlib.import_module("psycopg").Error) as error:
        cause = str(getattr(error, "orig", error)).strip().splitlines()
        said = cause[0][:200] if cause else type(error).__name__
        raise StartError(
            f"LINEUP_DATABASE_URL: the PostgreSQL server cannot be used ({said})."
        ) from error


def cursor_of(connection: Connection) -> "psycopg.Cursor[Any]":
    """Returns a cursor of the driver within the transaction, for COPY."""
    driver: psycopg.Connection[Any] = connection.connection.driver_connection  # type: ignore[assignment]
    return driver.cursor()


def quoted(name: str) -> str:
    """Quotes a name of a table or column for SQL."""
    return '"' + name.replace('"', '""') + '"'


class Sequence(NamedTuple):
    """The sequence of a table, already quoted, and the column that gets its numbers."""

    name: str
    column: str


def sequence_of(connection: Connection, table: str) -> Sequence | None:
    """Returns the sequence from which rows of the table get their ids; None without one."""
    row = connection.execute(_SEQUENCE, {"table": quoted(table)}).first()
    return None if row is None else Sequence(*row)


def last_id(connection: Connection, table: str) -> int | None:
    """Returns the last id that the table's sequence gave out; None without a sequence."""
    sequence = sequence_of(connection, table)
    if sequence is None:
        return None
    return connection.scalar(text(f"SELECT last_value FROM {sequence.name}"))


def set_last_id(connection: Connection, sequence: Sequence, value: int) -> None:
    """Sets the last id of a sequence: the next one is greater."""
    names = {"name": sequence.name, "value": value}
    connection.execute(text("SELECT setval(:name, :value)"), names)
