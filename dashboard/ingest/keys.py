"""Creates and revokes the keys of chatbots, with the source and the desk of a key."""

from collections.abc import Callable, Collection
from typing import NamedTuple

from sqlalchemy import Connection

from dashboard.db import audit
from dashboard.db.accounts import admin_desks, api_keys, sources
from dashboard.db.accounts.api_keys import ApiKeyInfo, NewKey
from dashboard.db.audit import Actor, Target, add, key_created
from dashboard.db.database import Database
from dashboard.errors import NotFound
from dashboard.ingest.recorder import Recorder
from dashboard.ordering.placer import Placer


class KeyDraft(NamedTuple):
    """A new key. `handoff`: no thread of the source waits before it is handed over; `desk`: the
    desk of its new threads, None: unchanged; `rate_per_second` limits its events."""

    source: str
    scopes: Collection[str]
    handoff: bool = False
    desk: str | None = None
    rate_per_second: int | None = None


class ApiKeys:
    """API keys, for supervisors in the page and for commands; `clock` gives milliseconds."""

    def __init__(
        self,
        database: Database,
        recorder: Recorder,
        placer: Placer,
        clock: Callable[[], int],
    ):
        self._database = database
        self._recorder = recorder
        self._placer = placer
        self._clock = clock

    def listing(self) -> list[ApiKeyInfo]:
        """Returns all keys, the oldest first."""
        with self._database.read() as connection:
            return api_keys.listing(connection)

    def create(self, by: Actor, draft: KeyDraft) -> NewKey:
        """Adds the key, and its source and desk if they are missing. Call `refold` after it for a
        draft with `handoff`. Raises StartError for a name that no source may have."""
        now = self._clock()

        def write(connection: Connection) -> NewKey:
            source_id = sources.ensure(connection, draft.source, now)
            if draft.desk is not None:
                if admin_desks.add(connection, draft.desk, now):
                    add(connection, now, by, audit.DESK_CREATED, Target(None, draft.desk))
                sources.set_desk(connection, source_id, draft.desk)
            if draft.handoff:
                sources.set_handoff_only(connection, source_id)
            new_key = api_keys.add(connection, source_id, draft.scopes, draft.rate_per_second, now)
            key_created(connection, now, by, new_key.key, *draft)
            return new_key

        return self._database.write(write)

    def refold(self, source: str) -> None:
        """Computes the facts of a source's threads again, by its current setting of handoffs.

        Does so even if the setting has not changed: an earlier call may have been interrupted.
        """
        with self._database.read() as connection:
            source_id = sources.named(connection, source)
        if source_id is not None:
            for placements in self._recorder.refold(source_id):
                self._placer.place(placements)

    def revoke(self, by: Actor, key_id: int) -> None:
        """Revokes a key by the id of its row: every worker refuses it within a second.

        Raises NotFound.
        """
        if not self._revoke(by, lambda connection: api_keys.by_id(connection, key_id)):
            raise NotFound("There is no such key.")

    def revoke_named(self, by: Actor, key: str) -> bool:
        """Revokes a key, given by its prefix or in full. False for an unknown key."""
        return self._revoke(by, lambda connection: api_keys.find(connection, key))

    def _revoke(self, by: Actor, find: Callable[[Connection], ApiKeyInfo | None]) -> bool:
        """Revokes a key; a revoked one stays as it is. Returns whether it exists."""
        now = self._clock()

        def write(connection: Connection) -> bool:
            key = find(connection)
            if key is not None and key.revoked_at is None:
                details = {"source": key.source}
                add(connection, now, by, audit.KEY_REVOKED, Target(key.prefix), details)
                api_keys.revoke(connection, key.prefix, now)
            return key is not None

        return self._database.write(write)
