"""Reads from SQL for the sockets: rows, lists while Redis is away, messages, sessions."""

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import NamedTuple

from dashboard.db import mentions, notices
from dashboard.db.accounts import admins, sessions, team
from dashboard.db.accounts.admin_desks import Desks
from dashboard.db.accounts.sessions import Rights
from dashboard.db.database import Database
from dashboard.db.lists import named_lists, views
from dashboard.db.lists.named_lists import ListName, NamedList, SeenLists, Stamp
from dashboard.db.lists.views import Owner
from dashboard.db.notices import Notice
from dashboard.db.outbox import sent_messages, webhooks
from dashboard.db.threads import conversations, messages, suggestions, thread_rows, threads
from dashboard.db.threads.messages import Message
from dashboard.db.threads.suggestions import Advice
from dashboard.db.threads.thread_rows import SharedRow, ThreadRow
from dashboard.transport.packets import EncodedJson, encode
from dashboard.validation.strict_json import JsonObject
from scoring.reading import Entry


class HeadName(NamedTuple):
    """Names the first `limit` entries of a list; `admin_id`: 0 if all admins have the same list."""

    list: ListName
    admin_id: int
    limit: int


class SqlHead(NamedTuple):
    """The head of a list; `rows`: the rows of its entries as JSON, in order."""

    entries: list[Entry]
    total: int
    rows: EncodedJson


