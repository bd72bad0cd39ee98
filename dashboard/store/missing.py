"""Inserts what is not there yet; what another writer just made is left alone, or moved on."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import postgresql, sqlite


def insert_missing(connection: Connection, table: Table, rows: Sequence[dict[str, Any]]) -> None:
    """Inserts rows but for those whose unique columns are taken.

    Hand rows over in one agreed order: PostgreSQL waits for others' rows, and would deadlock.
    """
    connection.execute(insert_on(connection, table).on_conflict_do_nothing(), rows)


def insert_on(connection: Connection, table: Table) -> postgresql.Insert | sqlite.Insert:
    """An insert that may say what happens where a row is there: `on_conflict_do_...`."""
    kind = postgresql if connection.dialect.name == "postgresql" else sqlite
    return kind.insert(table)
