"""The object graph of a process that serves, built once; tests and benchmarks use it, too."""

import os
import secrets
import socket
from collections.abc import Callable
from functools import cached_property, partial
from typing import Any, TypeVar

import redis
from redis.cluster import RedisCluster

from dashboard import ROOT
from dashboard.core_services import CoreServices
from dashboard.db.accounts.api_keys import KeyRing
from dashboard.db.agenda import Agenda
from dashboard.files.addresses import FileAddresses
from dashboard.files.store import FileCleaner
from dashboard.files.uploads import Uploads
from dashboard.ingest.accounts import Invitations
from dashboard.ingest.actions import Actions
from dashboard.ingest.assigning import Assigning
from dashboard.ingest.customer_notes import CustomerNotes
from dashboard.ingest.due import Archiver, DueQueue, HistoryCleaner, PlaceNews, Recompute
from dashboard.ingest.handing_out import HandingOut, HandOuts
from dashboard.ingest.mentioning import Mentioning
from dashboard.ingest.outgoing import NOT_KNOWN, CustomerPresence
from dashboard.ingest.reporting import AdminWatch, FactKeeper
from dashboard.ingest.snoozing import Snoozing
from dashboard.ingest.tagging import Tagging
from dashboard.ingest.undo import Undo
from dashboard.live.broadcaster import Broadcaster
from dashboard.live.handlers import ListHandlers, ListObserver
from dashboard.live.listener import ClusterListener, Listener
from dashboard.live.live_lists import LiveLists
from dashboard.live.queue import QueueLine, QueueReader
from dashboard.live.queue_news import QueueNews
from dashboard.live.reads import Reads
from dashboard.live.status import Status
from dashboard.live.view_changes import ViewChanges
from dashboard.oidc import Provider
from dashboard.ordering.agenda import AgendaReader, PulseReader
from dashboard.ordering.list_keeper import ListBuilder, ListKeeper
from dashboard.ordering.reconciler import Reconciler
from dashboard.presence.admin_presence import AdminPresence
from dashboard.presence.pushing import PresencePusher
from dashboard.presence.tasks import PresenceTasks, PresentAdmins, QueuePresence, shown_statuses
from dashboard.presence.viewers import Viewers
from dashboard.rate_limits import SharedLimiter
from dashboard.transport.sockets import Sockets
from dashboard.web.http.assets import Assets
from dashboard.web.http.audit import FailedSignIns
from dashboard.web.http.identity import Identities
from dashboard.web.http.metrics import Metrics
from dashboard.web.http.origins import Origins
from dashboard.web.http.queries import Cursors
from dashboard.web.server.server import green
from dashboard.webhooks.dispatcher import WebhookDispatcher
from dashboard.webhooks.http_client import Poster
from dashboard.webhooks.service import TIMEOUT_SECONDS as TYPING_SECONDS
from dashboard.webhooks.service import TypingNotifier
from scoring.keys import Keys
from scoring.pulse import Pulse

Made = TypeVar("Made")


def part(make: Callable[["Services"], Made]) -> cached_property[Made]:
    """Returns a property that makes the part at its first use."""
    return cached_property(make)