class Reads:
    """Reads from SQL. All methods raise StorageUnavailable if SQL is away."""

    def __init__(self, database: Database, clock: Callable[[], int]):
        self._database = database
        self._clock = clock
        #: Held to look through all threads, one query at a time: events wait for one slice only.
        self._one_look = threading.Lock()

    def rows(self, ids: Collection[int], desks: Desks = None) -> dict[int, ThreadRow]:
        """Returns the rows of the threads that are at these desks; None: of all threads."""
        if not ids:
            return {}
        with self._database.read() as connection:
            return thread_rows.rows(connection, ids, desks)

    def shared_rows(self, ids: Collection[int]) -> dict[int, SharedRow]:
        """Returns the rows of the threads for readers of any desks."""
        if not ids:
            return {}
        with self._database.read() as connection:
            return thread_rows.shared_rows(connection, ids)

    def seen_threads(self, ids: Collection[int], desks: Desks) -> Collection[int]:
        """Returns the threads that are at these desks; None: all of them."""
        if desks is None or not ids:
            return ids
        desks_of = self.desks_of(ids)
        return [id for id in ids if desks_of.get(id) in desks]

    def desks_of(self, ids: Collection[int]) -> dict[int, str]:
        """Maps thread ids to desks; leaves out unknown ids."""
        with self._database.read() as connection:
            return threads.desks_of(connection, ids)

    def listed(
        self, list: ListName, admin_id: int, limit: int, after: tuple[int, int] | None = None
    ) -> tuple[list[Entry], int]:
        """Returns up to `limit` entries of the list in order, and the number of all entries."""
        with self._looking(list), self._database.read() as connection:
            named_list = named_lists.find(connection, list, admin_id)
            return named_list.listed(connection, self._clock(), limit, after)

    def named(self, list: ListName, admin_id: int) -> NamedList:
        """Finds the list that the name means for this admin. Raises NotFound and Problem."""
        with self._database.read() as connection:
            return named_lists.find(connection, list, admin_id)

    def by_filter(self, list: ListName, admin_id: int) -> dict[str, NamedList]:
        """Maps each filter to the list with that filter. Raises NotFound and Problem."""
        with self._database.read() as connection:
            return named_lists.by_filter(connection, list, admin_id)

    def view_stamps(self, view_ids: Collection[str]) -> dict[str, Stamp]:
        """Returns the stamps of saved views; a stamp changes if the list of the view may change."""
        with self._database.read() as connection:
            return named_lists.stamps(connection, view_ids)

    def epoch_of(self, list_id: str) -> str | None:
        """Returns the epoch that an ordered list should have in Redis; None: it must be built."""
        with self._database.read() as connection:
            return named_lists.epoch_of(connection, list_id)

    def heads(self, names: Sequence[HeadName]) -> list[SqlHead]:
        """Reads the heads of these lists, each once, however often it is named."""
        heads = {name: self._head(name) for name in dict.fromkeys(names)}
        return [heads[name] for name in names]

    def _head(self, name: HeadName) -> SqlHead:
        entries, total = self.listed(name.list, name.admin_id, name.limit)
        rows = self.rows([entry.id for entry in entries], name.list.desks)
        shown = [rows[entry.id] for entry in entries if entry.id in rows]
        return SqlHead(entries, total, EncodedJson(encode(shown)))

    def rank(self, list: ListName, admin_id: int, thread_id: int) -> int | None:
        """Returns the number of threads above this one; None if it is not on the list."""
        with self._looking(list), self._database.read() as connection:
            named_list = named_lists.find(connection, list, admin_id)
            return named_list.rank(connection, self._clock(), thread_id)

    def _looking(self, list: ListName) -> AbstractContextManager[object]:
        """Returns a lock to hold if all threads may be looked through."""
        return self._one_look if list.indexed_view is None else nullcontext()

    def newest(self, thread_id: int, limit: int) -> conversations.Part:
        """Returns the newest messages and acts of a thread."""
        with self._database.read() as connection:
            return conversations.part(connection, thread_id, None, 0, limit)

    def messages_after(self, thread_id: int, event_id: int) -> list[Message]:
        """Returns the messages that were stored or edited after an event, in that order."""
        with self._database.read() as connection:
            return messages.changed_after(connection, thread_id, event_id)

    def acts_after(self, thread_id: int, act_id: int) -> list[JsonObject]:
        """Returns the acts on a thread that were stored after this one, oldest first."""
        with self._database.read() as connection:
            return [
                act.to_json() for act in conversations.acts_after(connection, thread_id, act_id)
            ]

    def advice(self, thread_id: int) -> Advice | None:
        """Returns what the chatbot advises the admins of a thread; None if it never did."""
        with self._database.read() as connection:
            return suggestions.advice(connection, thread_id)

    def unread_mentions(self, thread_id: int, admin_id: int) -> list[int]:
        """Returns the ids of notes of a thread that mention this admin and are unread."""
        with self._database.read() as connection:
            return mentions.unread(connection, thread_id, admin_id)

    def notices(
        self, admin_ids: Collection[int], since_ms: int, thread_ids: Collection[int] | None
    ) -> list[Notice]:
        """Returns the notices for these admins since then, in these threads; None: in all."""
        if not admin_ids or (thread_ids is not None and not thread_ids):
            return []
        with self._database.read() as connection:
            return notices.news(connection, admin_ids, since_ms, thread_ids)

    def names(self, admin_ids: Collection[int]) -> dict[int, str]:
        """Maps the ids of these admins to their names."""
        with self._database.read() as connection:
            return team.names(connection, admin_ids)

    def now(self) -> int:
        return self._clock()

    def delivery_news(
        self, thread_ids: Collection[int], since_ms: int
    ) -> list[sent_messages.DeliveryUpdate]:
        """Returns the deliveries of messages of these threads that changed since then."""
        if not thread_ids:
            return []
        with self._database.read() as connection:
            return sent_messages.changed_since(connection, thread_ids, since_ms)

    def seen_lists(self, admins: Mapping[int, Desks]) -> SeenLists:
        """Returns the lists of the saved views that these admins see, for each admin's desks."""
        with self._database.read() as connection:
            return named_lists.seen_by(connection, admins)

    def changes_of_views(self, version: int | None) -> tuple[int, set[Owner]]:
        """Returns the version of saved views, and the owners of views changed since `version`."""
        with self._database.read() as connection:
            return views.since(connection, version)

    def failing_sources(self) -> dict[str, int]:
        """Maps sources with failing deliveries to the time of the first failure (ms)."""
        with self._database.read() as connection:
            return webhooks.failing(connection)

    def is_disabled(self, admin_id: int) -> bool:
        """Whether an admin's account is disabled or does not exist."""
        with self._database.read() as connection:
            admin = admins.by_id(connection, admin_id)
        return admin is None or admin.disabled_at is not None

    def living_sessions(self, hashes: Collection[bytes]) -> dict[bytes, Rights]:
        """Maps the valid ones of these session hashes to their admins' rights."""
        if not hashes:
            return {}
        with self._database.read() as connection:
            return sessions.valid(connection, hashes, self._clock())
