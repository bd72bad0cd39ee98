"""The part of the object graph that stores threads and keeps their order."""

import time
from collections.abc import Callable
from functools import cached_property
from typing import Any

from dashboard.clock import SharedClock
from dashboard.db.database import Database
from dashboard.ingest.snooze.moments import take_effect
from dashboard.ordering.archiving import Archiver
from dashboard.ordering.building import ListBuilder
from dashboard.ordering.diff import Diff
from dashboard.ordering.due import DueQueue
from dashboard.ordering.keeping import ListKeeper
from dashboard.ordering.placer import Placer
from dashboard.ordering.pulse import PulseReader
from dashboard.ordering.rebuild import Rebuilder
from dashboard.ordering.recompute import Recompute
from dashboard.ordering.reconciler import Reconciler
from dashboard.ordering.status import OrderingStatus
from dashboard.redis_server.clients import RedisClients
from dashboard.settings.environment import Settings
from dashboard.transport.redis_parser import parser_options
from dashboard.web.server.server import green
from lua_scripts.servers import Client, run_id_of
from scoring.ranking import Ranking
from scoring.server_life import RunId


def database_of(settings: Settings) -> Database:
    """The database of a process, with the waiting of its green threads."""
    mode = green(settings.async_mode)
    return Database(settings.database_url, wait_ready=mode.wait_ready, offload=mode.offload)


class CoreServices:
    """What stores and orders: parts that need neither HTTP nor sockets.

    `redis_url` is that of the settings or of the embedded server. To replace a part, assign it
    before anything uses it: `services.redis_client = fakeredis.FakeRedis()`. `clock` gives
    milliseconds since 1970; without one the clock is that of PostgreSQL, or of Redis.
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
        """SQLite has no server of its own; of all that share such a file, Redis has the time."""
        if not self.database.is_sqlite:
            return self.database.server_ms()
        seconds, microseconds = self.redis_client.time()
        return seconds * 1000 + microseconds / 1000

    @cached_property
    def redis_clients(self) -> RedisClients:
        return RedisClients(self.redis_url, **parser_options(green(self.settings.async_mode).poll))

    @cached_property
    def database(self) -> Database:
        return database_of(self.settings)

    @cached_property
    def redis_client(self) -> Client:
        return self.redis_clients.new()

    @cached_property
    def ranking(self) -> Ranking:
        return Ranking(self.redis_client, self.settings.key_prefix, run_id=self.redis_run_id)

    @cached_property
    def ordering_status(self) -> OrderingStatus:
        return OrderingStatus(self.clock)

    @cached_property
    def placer(self) -> Placer:
        return Placer(self.ranking, self.database, self.ordering_status, self.monotonic)

    @cached_property
    def rebuilder(self) -> Rebuilder:
        return Rebuilder(self.database, self.ranking, self.placer, self.clock)

    @cached_property
    def list_builder(self) -> ListBuilder:
        return ListBuilder(self.rebuilder, self.ranking)

    @cached_property
    def list_keeper(self) -> ListKeeper:
        return ListKeeper(self.database, self.clock)

    @cached_property
    def diff(self) -> Diff:
        return Diff(self.database, self.ranking, self.clock, self.monotonic)

    @cached_property
    def due_queue(self) -> DueQueue:
        return DueQueue(self.database, self.placer, self.clock, take_effect)

    @cached_property
    def recompute(self) -> Recompute:
        return Recompute(self.database, self.placer, self.clock, self.monotonic)

    @cached_property
    def archiver(self) -> Archiver:
        return Archiver(self.database, self.placer, self.clock, self.monotonic)

    @cached_property
    def redis_run_id(self) -> RunId:
        """Gives what Redis drew at its start."""
        return run_id_of

    @cached_property
    def pulse(self) -> PulseReader:
        return PulseReader(self.ranking)

    @cached_property
    def reconciler(self) -> Reconciler:
        status = self.ordering_status
        return Reconciler(self.database, self.ranking, self.placer, status, self.monotonic)

    @cached_property
    def offload(self) -> Callable[..., Any]:
        """`offload(function, *arguments)` runs it where it does not stop other green threads."""
        return green(self.settings.async_mode).offload
