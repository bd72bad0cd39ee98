"""What the way out reads from SQL: rows, lists while Redis is away, messages, sessions."""

from collections.abc import Callable, Collection
from typing import Any

from dashboard.live.calls import ListName
from dashboard.store import (
    acts,
    messages,
    sent_messages,
    sessions,
    standing,
    team,
    threads,
    webhooks,
)
from dashboard.store.database import Database
from scoring.reading import Entry


class Reads:
    """Raises StorageUnavailable where SQL is away."""

    def __init__(self, database: Database, clock: Callable[[], int]):
        self._database = database
        self._clock = clock

    def rows(self, ids: Collection[int]) -> dict[int, dict[str, Any]]:
        if not ids:
            return {}
        with self._database.read() as connection:
            return threads.rows(connection, ids)

    def listed(
        self, list: ListName, admin_id: int, limit: int, after: tuple[int, int] | None = None
    ) -> tuple[list[Entry], int]:
        """The list's entries in order, and how many there are in all."""
        with self._database.read() as connection:
            entries = threads.listed(
                connection, list.page, list.filter, admin_id, list.sort, limit, after
            )
            return entries, threads.total(connection, list.page, list.filter, admin_id)

    def rank(self, list: ListName, admin_id: int, thread_id: int) -> int | None:
        """How many threads stand before this one; None where it is not on the list."""
        with self._database.read() as connection:
            return standing.rank(connection, list.page, list.filter, admin_id, list.sort, thread_id)

    def messages(self, thread_id: int, limit: int) -> tuple[list[dict[str, Any]], bool]:
        """The newest messages, newest last, and whether there are more."""
        with self._database.read() as connection:
            return messages.page(connection, thread_id, None, limit)

    def messages_after(self, thread_id: int, message_id: int) -> list[dict[str, Any]]:
        """The messages that were stored since."""
        with self._database.read() as connection:
            return messages.after(connection, thread_id, message_id)

    def acts_mark(self, thread_id: int) -> acts.Mark:
        """How far what was done to a thread is known, where all of it is."""
        with self._database.read() as connection:
            return acts.mark(connection, thread_id)

    def acts_after(
        self, thread_id: int, known: acts.Mark
    ) -> tuple[list[dict[str, Any]], acts.Mark]:
        """What was done to a thread since, and how far that is."""
        with self._database.read() as connection:
            return acts.after(connection, thread_id, known)

    def names(self, admin_ids: Collection[int]) -> dict[int, str]:
        """What these admins are called."""
        with self._database.read() as connection:
            return team.names(connection, admin_ids)

    def now(self) -> int:
        return self._clock()

    def delivery_news(self, thread_ids: Collection[int], since_ms: int) -> list[sent_messages.News]:
        """How far messages of these threads have come, where that changed."""
        if not thread_ids:
            return []
        with self._database.read() as connection:
            return sent_messages.news(connection, thread_ids, since_ms)

    def failing_sources(self) -> dict[str, int]:
        """The sources whose deliveries fail, and since when."""
        with self._database.read() as connection:
            return webhooks.failing(connection)

    def living_sessions(self, hashes: Collection[bytes]) -> set[bytes]:
        """Those of these sessions that are not over."""
        if not hashes:
            return set()
        with self._database.read() as connection:
            return sessions.living(connection, hashes, self._clock())
