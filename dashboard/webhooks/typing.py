"""Posts to webhooks that an admin is writing to the customer; a failed request is not retried."""

import logging
import time
import uuid
from collections.abc import Callable

from dashboard.db.database import Database
from dashboard.db.outbox import webhooks
from dashboard.db.outbox.outgoing_document import timestamp
from dashboard.errors import StorageUnavailable
from dashboard.event_types import TYPING
from dashboard.webhooks.dispatcher import Spawn, spawn_thread
from dashboard.webhooks.http_client import Poster
from dashboard.webhooks.signing import signed

log = logging.getLogger(__name__)

#: Time that a customer's page shows the notice; it is posted again while the admin writes on.
SHOWN_MS = 6_000
#: Shortest interval between two notices about one admin in one thread.
REPEAT_SECONDS = 2.0
#: Limit for a request; a later notice would be of no use.
TIMEOUT_SECONDS = 4.0


class TypingNotifier:
    """Stores nothing and never retries; one request at a time for each webhook."""

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
        self._sent_at: dict[tuple[int, int], float] = {}
        self._busy: set[int] = set()

    def notify(self, thread_id: int, admin_id: int) -> None:
        """Says that the admin is writing a reply in the thread; not for a private note."""
        now = self._monotonic()
        self._sent_at = {key: at for key, at in self._sent_at.items() if now - at < REPEAT_SECONDS}
        if (thread_id, admin_id) in self._sent_at:
            return
        self._sent_at[thread_id, admin_id] = now
        self._spawn(self._post, thread_id, admin_id)

    def _post(self, thread_id: int, admin_id: int) -> None:
        now = self._clock()
        try:
            with self._database.read() as connection:
                found = webhooks.typing_targets(connection, thread_id, admin_id, now)
        except StorageUnavailable as error:
            log.warning("a typing notice is not sent: %s", error)
            return
        for id, target in found.targets.items():
            if id in self._busy:
                continue
            self._busy.add(id)
            data = {"thread_id": thread_id, "by": {"id": admin_id, "name": found.name}}
            document = {
                "id": f"typ_{uuid.uuid4().hex}",
                "type": TYPING.name,
                "occurred_at": timestamp(now),
                "thread": found.thread,
                "data": data | {"until": timestamp(now + SHOWN_MS)},
            }
            try:
                self._poster.post(target.url, signed(document, target.secrets, now))
            finally:
                self._busy.discard(id)
