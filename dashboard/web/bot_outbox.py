"""What admins did, as a chatbot reads it by itself, from cursor to cursor."""

from collections.abc import Callable
from typing import Any

from dashboard.store import outgoing
from dashboard.store.database import Database
from dashboard.web.cursors import no_cursor, outbox_cursor, outbox_position


class BotOutbox:
    """Reads the outbox of one source after the other."""

    def __init__(self, database: Database, clock: Callable[[], int]):
        self._database = database
        self._clock = clock

    def read(self, source_id: int, after: str | None, limit: int) -> dict[str, Any]:
        """Up to `limit` events after a cursor, and the cursor that goes on, new events or not.

        Raises Invalid for a wrong cursor and StorageUnavailable.
        """
        position = outbox_position(after) if after is not None else 0
        self._place()
        with self._database.read() as connection:
            if position > outgoing.head(connection):
                # Of another database: nothing would ever come after it.
                raise no_cursor()
            found, last = outgoing.after(connection, source_id, position, limit)
            is_news = outgoing.read_to(connection, source_id) < position
        if is_news:
            self._database.write(
                lambda connection: outgoing.note_read(
                    connection, source_id, position, self._clock()
                )
            )
        return {"events": [event.document() for event in found], "next": outbox_cursor(last)}

    def _place(self) -> None:
        """What was committed until now is among what is read."""
        with self._database.read() as connection:
            if not outgoing.has_unplaced(connection):
                return
        while self._database.write(lambda connection: outgoing.place(connection, self._clock())):
            pass
