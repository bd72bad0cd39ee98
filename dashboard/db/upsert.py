"""Inserts that tolerate existing rows, for SQLite and PostgreSQL."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import postgresql, sqlite


def insert_missing(connection: Connection, table: Table, rows: Sequence[dict[str, Any]]) -> None:
    """Inserts rows; those that violate a unique constraint are skipped.

    Pass rows in the same order everywhere: PostgreSQL waits for concurrent inserts of the same
    key, and different orders would deadlock.
    """
    connection.execute(insert_on(connection, table).on_conflict_do_nothing(), rows)


def insert_on(connection: Connection, table: Table) -> postgresql.Insert | sqlite.Insert:
    """Returns an insert of this dialect, with `on_conflict_do_nothing` and `…_do_update`."""
    kind = postgresql if connection.dialect.name == "postgresql" else sqlite
    return kind.insert(table)
