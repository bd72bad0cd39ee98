"""Metrics of the sockets and of what feeds them."""

from dashboard.services import Services


def watch_background(services: Services) -> None:
    """Adds the numbers of the sockets and of what feeds them to the metrics."""
    watch = services.metrics.watch
    sockets, host, listener = services.sockets, services.presence_tasks, services.listener
    count, reconciler = services.metrics.watch_count, services.reconciler
    count("list_repairs", "Places in the lists that differed from SQL.", lambda: reconciler.repairs)
    count("list_rebuilds", "Lists that were made from SQL anew.", lambda: reconciler.rebuilds)
    builder = services.list_builder
    count("query_lists_built", "Lists of queries that somebody asked for.", lambda: builder.built)
    watch("sockets", "Dashboards that are connected.", lambda: len(sockets))
    watch("bad_calls", "Calls over sockets that made no sense.", lambda: sockets.bad_calls)
    watch(
        "clock_ahead_seconds",
        "By how much the clock of this machine is ahead of the shared one.",
        lambda: services.shared_clock.own_ahead_ms / 1000,
    )
    watch("presence_late", "1 while presence may be old.", lambda: bool(host.late_since))
    watch(
        "presence_sweep_lag_ms",
        "How overdue the oldest connection of the last sweep was.",
        lambda: host.lag_ms,
    )
    watch("bell_heard", "1 while notifications come.", lambda: listener.is_receiving)
    watch("bell_reconnects", "How often the listener connected anew.", lambda: listener.reconnects)
