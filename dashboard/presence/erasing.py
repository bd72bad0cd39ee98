"""Deletes all data of a customer: in SQL, in the lists, in presence and in files."""

import time
from collections.abc import Callable, Collection
from typing import NamedTuple

from redis.exceptions import RedisError

from dashboard.db import erasures
from dashboard.db.audit import Actor
from dashboard.db.database import Database
from dashboard.files.store import FileStore
from dashboard.ingest.erase import erase_customer
from dashboard.ordering.placer import Placer
from dashboard.presence.service import PresenceService

#: Workers report messages as heartbeats within half a second.
REPORTED_SECONDS = 1.0


class Deleted(NamedTuple):
    """The number of deleted threads, and of events with deleted contents.

    `is_forgotten` is False if presence could not be told, because Redis is away: it forgets the
    customer within a day of the time last seen.
    """

    threads: int
    events: int
    is_forgotten: bool


class Erasing:
    """Deletes customers, for supervisors in the page and for the command `delete-customer`."""

    def __init__(
        self,
        database: Database,
        placer: Placer,
        presence_service: PresenceService,
        file_store: FileStore,
        clock: Callable[[], int],
        wait: Callable[[float], object] = time.sleep,
    ):
        """`clock` gives milliseconds; `wait` is called with seconds."""
        self._database = database
        self._placer = placer
        self._presence_service = presence_service
        self._file_store = file_store
        self._clock = clock
        self._wait = wait

    def erase(
        self, actor: Actor, source: str, customer: str, traces_seconds: float | None = None
    ) -> Deleted | None:
        """Deletes a source's customer with all threads and their contents; None if unknown.

        Raises StorageUnavailable if nothing was deleted, or everything but traces in the files of
        the database: call it again. Also raises it if PostgreSQL needs more than `traces_seconds`
        to remove the traces; it goes on doing so.
        """
        now = self._clock()
        erased = erase_customer(self._database, self._placer, actor, source, customer, now)
        if erased is not None:
            self._file_store.remove(erased.file_ids)
        # Also if no customer is found: an earlier call may have lost the answer of the database.
        ids = erased.thread_ids if erased is not None else ()
        is_forgotten = self._forget(f"{source}/{customer}", ids)
        erasures.remove(self._database, traces_seconds)
        return erased and Deleted(len(erased.thread_ids), erased.events, is_forgotten)

    def _forget(self, person: str, thread_ids: Collection[int]) -> bool:
        try:
            self._presence_service.forget_customer(person, thread_ids)
            # Workers may still hold a message of the customer that they report as a heartbeat.
            self._wait(REPORTED_SECONDS)
            self._presence_service.forget_customer(person, thread_ids)
        except RedisError:
            return False
        return True