class Services(CoreServices):
    """The object graph of a process that serves; each part is made at its first use.

    A process that serves sets `origins`.
    """

    #: Set by `create_app`, which knows the port.
    origins: Origins

    @property
    def secret_key(self) -> str:
        """The key that signs sessions, cursors and addresses of files."""
        assert self.settings.secret_key is not None, "a process that serves has a secret key"
        return self.settings.secret_key

    def wake_deliveries(self) -> None:
        """Tells the dispatcher that there is something to deliver."""
        self.dispatcher.wake()

    def is_absent(self, admin_id: int) -> bool:
        """Whether the admin has no window open; False while that is unknown."""
        return self.present_admins.is_absent(admin_id)

    def read_customer(self, thread_id: int) -> CustomerPresence:
        """Returns the presence of a thread's customer; a Redis known to be away is not asked."""
        late = self.ordering_status.late
        return NOT_KNOWN if late else self.bot_presence.of_thread(thread_id)

    # The order of threads

    list_builder = part(lambda s: ListBuilder(s.rebuilder, s.ranking))
    list_keeper = part(lambda s: ListKeeper(s.database, s.clock))
    due_queue = part(lambda s: DueQueue(s.database, s.placer, s.clock))
    recompute = part(lambda s: Recompute(s.database, s.placer, s.clock, s.monotonic))
    archiver = part(lambda s: Archiver(s.database, s.placer, s.clock, s.monotonic))
    history_cleaner = part(lambda s: HistoryCleaner(s.database, s.clock, s.monotonic))
    fact_keeper = part(lambda s: FactKeeper(s.database, s.clock, s.monotonic))

    handing_out = part(lambda s: HandingOut(s.database, s.clock))

    @cached_property
    def hand_outs(self) -> HandOuts:
        hand_outs = HandOuts(self.handing_out, self.placer.place, self.clock)
        self.placer.on_freed = hand_outs.wake
        return hand_outs

    place_news = part(lambda s: PlaceNews(s.database, s.clock, s.wake_deliveries))
    pulse = part(lambda s: PulseReader(s.ranking))

    @cached_property
    def reconciler(self) -> Reconciler:
        status = self.ordering_status
        return Reconciler(self.database, self.ranking, self.placer, status, self.monotonic)

    @cached_property
    def offload(self) -> Callable[..., Any]:
        """`offload(function, *arguments)` runs a function without stopping other green threads."""
        return green(self.settings.async_mode).offload

    # Events and acts, and their delivery to chatbots

    actions = part(lambda s: Actions(s.database, s.clock, s.read_customer))
    assigning = part(lambda s: Assigning(s.database, s.clock))
    snoozing = part(lambda s: Snoozing(s.database, s.clock))
    tagging = part(lambda s: Tagging(s.database, s.clock))
    customer_notes = part(lambda s: CustomerNotes(s.database, s.clock))
    mentioning = part(lambda s: Mentioning(s.database, s.clock))
    undo = part(lambda s: Undo(s.database, s.clock))
    invitations = part(lambda s: Invitations(s.database, s.clock))

    @cached_property
    def dispatcher(self) -> WebhookDispatcher:
        for_chatbots = self.file_addresses.for_chatbots
        return WebhookDispatcher(self.database, self.clock, self.poster, for_chatbots=for_chatbots)

    @cached_property
    def agenda(self) -> AgendaReader:
        """Wakes the queues of this process that have something to do."""
        return AgendaReader(
            self.database,
            self.clock,
            {
                self.due_queue.wake: Agenda.has_change,
                self.dispatcher.wake: lambda agenda, _: agenda.has_events or agenda.has_deliveries,
                self.archiver.wake: lambda agenda, _: agenda.has_closed,
                self.hand_outs.wake: lambda agenda, _: agenda.has_hand_outs,
                self.recompute.wake: lambda agenda, _: agenda.policies != self.recompute.done,
            },
        )

    @cached_property
    def typing_notifier(self) -> TypingNotifier:
        # Has its own client with a short timeout: late news of typing is useless.
        poster = Poster(self.settings.webhook_private, timeout_seconds=TYPING_SECONDS)
        return TypingNotifier(self.database, self.clock, poster)

    # Files of admins

    uploads = part(lambda s: Uploads(s.database, s.file_store, s.clock, s.offload))

    file_addresses = part(lambda s: FileAddresses(s.secret_key, s.clock, lambda: s.origins.first))

    file_cleaner = part(lambda s: FileCleaner(s.database, s.file_store, s.clock))

    # Presence

    @cached_property
    def worker(self) -> str:
        """The name of this process among those that share Redis."""
        return f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(4)}"

    present_admins = part(lambda s: PresentAdmins(s.presence_service.admins, s.monotonic))

    @cached_property
    def admin_watch(self) -> AdminWatch:
        statuses = partial(shown_statuses, self.presence_service.admins)
        return AdminWatch(self.database, statuses, self.clock)

    # Parts of web processes

    metrics = part(lambda s: Metrics())

    cursors = part(lambda s: Cursors(s.secret_key))
    identities = part(lambda s: Identities(s.database, s.clock, s.secret_key, s.origins))
    assets = part(lambda s: Assets(ROOT / "static", s.settings.assets))

    @cached_property
    def shared_limiter(self) -> SharedLimiter:
        prefix = self.settings.key_prefix
        return SharedLimiter(self.redis_client, prefix, self.clock, self.monotonic)

    failed_sign_ins = part(lambda s: FailedSignIns(s.database, s.clock))

    @cached_property
    def oidc_provider(self) -> Provider | None:
        oidc = self.settings.oidc
        return None if oidc is None else Provider(oidc, self.clock, self.monotonic)

    key_ring = part(lambda s: KeyRing(s.database, s.clock, s.monotonic))

    # Sockets of this process, and the data that are pushed over them

    reads = part(lambda s: Reads(s.database, s.clock))
    sockets = part(
        lambda s: Sockets(
            s.settings.async_mode, s.reads.living_sessions, is_disabled=s.reads.is_disabled
        )
    )

    @cached_property
    def broadcaster(self) -> Broadcaster:
        status = Status(
            lambda: self.ordering_status.late_since,
            self.clock,
            self.sockets,
            lambda: self.database.refuses_writes,
        )
        return Broadcaster(self.ranking, self.reads, status, self.sockets, self.monotonic)

    list_handlers = part(
        lambda s: ListHandlers(s.ranking, s.reads, s.broadcaster, s.live_lists, s.thread_opened)
    )
    live_lists: cached_property[LiveLists] = part(
        lambda s: LiveLists(
            s.ranking, s.reads, s.broadcaster, s.sockets, s.list_keeper, s.list_builder, s.monotonic
        )
    )

    @cached_property
    def admin_presence(self) -> AdminPresence:
        viewers = Viewers(
            self.presence_service, self.broadcaster.visible_rows, self.reads.names, self.sockets
        )
        return AdminPresence(
            self.presence_service,
            viewers,
            self.sockets,
            self.worker,
            on_reply_typed=self.typing_notifier.notify,
        )

    presence_pusher = part(
        lambda s: PresencePusher(s.bot_presence, s.database, s.clock, s.wake_deliveries)
    )
    presence_tasks = part(
        lambda s: PresenceTasks(
            s.presence_service,
            s.bot_presence,
            s.admin_presence,
            s.sockets,
            s.worker,
            s.present_admins,
            QueuePresence(s.presence_service.admins, s.database, s.clock, s.hand_outs.wake),
            s.presence_pusher,
        )
    )

    @cached_property
    def listener(self) -> Listener | ClusterListener:
        keys = self.ranking.keys
        if isinstance(self.redis_client, RedisCluster):
            notify = self.broadcaster.notify
            return ClusterListener(self.redis_client, keys, self._listener_of_node, notify)
        return self._listener_of(self.redis_clients.new_for_server(), keys)

    def _listener_of_node(self, host: str, port: int, keys: Keys) -> Listener:
        return self._listener_of(self.redis_clients.of_node(host, port), keys)

    def _listener_of(self, client: redis.Redis, keys: Keys) -> Listener:
        """Makes a listener; it keeps the connection of this Redis client."""
        return Listener(
            client,
            keys,
            self.broadcaster.notify,
            on_written={
                **{group.touched: self._queries_touched for group in keys.shared_groups()},
                keys.view_changes: self._views_written,
                keys.unlisted: self.broadcaster.notify_unlisted,
            },
            on_deleted=self.reconciler.note_deleted,
        )

    def pulse_changed(self, before: Pulse | None, pulse: Pulse) -> None:
        """Passes on the changes between two pulses: their notifications may have been lost."""
        self.broadcaster.notify(pulse.changed_views(before))
        if before is None or before.queries != pulse.queries:
            self._queries_touched()
        if before is None or before.unlisted != pulse.unlisted:
            self.broadcaster.notify_unlisted()
        if before is None or before.view_changes != pulse.view_changes:
            self._views_written()

    def _views_written(self) -> None:
        self.view_changes.wake()
        self.queue_news.look()

    def thread_opened(self, admin_id: int, thread_id: int) -> None:
        """Keeps a thread that a queue gave to the admin; other windows are told so at once."""
        if self.handing_out.open(admin_id, thread_id):
            self.queue_news.look()
            self.view_changes.announce()

    def _queries_touched(self) -> None:
        self.broadcaster.notify_queries()
        self.live_lists.view_totals.note()

    @cached_property
    def view_changes(self) -> ViewChanges:
        prefix = self.settings.key_prefix
        admins, changes = self.broadcaster.admins, self.reads.changes_of_views
        view_changes = ViewChanges(self.redis_client, prefix, self.sockets, admins, changes)
        view_changes.observe(self.live_lists.views_changed)
        return view_changes

    queue_reader = part(lambda s: QueueReader(s.ranking, s.present_admins.count, s.clock))
    queue_line = part(lambda s: QueueLine(s.queue_reader.read, s.sockets))
    queue_news = part(lambda s: QueueNews(s.database, s.clock, s.sockets))

    def connect_sockets(self) -> None:
        """Registers the handlers of calls, and the observers of sockets that come and go."""
        lists = ListObserver(
            self.list_handlers, (self.broadcaster, self.live_lists), self.presence_tasks.send_status
        )
        self.broadcaster.held_threads.observe(self.admin_presence.thread_gone)
        self.sockets.register(
            self.admin_presence.handlers(self.list_handlers.calls()),
            [lists, self.admin_presence, self.queue_line, self.queue_news],
        )
