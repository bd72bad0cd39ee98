"""The chatbot's data: conversations, events still to be posted to Lineup, and its cursor."""

import json
import sqlite3
import threading
import uuid
from typing import Any

TABLES = """
CREATE TABLE IF NOT EXISTS messages (
    number INTEGER PRIMARY KEY, conversation TEXT NOT NULL, author TEXT NOT NULL,
    body TEXT NOT NULL, lineup_id INTEGER UNIQUE, seen INTEGER NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS to_post (number INTEGER PRIMARY KEY, event TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS known (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS said (id TEXT PRIMARY KEY);
"""

#: A message of a conversation: its author, its text, and the events that tell Lineup of it.
Said = tuple[str, str, list[dict[str, Any]]]


class Store:
    """A SQLite file; what was written survives a crash at any moment."""

    def __init__(self, path: str):
        self._lock = threading.Lock()
        self._connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self._connection.executescript(TABLES)

    def write(self, conversation: str, said: list[Said], id: str, **known: str) -> None:
        """Stores messages, their events for Lineup, and values to remember, in one
        transaction; does nothing if the id is known."""
        with self._lock, self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            if not self._connection.execute(
                "INSERT OR IGNORE INTO said VALUES (?)", (f"{conversation}/{id}",)
            ).rowcount:
                return
            for author, body, events in said:
                self._connection.execute(
                    "INSERT INTO messages (conversation, author, body) VALUES (?, ?, ?)",
                    (conversation, author, body),
                )
                self._add_events(events)
            for name, value in known.items():
                self._connection.execute(
                    "INSERT OR REPLACE INTO known VALUES (?, ?)", (f"{name}:{conversation}", value)
                )

    def receive(self, conversation: str, author: str, body: str, lineup_id: int) -> bool:
        """Stores a message of an admin once, however often it comes; returns whether it is new."""
        with self._lock:
            return (
                self._connection.execute(
                    "INSERT OR IGNORE INTO messages (conversation, author, body, lineup_id) "
                    "VALUES (?, ?, ?, ?)",
                    (conversation, author, body, lineup_id),
                ).rowcount
                == 1
            )

    def read(self, conversation: str, after: int, occurred_at: str) -> list[dict[str, Any]]:
        """Returns the messages after `after`; adds receipts for unread messages of admins."""
        with self._lock, self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            found = self._connection.execute(
                "SELECT number, author, body, lineup_id, seen FROM messages "
                "WHERE conversation = ? AND number > ? ORDER BY number",
                (conversation, after),
            ).fetchall()
            fresh = [row for row in found if row[3] is not None and not row[4]]
            self._connection.executemany(
                "UPDATE messages SET seen = 1 WHERE number = ?", [(row[0],) for row in fresh]
            )
            self._add_events(receipt(row[3], occurred_at) for row in fresh)
        return [{"number": row[0], "author": row[1], "body": row[2]} for row in found]

    def next_to_post(self) -> tuple[int, dict[str, Any]] | None:
        with self._lock:
            row = self._connection.execute(
                "SELECT number, event FROM to_post ORDER BY number LIMIT 1"
            ).fetchone()
        return (row[0], json.loads(row[1])) if row else None

    def mark_posted(self, number: int) -> None:
        with self._lock:
            self._connection.execute("DELETE FROM to_post WHERE number = ?", (number,))

    def recall(self, name: str) -> str | None:
        with self._lock:
            row = self._connection.execute(
                "SELECT value FROM known WHERE name = ?", (name,)
            ).fetchone()
        return row[0] if row else None

    def remember(self, name: str, value: str) -> None:
        with self._lock:
            self._connection.execute("INSERT OR REPLACE INTO known VALUES (?, ?)", (name, value))

    def _add_events(self, events) -> None:
        self._connection.executemany(
            "INSERT INTO to_post (event) VALUES (?)", [(json.dumps(event),) for event in events]
        )


def receipt(message_id: int, occurred_at: str) -> dict[str, Any]:
    """The event which says that the customer has received a message of an admin."""
    return {
        "id": f"receipt-{uuid.uuid4().hex}",
        "type": "receipt",
        "occurred_at": occurred_at,
        "message_id": message_id,
        "state": "delivered",
    }
