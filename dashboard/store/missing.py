"""Inserts what is not there yet, and leaves alone what another writer just made."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import postgresql, sqlite


def insert_missing(connection: Connection, table: Table, rows: Sequence[dict[str, Any]]) -> None:
    """Inserts rows but for those whose unique columns are taken.

    Hand rows over in one agreed order: PostgreSQL waits for others' rows, and would deadlock.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(postgresql.insert(table).on_conflict_do_nothing(), rows)
    else:
        connection.execute(sqlite.insert(table).on_conflict_do_nothing(), rows)
