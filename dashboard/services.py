"""The object graph of one process: every part is built here, once, when it is first used."""

from functools import cached_property

import redis
from redis.cluster import RedisCluster

from dashboard.db.accounts.api_keys import KeyRing
from dashboard.event_services import EventServices
from dashboard.live.broadcaster import Broadcaster
from dashboard.live.cluster_listener import ClusterListener
from dashboard.live.handlers import ListHandlers
from dashboard.live.list_observer import ListObserver
from dashboard.live.listener import Listener
from dashboard.live.queries.live_lists import LiveLists
from dashboard.live.queue.line import QueueLine
from dashboard.live.queue.numbers import QueueReader
from dashboard.live.reads import Reads
from dashboard.live.status import Status
from dashboard.live.view_changes import ViewChanges
from dashboard.oidc.provider import Provider
from dashboard.presence.admin_presence import AdminPresence
from dashboard.presence.tasks import PresenceTasks
from dashboard.presence.viewers import Viewers
from dashboard.shared_limits.buckets import SharedLimiter
from dashboard.transport.sockets import Sockets
from dashboard.web.http.audit.signins import FailedSignIns
from dashboard.web.http.cursors import Cursors
from dashboard.web.http.metrics.registry import Metrics
from scoring.keys import Keys
from scoring.pulse import Pulse


class Services(EventServices):
    """The parts of one process, built from the settings and handed to each other."""

    # HTTP

    @cached_property
    def metrics(self) -> Metrics:
        return Metrics()

    @cached_property
    def cursors(self) -> Cursors:
        """Signed with the secret key, without which cursors can be neither made nor read."""
        assert self.settings.secret_key is not None, "cursors are signed with the secret key"
        return Cursors(self.settings.secret_key)

    @cached_property
    def shared_limiter(self) -> SharedLimiter:
        prefix = self.settings.key_prefix
        return SharedLimiter(self.redis_client, prefix, self.clock, self.monotonic)

    @cached_property
    def failed_sign_ins(self) -> FailedSignIns:
        return FailedSignIns(self.database, self.clock)

    @cached_property
    def oidc_provider(self) -> Provider | None:
        oidc = self.settings.oidc
        return None if oidc is None else Provider(oidc, self.clock, self.monotonic)

    @cached_property
    def key_ring(self) -> KeyRing:
        return KeyRing(self.database, self.clock, self.monotonic)

    # The sockets of this process, and what is pushed over them

    @cached_property
    def reads(self) -> Reads:
        return Reads(self.database, self.clock)

    @cached_property
    def sockets(self) -> Sockets:
        return Sockets(
            self.settings.async_mode,
            self.reads.living_sessions,
            is_disabled=self.reads.is_disabled,
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

    @cached_property
    def list_handlers(self) -> ListHandlers:
        return ListHandlers(self.ranking, self.reads, self.broadcaster, self.live_lists)

    @cached_property
    def live_lists(self) -> LiveLists:
        return LiveLists(
            self.ranking,
            self.reads,
            self.broadcaster,
            self.sockets,
            self.list_keeper,
            self.list_builder,
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

    @cached_property
    def presence_tasks(self) -> PresenceTasks:
        return PresenceTasks(
            self.presence_service,
            self.bot_presence,
            self.admin_presence,
            self.sockets,
            self.worker,
            self.present_admins,
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
        """With a Redis client of its own, whose connection it keeps."""
        return Listener(
            client,
            keys,
            self.broadcaster.notify,
            on_written={
                **{group.touched: self._queries_touched for group in keys.shared_groups()},
                keys.view_changes: self.view_changes.wake,
                keys.unlisted: self.broadcaster.notify_unlisted,
            },
        )

    def pulse_changed(self, before: Pulse | None, pulse: Pulse) -> None:
        """Tells what notifications tell, for those that did not come."""
        self.broadcaster.notify(pulse.changed_views(before))
        if before is None or before.queries != pulse.queries:
            self._queries_touched()
        if before is None or before.unlisted != pulse.unlisted:
            self.broadcaster.notify_unlisted()
        if before is None or before.view_changes != pulse.view_changes:
            self.view_changes.wake()

    def _queries_touched(self) -> None:
        self.broadcaster.notify_queries()
        self.live_lists.view_totals.note()

    @cached_property
    def view_changes(self) -> ViewChanges:
        prefix = self.settings.key_prefix
        admins, changes = self.broadcaster.admins, self.reads.changes_of_views
        made = ViewChanges(self.redis_client, prefix, self.sockets, admins, changes)
        made.observe(self.live_lists.views_changed)
        return made

    @cached_property
    def queue_reader(self) -> QueueReader:
        return QueueReader(self.ranking, self.present_admins.count, self.clock)

    @cached_property
    def queue_line(self) -> QueueLine:
        return QueueLine(self.queue_reader.read, self.sockets)

    def connect_sockets(self) -> None:
        """Hands the calls of the sockets, and their coming and going, to what answers them."""
        lists = ListObserver(
            self.list_handlers,
            (self.broadcaster, self.live_lists),
            self.presence_tasks.send_status,
        )
        self.broadcaster.held_threads.observe(self.admin_presence.thread_gone)
        self.sockets.register(
            self.admin_presence.handlers(self.list_handlers.calls()),
            [lists, self.admin_presence, self.queue_line],
        )
