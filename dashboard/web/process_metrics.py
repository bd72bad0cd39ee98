"""What a worker tells of itself, for Prometheus; several workers are added up as each says."""

from dashboard.services import Services
from dashboard.web.server.state import ServerState


def watch_server(services: Services, state: ServerState) -> None:
    """Adds the numbers of the HTTP server to the metrics."""
    metrics = services.metrics
    metrics.watch("accepting", "Workers that take new connections.", state.is_accepting)
    metrics.watch(
        "read_only",
        "1 while the database takes no writes.",
        lambda: services.database.refuses_writes,
        "max",
    )
    metrics.watch_count(
        "refused_connections", "Connections without a descriptor.", lambda: state.refused
    )


def watch_process(services: Services) -> None:
    """Adds the numbers of the sockets and of what feeds them to the metrics."""
    watch = services.metrics.watch
    sockets, host, listener = services.sockets, services.presence_tasks, services.listener
    count, reconciler = services.metrics.watch_count, services.reconciler
    count("list_repairs", "Places in the lists that differed from SQL.", lambda: reconciler.repairs)
    count("list_rebuilds", "Lists that were made from SQL anew.", lambda: reconciler.rebuilds)
    builder = services.list_builder
    count("query_lists_built", "Lists of queries that somebody asked for.", lambda: builder.built)
    watch("sockets", "Dashboards that are connected.", lambda: len(sockets))
    count("bad_calls", "Calls over sockets that made no sense.", lambda: sockets.bad_calls)
    watch(
        "clock_ahead_seconds",
        "By how much the clock of this machine is ahead of the shared one.",
        lambda: services.shared_clock.own_ahead_ms / 1000,
        "once",
    )
    watch("presence_late", "1 while presence may be old.", lambda: bool(host.late_since), "max")
    watch(
        "presence_sweep_lag_ms",
        "How overdue the oldest connection of the last sweep was.",
        lambda: host.lag_ms,
        "max",
    )
    watch(
        "listener_receiving",
        "1 while notifications of Redis come, in each worker.",
        lambda: listener.is_receiving,
        "min",
    )
    count(
        "listener_reconnects",
        "How often a listener connected to Redis anew.",
        lambda: listener.reconnects,
    )
