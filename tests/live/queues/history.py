"""Keeps each change of threads, queues and admins, in the order of the commits.

Triggers write a row in the transaction of each change. PostgreSQL tells the time of each commit
(`track_commit_timestamp`), which follows every lock; SQLite commits one transaction after another.
"""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from sqlalchemy import Connection

from dashboard.db.database import Database

#: Options of a PostgreSQL server with such a history.
POSTGRES = "-c fsync=off -c max_connections=120 -c track_commit_timestamp=on"

#: The tables and the columns that are kept of them.
COLUMNS = {
    "threads": (
        *("id", "assignee_id", "closed", "snoozed_until", "waiting_since", "recent_at"),
        *("queue_id", "take_until", "tags", "revision"),
    ),
    "queue_admins": (
        *("admin_id", "capacity", "own_capacity", "accepting", "status", "hand_out"),
        "offline_since",
    ),
    "queue_entries": ("list", "thread_id", "score", "since", "ready"),
    "queue_releases": ("thread_id", "admin_id", "at"),
    "thread_acts": ("id", "thread_id", "at", "type", "admin_id", "data"),
}
_FUNCTION = """
CREATE FUNCTION kept_{table}_{row}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO kept (kind, data) VALUES ('{kind}', json_build_object({values})::text);
  RETURN NULL;
END $$
"""
_OF_POSTGRES = """
CREATE TRIGGER kept_{name} AFTER {when} ON {table}
FOR EACH ROW EXECUTE FUNCTION kept_{table}_{row}()
"""
_OF_SQLITE = """
CREATE TRIGGER kept_{name} AFTER {when} ON {table} BEGIN
  INSERT INTO kept (kind, data, at)
  VALUES ('{kind}', json_object({values}), (julianday('now') - 2440587.5) * 86400000.0);
END
"""


class Change(NamedTuple):
    """A row as a transaction left it; `at`: the time of the commit (ms), `kind`: its table, with
    `-` in front of a deleted row."""

    at: float
    kind: str
    row: dict[str, Any]


def keep(database: Database) -> None:
    """Keeps all changes from now on."""

    def write(connection: Connection) -> None:
        number = "INTEGER PRIMARY KEY AUTOINCREMENT" if database.is_sqlite else "bigserial"
        connection.exec_driver_sql(
            f"CREATE TABLE kept (id {number}, kind text, data text, at real)"
        )
        for table in COLUMNS:
            for when in ("INSERT", "UPDATE", "DELETE"):
                for statement in _statements(database.is_sqlite, table, when):
                    connection.exec_driver_sql(statement.replace("%", "%%"))

    database.write(write)


def _statements(is_sqlite: bool, table: str, when: str) -> Iterator[str]:
    row = "OLD" if when == "DELETE" else "NEW"
    values = ", ".join(f"'{column}', {row}.{column}" for column in COLUMNS[table])
    given = {"table": table, "row": row, "values": values, "when": when}
    given |= {"kind": "-" * (when == "DELETE") + table, "name": f"{table}_{when}"}
    if is_sqlite:
        yield _OF_SQLITE.format(**given)
        return
    if when != "UPDATE":
        yield _FUNCTION.format(**given)
    yield _OF_POSTGRES.format(**given)


_READ_POSTGRES = """
SELECT extract(epoch FROM pg_xact_commit_timestamp(xmin)) * 1000.0, kind, data FROM kept
ORDER BY pg_xact_commit_timestamp(xmin), xmin::text::bigint, id
"""
_READ_SQLITE = "SELECT at, kind, data FROM kept ORDER BY id"


def changes(database: Database) -> list[Change]:
    """Returns all changes in the order of the commits, and within each as they were made."""
    with database.read() as connection:
        rows = connection.exec_driver_sql(_READ_SQLITE if database.is_sqlite else _READ_POSTGRES)
        return [Change(float(at), kind, _parsed(data)) for at, kind, data in rows]


def _parsed(text: str) -> dict[str, Any]:
    row = json.loads(text)
    if isinstance(row.get("data"), str):  # SQLite keeps JSON as text
        row["data"] = json.loads(row["data"])
    return row
