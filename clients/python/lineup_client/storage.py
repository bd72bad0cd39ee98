"""The SQLite file of a chatbot's sender and receiver."""

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager

#: The thread of an event that waits, as SQL.
THREAD = "json_extract(event, '$.thread')"
_TABLES = f"""
CREATE TABLE IF NOT EXISTS lineup_outbox (
    number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, event TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS lineup_outbox_thread ON lineup_outbox ({THREAD});
CREATE TABLE IF NOT EXISTS lineup_threads (thread TEXT PRIMARY KEY, seq INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS lineup_threads_seq ON lineup_threads (seq);
CREATE TABLE IF NOT EXISTS lineup_state (name TEXT PRIMARY KEY, value TEXT NOT NULL);
"""
_open: dict[str, "Storage"] = {}
_opening = threading.Lock()


class Storage:
    """A connection that several threads may use, one at a time. Made by `open_storage`."""

    def __init__(self, path: str):
        self.users = 0
        self._path = path
        self._lock = threading.RLock()
        self.connection = sqlite3.connect(
            path, check_same_thread=False, isolation_level=None, timeout=30
        )
        self.connection.execute("PRAGMA journal_mode = WAL")
        # What was committed survives a loss of power, too.
        self.connection.execute("PRAGMA synchronous = FULL")
        self.connection.executescript(_TABLES)

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All of it is stored, or nothing if an exception ends it. A transaction in another one
        of the same thread is a part of it."""
        with self._lock:
            if self.connection.in_transaction:
                yield self.connection
                return
            with self.connection:
                self.connection.execute("BEGIN IMMEDIATE")
                yield self.connection

    def recall(self, name: str) -> str:
        """Returns a value, "" if none is stored."""
        with self._lock:
            query = "SELECT value FROM lineup_state WHERE name = ?"
            row = self.connection.execute(query, (name,)).fetchone()
        return row[0] if row else ""

    def close(self) -> None:
        """Closes the connection when all who have opened it have closed it."""
        with _opening, self._lock:
            self.users -= 1
            if not self.users:
                _open.pop(self._path, None)
                self.connection.close()


def open_storage(file: str | None) -> Storage:
    """Returns the storage of a file: one for all in this process, so that they share transactions.

    Without a file everything is kept in memory, and lost with the process.
    """
    path = os.path.realpath(file) if file else ":memory:"
    with _opening:
        storage = _open.get(path) if file else None
        storage = storage or Storage(path)
        storage.users += 1
        if file:
            _open[path] = storage
    return storage


def remember(connection: sqlite3.Connection, name: str, value: str) -> None:
    connection.execute("INSERT OR REPLACE INTO lineup_state VALUES (?, ?)", (name, value))
