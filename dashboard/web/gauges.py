"""The gauges of the process and of the queue, read for each answer of `/metrics`."""

from collections.abc import Callable, Mapping

from redis.exceptions import RedisError

from dashboard.db.database import Database
from dashboard.db.queues import history, standing
from dashboard.db.queues.standing import Reader, Standing
from dashboard.errors import StorageUnavailable
from dashboard.live.queue import QueueReader
from dashboard.services import Services
from dashboard.turns import turns
from dashboard.web.server.state import ServerState
from presence.people import People
from scoring.ranking import Ranking, RankingLost
from scoring.views import VIEWS


def watch_server(services: Services, state: ServerState) -> None:
    """Adds the numbers of the HTTP server to the metrics."""
    metrics = services.metrics
    metrics.watch("accepting", "Workers that take new connections.", state.is_accepting)
    metrics.watch(
        "read_only",
        "1 while the database refuses writes.",
        lambda: services.database.refuses_writes,
        "max",
    )
    metrics.watch_count(
        "refused_connections", "Connections refused without a descriptor.", lambda: state.refused
    )


def watch_process(services: Services) -> None:
    """Adds the numbers of the sockets, and of their feeders, to the metrics."""
    watch = services.metrics.watch
    sockets, host, listener = services.sockets, services.presence_tasks, services.listener
    count, reconciler = services.metrics.watch_count, services.reconciler
    count("list_repairs", "Repaired places that differed from SQL.", lambda: reconciler.repairs)
    count("list_rebuilds", "Lists rebuilt from SQL.", lambda: reconciler.rebuilds)
    builder = services.list_builder
    count("query_lists_built", "Lists of queries built on request.", lambda: builder.built)
    _watch_lost(services)
    watch("sockets", "Dashboards that are connected.", lambda: len(sockets))
    count("bad_calls", "Invalid calls over sockets.", lambda: sockets.bad_calls)
    watch(
        "clock_ahead_seconds",
        "By how much the clock of this machine is ahead of the shared one.",
        lambda: services.shared_clock.own_ahead_ms / 1000,
        "once",
    )
    watch(
        "presence_late", "1 while presence may be outdated.", lambda: bool(host.late_since), "max"
    )
    watch(
        "presence_sweep_lag_ms",
        "How overdue the oldest connection of the last sweep was.",
        lambda: host.lag_ms,
        "max",
    )
    watch(
        "listener_receiving",
        "1 while the worker receives notifications of Redis.",
        lambda: listener.is_receiving,
        "min",
    )
    count("listener_reconnects", "Reconnections to Redis.", lambda: listener.reconnects)


def _watch_lost(services: Services) -> None:
    """Adds the numbers that tell when the machine is slower than the work."""
    services.metrics.watch_counts(
        "leases_lost",
        "Leases that ended before their work was done.",
        "of",
        lambda: {"delivery": services.dispatcher.lost, "rebuild": services.rebuilder.lost},
    )
    services.metrics.watch_count(
        "turns_lost", "Waits for a turn that took the longest time.", lambda: turns.lost
    )
    services.metrics.watch_many(
        "start_seconds",
        "How long the start of a worker took, and its processor time.",
        "of",
        lambda: services.metrics.start_seconds,
        "max",
    )


def watch_queue(services: Services) -> None:
    """Adds the gauges of the queue to the metrics."""
    queue = QueueMetrics(services.ranking, services.queue_reader, services.clock)
    here = AdminsHere(services.presence_service.admins)
    for name, text, label, read in (
        ("queue_threads", "Threads in a view.", "view", queue.lengths),
        ("longest_wait_seconds", "The longest wait; 0: nobody waits.", "", queue.longest_wait),
        ("long_waits", "Threads that have waited for more than 30 minutes.", "", queue.long_waits),
        ("admins_here", "Admins who have a window open.", "", here.count),
    ):
        services.metrics.watch_many(name, text, label, read, "once")


def watch_queues(services: Services) -> None:
    """Adds the numbers of queues that hand out their threads to the metrics."""
    queues = QueuesMetrics(services.database, services.clock)
    for name, text, label, read in (
        ("queue_given", "Threads that a queue has handed out.", "queue", queues.given),
        ("queue_returns", "Threads that went back to a queue.", "reason", queues.returns),
        ("queue_waiting", "Threads that a queue may hand out.", "queue", queues.waiting),
        (
            "queue_unserved",
            "Threads that wait in a queue while no admin may get one.",
            "queue",
            queues.unserved,
        ),
    ):
        services.metrics.watch_many(name, text, label, read, "once")


#: Reads as somebody who sees every thread.
_ALL = Reader(0, "supervisor", None)


class QueuesMetrics:
    """The numbers of queues, by the id and name of each; nothing while SQL is away."""

    def __init__(self, database: Database, clock: Callable[[], int]):
        self._database = database
        self._clock = clock

    def given(self) -> Mapping[str, float]:
        return {_label(one): one.queue.given for one in self._all()}

    def waiting(self) -> Mapping[str, float]:
        return {_label(one): one.numbers.waiting for one in self._all()}

    def unserved(self) -> Mapping[str, float]:
        """Counts the threads of each queue without an admin who may get one."""
        return {
            _label(one): 0 if one.numbers.eligible else one.numbers.waiting for one in self._all()
        }

    def returns(self) -> Mapping[str, float]:
        try:
            with self._database.read() as connection:
                return history.returns(connection)
        except StorageUnavailable:
            return {}

    def _all(self) -> list[Standing]:
        try:
            with self._database.read() as connection:
                return standing.standings(connection, _ALL, self._clock())
        except StorageUnavailable:
            return []


def _label(one: Standing) -> str:
    return f"{one.queue.id} {one.queue.name}"


class QueueMetrics:
    """The numbers of threads by view, and the waits; nothing while Redis cannot tell.

    `clock` gives milliseconds since 1970.
    """

    def __init__(self, ranking: Ranking, reader: QueueReader, clock: Callable[[], int]):
        self._ranking = ranking
        self._reader = reader
        self._clock = clock

    def lengths(self) -> Mapping[str, float]:
        """Maps views to the numbers of their threads."""
        try:
            return {view: self._ranking.head(view, "arrival", 1).total for view in VIEWS}
        except (RedisError, RankingLost):
            return {}

    def longest_wait(self) -> Mapping[str, float]:
        """Returns the longest wait, in seconds."""
        numbers = self._reader.read()
        if numbers is None:
            return {}
        since = numbers.longest_since
        return {"": 0 if since is None else max(0, self._clock() - since) / 1000}

    def long_waits(self) -> Mapping[str, float]:
        """Returns how many threads have waited for more than half an hour."""
        numbers = self._reader.read()
        return {} if numbers is None else {"": numbers.over}


class AdminsHere:
    """The number of admins with an open window, including invisible ones; nothing without Redis."""

    def __init__(self, admins: People):
        self._admins = admins

    def count(self) -> Mapping[str, float]:
        try:
            return {"": len(self._admins.connected()[0])}
        except RedisError:
            return {}
