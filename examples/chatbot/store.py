"""The data of the chatbot, in the file of its sender and receiver: conversations, what it knows."""

from typing import Any

from lineup_client import Sender

TABLES = (
    "CREATE TABLE IF NOT EXISTS messages (number INTEGER PRIMARY KEY, conversation TEXT NOT NULL,"
    " author TEXT NOT NULL, body TEXT NOT NULL, lineup_id INTEGER UNIQUE,"
    " seen INTEGER NOT NULL DEFAULT 0)",
    "CREATE TABLE IF NOT EXISTS known (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS said (id TEXT PRIMARY KEY)",
)

#: A message of a conversation: its author, its text, and the events that tell Lineup of it.
Said = tuple[str, str, list[dict[str, Any]]]


class Store:
    """What was written survives a crash at any moment, and so does what was sent with it."""

    def __init__(self, sender: Sender):
        self._sender = sender
        with sender.transaction() as database:
            for table in TABLES:
                database.execute(table)

    def write(self, conversation: str, said: list[Said], id: str, **known: str) -> None:
        """Stores messages, their events for Lineup, and values to remember, in one
        transaction; does nothing if the id is known."""
        with self._sender.transaction() as database:
            row = (f"{conversation}/{id}",)
            if not database.execute("INSERT OR IGNORE INTO said VALUES (?)", row).rowcount:
                return
            for author, body, events in said:
                database.execute(
                    "INSERT INTO messages (conversation, author, body) VALUES (?, ?, ?)",
                    (conversation, author, body),
                )
                for event in events:
                    self._sender.send(**event)
            for name, value in known.items():
                self.remember(f"{name}:{conversation}", value)

    def receive(self, conversation: str, author: str, body: str, lineup_id: int) -> None:
        """Stores a message of an admin once, however often it comes."""
        with self._sender.transaction() as database:
            database.execute(
                "INSERT OR IGNORE INTO messages (conversation, author, body, lineup_id)"
                " VALUES (?, ?, ?, ?)",
                (conversation, author, body, lineup_id),
            )

    def read(self, conversation: str, after: int) -> list[dict[str, Any]]:
        """Returns the messages after `after`; sends receipts for unread messages of admins."""
        with self._sender.transaction() as database:
            found = database.execute(
                "SELECT number, author, body, lineup_id, seen FROM messages "
                "WHERE conversation = ? AND number > ? ORDER BY number",
                (conversation, after),
            ).fetchall()
            for number, _, _, lineup_id, seen in found:
                if lineup_id is not None and not seen:
                    database.execute("UPDATE messages SET seen = 1 WHERE number = ?", (number,))
                    self._sender.send("receipt", message_id=lineup_id, state="delivered")
        return [{"number": row[0], "author": row[1], "body": row[2]} for row in found]

    def recall(self, name: str) -> str | None:
        with self._sender.transaction() as database:
            query = "SELECT value FROM known WHERE name = ?"
            row = database.execute(query, (name,)).fetchone()
        return row[0] if row else None

    def remember(self, name: str, value: str) -> None:
        with self._sender.transaction() as database:
            database.execute("INSERT OR REPLACE INTO known VALUES (?, ?)", (name, value))
