"""The parts of a process that commands use: storage, the order, events, webhooks, presence.

Nothing here serves the web: a command starts without Flask and Socket.IO.
"""

import time
from collections.abc import Callable
from functools import cached_property
from typing import TypeVar

from dashboard.clock import SharedClock
from dashboard.files.store import FileStore
from dashboard.ingest.accounts import Accounts, ApiKeys
from dashboard.ingest.ingest import Ingest
from dashboard.ingest.recorder import Recorder
from dashboard.ordering.diff import Diff
from dashboard.ordering.placer import Placer
from dashboard.ordering.rebuild import Rebuilder
from dashboard.ordering.status import OrderingStatus
from dashboard.presence.bots import BotPresence
from dashboard.presence.erasing import Erasing
from dashboard.presence.service import PresenceService
from dashboard.redis_clients import RedisClients
from dashboard.settings import Settings
from dashboard.transport.redis_parser import parser_options
from dashboard.web.server.server import database_of, green
from dashboard.webhooks.http_client import Poster
from dashboard.webhooks.service import WebhookService
from lua_scripts.servers import run_id_of
from presence.timing import Timing
from scoring.ranking import Ranking
from scoring.server_life import RunId

Made = TypeVar("Made")


def part(make: Callable[["CoreServices"], Made]) -> cached_property[Made]:
    """Returns a property that makes the part at its first use."""
    return cached_property(make)


class CoreServices:
    """The object graph of a command; each part is made at its first use.

    `redis_url` comes from the settings or the embedded server. To replace a part, assign it
    before anything uses it: `services.redis_client = fakeredis.FakeRedis()`. `clock` gives
    milliseconds since 1970; by default it is the clock of PostgreSQL, or of Redis.
    """

    def __init__(
        self,
        settings: Settings,
        redis_url: str,
        *,
        clock: Callable[[], int] | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ):
        self.settings = settings
        self.redis_url = redis_url
        self.shared_clock = SharedClock(self._read_shared_clock)
        self.clock = clock or self.shared_clock
        self.monotonic = monotonic

    def _read_shared_clock(self) -> float:
        """Returns milliseconds of PostgreSQL's clock, or of Redis's: SQLite has no server."""
        if not self.database.is_sqlite:
            return self.database.server_ms()
        seconds, microseconds = self.redis_client.time()
        return seconds * 1000 + microseconds / 1000

    def wake_deliveries(self) -> None:
        """Tells this process to deliver webhooks; a command leaves that to those that serve."""

    def is_absent(self, admin_id: int) -> bool:
        """Whether the admin has no window open; False while that is unknown, as in a command."""
        return False

    redis_clients = part(
        lambda s: RedisClients(s.redis_url, **parser_options(green(s.settings.async_mode).poll))
    )
    database = part(lambda s: database_of(s.settings))
    redis_client = part(lambda s: s.redis_clients.new())
    ranking = part(lambda s: Ranking(s.redis_client, s.settings.key_prefix, run_id=s.redis_run_id))
    ordering_status = part(lambda s: OrderingStatus(s.clock))
    placer = part(lambda s: Placer(s.ranking, s.database, s.ordering_status, s.monotonic))
    rebuilder = part(lambda s: Rebuilder(s.database, s.ranking, s.placer, s.clock))
    diff = part(lambda s: Diff(s.database, s.ranking, s.clock, s.monotonic))

    @cached_property
    def redis_run_id(self) -> RunId:
        """The function that returns the random id of a Redis server's life."""
        return run_id_of

    recorder = part(lambda s: Recorder(s.database, s.clock, s.is_absent))

    @cached_property
    def ingest(self) -> Ingest:
        return Ingest(
            self.recorder,
            self.placer,
            self.wake_deliveries,
            # Built at the first close: commands that store events need no presence.
            lambda thread_ids: self.bot_presence.enqueue_closed(thread_ids),
        )

    accounts = part(
        lambda s: Accounts(s.database, s.placer, s.clock, s.wake_deliveries, s.monotonic)
    )
    api_keys = part(lambda s: ApiKeys(s.database, s.recorder, s.placer, s.clock))
    poster = part(lambda s: Poster(s.settings.webhook_private))
    webhooks = part(lambda s: WebhookService(s.database, s.clock, s.poster, s.wake_deliveries))
    file_store = part(lambda s: FileStore(s.settings.files))

    presence_service = part(
        lambda s: PresenceService(
            s.redis_client,
            s.database,
            s.clock,
            timing=Timing.from_ttl(
                s.settings.presence_ttl_seconds, s.settings.presence_idle_seconds
            ),
            key_prefix=s.settings.key_prefix,
            monotonic=s.monotonic,
        )
    )
    bot_presence = part(lambda s: BotPresence(s.presence_service, s.database, s.clock, s.monotonic))
    erasing = part(
        lambda s: Erasing(s.database, s.placer, s.presence_service, s.file_store, s.clock)
    )
