"""The parts that take in what happens: events, acts of admins, files, presence; and webhooks."""

import os
import secrets
import socket
from functools import cached_property

from dashboard.core_services import CoreServices
from dashboard.db.agenda import Agenda
from dashboard.files.addresses import FileAddresses
from dashboard.files.cleaning import FileCleaner
from dashboard.files.store import FileStore
from dashboard.files.uploads import Uploads
from dashboard.ingest.accounts.accounts import Accounts
from dashboard.ingest.accounts.keys import ApiKeys
from dashboard.ingest.actions import Actions
from dashboard.ingest.assignment.assigning import Assigning
from dashboard.ingest.ingest import Ingest
from dashboard.ingest.mentions.mentioning import Mentioning
from dashboard.ingest.recorder import Recorder
from dashboard.ingest.snooze.snoozing import Snoozing
from dashboard.ingest.tagging.tagging import Tagging
from dashboard.ingest.undo import Undo
from dashboard.ordering.agenda import AgendaReader
from dashboard.presence.bots import BotPresence
from dashboard.presence.erasing import Erasing
from dashboard.presence.present_admins import PresentAdmins
from dashboard.presence.service import PresenceService
from dashboard.webhooks.dispatcher import WebhookDispatcher
from dashboard.webhooks.http_client import Poster
from dashboard.webhooks.service import WebhookService
from dashboard.webhooks.typing import TIMEOUT_SECONDS as TYPING_SECONDS
from dashboard.webhooks.typing import TypingNotifier
from presence.timing import Timing


class EventServices(CoreServices):
    """`public_origin` is set by whoever serves: chatbots reach the addresses of files below it."""

    public_origin = ""

    # Events in, webhooks out

    @cached_property
    def recorder(self) -> Recorder:
        # Looked up at each event: commands that store events need no presence.
        return Recorder(
            self.database, self.clock, lambda admin_id: self.present_admins.is_absent(admin_id)
        )

    @cached_property
    def ingest(self) -> Ingest:
        return Ingest(
            self.recorder,
            self.placer,
            self.dispatcher.wake,
            # Built at the first close: commands that store events need no presence.
            lambda thread_ids: self.bot_presence.enqueue_closed(thread_ids),
        )

    @cached_property
    def actions(self) -> Actions:
        return Actions(self.database, self.clock)

    @cached_property
    def assigning(self) -> Assigning:
        return Assigning(self.database, self.clock)

    @cached_property
    def snoozing(self) -> Snoozing:
        return Snoozing(self.database, self.clock)

    @cached_property
    def tagging(self) -> Tagging:
        return Tagging(self.database, self.clock)

    @cached_property
    def mentioning(self) -> Mentioning:
        return Mentioning(self.database, self.clock)

    @cached_property
    def undo(self) -> Undo:
        return Undo(self.database, self.clock)

    @cached_property
    def accounts(self) -> Accounts:
        return Accounts(
            self.database, self.placer, self.clock, self.dispatcher.wake, self.monotonic
        )

    @cached_property
    def api_keys(self) -> ApiKeys:
        return ApiKeys(self.database, self.recorder, self.placer, self.clock)

    @cached_property
    def poster(self) -> Poster:
        return Poster(self.settings.webhook_private)

    @cached_property
    def dispatcher(self) -> WebhookDispatcher:
        return WebhookDispatcher(
            self.database,
            self.clock,
            self.poster,
            # Looked up at each delivery: commands have no secret key.
            for_chatbots=lambda document: self.file_addresses.for_chatbots(document),
        )

    @cached_property
    def agenda(self) -> AgendaReader:
        """Wakes the queues of this process."""
        return AgendaReader(
            self.database,
            self.clock,
            {
                self.due_queue.wake: Agenda.has_change,
                self.dispatcher.wake: lambda agenda, _: agenda.has_events or agenda.has_deliveries,
                self.archiver.wake: lambda agenda, _: agenda.has_closed,
                self.recompute.wake: lambda agenda, _: agenda.policies != self.recompute.done,
            },
        )

    @cached_property
    def webhooks(self) -> WebhookService:
        return WebhookService(self.database, self.clock, self.poster, self.dispatcher.wake)

    @cached_property
    def typing_notifier(self) -> TypingNotifier:
        # A posting client of its own: typing that comes late is of no use, so it waits less.
        poster = Poster(self.settings.webhook_private, timeout_seconds=TYPING_SECONDS)
        return TypingNotifier(self.database, self.clock, poster)

    # Files of admins

    @cached_property
    def file_store(self) -> FileStore:
        return FileStore(self.settings.files)

    @cached_property
    def uploads(self) -> Uploads:
        return Uploads(self.database, self.file_store, self.clock, self.offload)

    @cached_property
    def file_addresses(self) -> FileAddresses:
        """Signed with the secret key; they begin with the first of LINEUP_ORIGINS."""
        assert self.settings.secret_key is not None, "addresses are signed with the secret key"
        return FileAddresses(self.settings.secret_key, self.clock, lambda: self.public_origin)

    @cached_property
    def file_cleaner(self) -> FileCleaner:
        return FileCleaner(self.database, self.file_store, self.clock)

    # Presence

    @cached_property
    def worker(self) -> str:
        """The name of this process among those that share Redis."""
        return f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(4)}"

    @cached_property
    def presence_service(self) -> PresenceService:
        return PresenceService(
            self.redis_client,
            self.database,
            self.clock,
            timing=Timing.from_ttl(
                self.settings.presence_ttl_seconds, self.settings.presence_idle_seconds
            ),
            key_prefix=self.settings.key_prefix,
            monotonic=self.monotonic,
        )

    @cached_property
    def present_admins(self) -> PresentAdmins:
        return PresentAdmins(self.presence_service.admins, self.monotonic)

    @cached_property
    def bot_presence(self) -> BotPresence:
        return BotPresence(self.presence_service, self.database, self.clock, self.monotonic)

    @cached_property
    def erasing(self) -> Erasing:
        return Erasing(
            self.database, self.placer, self.presence_service, self.file_store, self.clock
        )
