"""The SQLite file of a chatbot's sender and receiver."""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_TABLES = """
CREATE TABLE IF NOT EXISTS lineup_outbox (
    number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, event TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS lineup_threads (thread TEXT PRIMARY KEY, seq INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS lineup_state (name TEXT PRIMARY KEY, value TEXT NOT NULL);
"""


class Storage:
    """A connection that several threads may use, one at a time.

    Without a file everything is kept in memory, and lost with the process.
    """

    def __init__(self, file: str | None):
        self._lock = threading.RLock()
        self.connection = sqlite3.connect(
            file or ":memory:", check_same_thread=False, isolation_level=None, timeout=30
        )
        self.connection.execute("PRAGMA journal_mode = WAL")
        # What was committed survives a loss of power, too.
        self.connection.execute("PRAGMA synchronous = FULL")
        self.connection.executescript(_TABLES)

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All of it is stored, or nothing if an exception ends it."""
        with self._lock, self.connection:
            self.connection.execute("BEGIN IMMEDIATE")
            yield self.connection

    def recall(self, name: str) -> str:
        """Returns a value, "" if none is stored."""
        with self._lock:
            query = "SELECT value FROM lineup_state WHERE name = ?"
            row = self.connection.execute(query, (name,)).fetchone()
        return row[0] if row else ""

    def close(self) -> None:
        with self._lock:
            self.connection.close()


def remember(connection: sqlite3.Connection, name: str, value: str) -> None:
    connection.execute("INSERT OR REPLACE INTO lineup_state VALUES (?, ?)", (name, value))
