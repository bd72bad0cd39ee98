"""Tells chatbots that an admin is writing to the customer: at once or not at all."""

import logging
import time
import uuid
from collections.abc import Callable

from dashboard.delivery.courier import Spawn, spawn_thread
from dashboard.delivery.post import Poster
from dashboard.delivery.request import signed
from dashboard.errors import StorageUnavailable
from dashboard.store import webhooks
from dashboard.store.database import Database
from dashboard.store.outgoing_document import TYPING, timestamp

log = logging.getLogger(__name__)

#: A customer's page shows it for so long; it is told again while it goes on.
SHOWN_MS = 6_000
#: Of one admin in one thread it is told so often at most.
AGAIN_SECONDS = 2.0
#: It would be of no use later.
TIMEOUT_SECONDS = 4.0


class TypingNews:
    """Not kept, not tried again, and one request at a time for each webhook."""

    def __init__(
        self,
        database: Database,
        clock: Callable[[], int],
        poster: Poster,
        *,
        spawn: Spawn = spawn_thread,
        monotonic: Callable[[], float] = time.monotonic,
    ):
        self._database = database
        self._clock = clock
        self._poster = poster
        self._spawn = spawn
        self._monotonic = monotonic
        self._told: dict[tuple[int, int], float] = {}
        self._busy: set[int] = set()

    def tell(self, thread_id: int, admin_id: int) -> None:
        """The admin is writing a reply in the thread; never call this for a note."""
        now = self._monotonic()
        self._told = {key: at for key, at in self._told.items() if now - at < AGAIN_SECONDS}
        if (thread_id, admin_id) in self._told:
            return
        self._told[thread_id, admin_id] = now
        self._spawn(self._post, thread_id, admin_id)

    def _post(self, thread_id: int, admin_id: int) -> None:
        now = self._clock()
        try:
            with self._database.read() as connection:
                found = webhooks.typing_targets(connection, thread_id, admin_id, now)
        except StorageUnavailable as error:
            log.warning("nobody is told who writes: %s", error)
            return
        for id, target in found.targets.items():
            if id in self._busy:
                continue
            self._busy.add(id)
            data = {"thread_id": thread_id, "by": {"id": admin_id, "name": found.name}}
            document = {
                "id": f"typ_{uuid.uuid4().hex}",
                "type": TYPING,
                "occurred_at": timestamp(now),
                "thread": found.thread,
                "data": data | {"until": timestamp(now + SHOWN_MS)},
            }
            try:
                self._poster.post(target.url, signed(document, target.secrets, now))
            finally:
                self._busy.discard(id)
