"""The command `serve`, and the web process that `demo` runs as well."""

import gc
import logging
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import click
from redis.exceptions import RedisError
from tqdm import tqdm

from dashboard import logs
from dashboard.background import Background
from dashboard.cli.context import open_services, read_settings
from dashboard.cli.params import PORT, command
from dashboard.cli.supervisor import Workers, starter
from dashboard.cli.worker import WorkerPart, end_with_parent
from dashboard.db.threads import threads
from dashboard.errors import StartError
from dashboard.services import Services
from dashboard.web.application import create_app
from dashboard.web.http.metrics.worker_files import WorkerFiles
from dashboard.web.http.origins import insecure_origins
from dashboard.web.server import server
from dashboard.web.server.state import ServerState
from presence.errors import ShardsChanged

log = logging.getLogger(__name__)

WORKERS_MAX = 64
HOST_OPTION = click.option(
    "--host", default="127.0.0.1", show_default=True, help="Address to listen on."
)
PORT_OPTION = click.option(
    "--port", type=PORT, default=5000, show_default=True, help="Port to listen on."
)
#: Addresses that a browser on this machine reaches as localhost.
_LOCAL_HOSTS = ("127.0.0.1", "::1", "0.0.0.0", "::")


class StartTimes:
    """Logs how long each part of a start took: on a busy machine a start takes far longer than the
    processor time that it needs."""

    def __init__(self, began: float | None = None, monotonic: Callable[[], float] = time.monotonic):
        """`began` is the start of the process, by the same clock."""
        self._monotonic = monotonic
        self._began = self._last = monotonic() if began is None else began
        self._parts: list[str] = []

    def mark(self, part: str) -> None:
        """Notes that a part of the start has just ended."""
        before, self._last = self._last, self._monotonic()
        self._parts.append(f"{part} {self._last - before:.1f} s")

    def log(self) -> None:
        """Logs all parts, once."""
        log.info(
            "started in %.1f s, with %.1f s of processor time: %s",
            self._last - self._began,
            time.process_time(),
            ", ".join(self._parts),
        )


@dataclass(frozen=True)
class Address:
    """The host and port on which a process listens."""

    host: str
    port: int

    @property
    def url(self) -> str:
        """The URL that a person on this machine types."""
        host = "localhost" if self.host in _LOCAL_HOSTS else self.host
        return f"http://{host}:{self.port}"


@command(
    "serve",
    "Serve the dashboard and the bot API.",
    example="serve --port 8000 --workers 2",
)
@HOST_OPTION
@PORT_OPTION
@click.option(
    "--workers",
    type=click.IntRange(1, WORKERS_MAX),
    default=1,
    show_default=True,
    help="Number of processes.",
)
# Set for the workers of one port; not meant to be typed.
@click.option("--worker", hidden=True)
def serve(host: str, port: int, workers: int, worker: str | None) -> int:
    settings = read_settings()
    if settings.secret_key is None:
        raise StartError("LINEUP_SECRET_KEY is needed: at least 16 characters, kept secret.")
    logs.install(settings.log_level, settings.log_format)
    times = StartTimes(click.get_current_context().obj)
    times.mark("modules")
    address = Address(host, port)
    if worker is None:
        warn_of_plain_http(settings.origins)
    part = WorkerPart.from_option(worker) if worker else None
    if part is not None:
        # Comes first: opening the services may take a minute.
        end_with_parent(part)

    def ready() -> None:
        announce(address, settings.log_format)
        if part is not None:
            part.announce()

    with ExitStack() as stack:
        services = stack.enter_context(open_services(settings, serving=True))
        times.mark("database and Redis")
        if workers > 1:
            # The first worker that is ready listens: before that a proxy asks another server.
            listener = stack.enter_context(server.bind(host, port))
            return Workers(starter(sys.argv, services.redis_url), workers, listener).run()
        return run_web_process(services, address, ready, part, times)


def run_web_process(
    services: Services,
    address: Address,
    on_ready: Callable[[], object],
    part: WorkerPart | None = None,
    times: StartTimes | None = None,
) -> int:
    """Updates the order, then serves until a signal; calls `on_ready` once it listens.

    `part` is set if this is one of several workers; `times` has the times of the start so far.
    """
    times = times or StartTimes()
    if part is None:
        server.check_port(address.host, address.port)
    else:
        services.metrics.share(WorkerFiles(Path(part.folder), part.name))
    bring_order_to_date(services)
    check_presence(services)
    times.mark("lists")
    state = ServerState()
    app = create_app(services, address.port, server_state=state)
    background = Background(services)
    background.start()
    # Objects built so far live as long as the process. If the collector visited all of them each
    # time, every dashboard would stop for a quarter of a second.
    gc.collect()
    gc.freeze()
    server.serve(
        app,
        address.host,
        address.port,
        services.settings.async_mode,
        inherited=None if part is None else part.listener,
        ready=partial(_tell_ready, times, on_ready),
        stopping=background.stop_sockets,
        state=state,
        keepalive_seconds=services.settings.keepalive_seconds,
    )
    background.stop()
    return 0


def _tell_ready(times: StartTimes, on_ready: Callable[[], object]) -> None:
    times.mark("application")
    times.log()
    on_ready()


def bring_order_to_date(services: Services) -> None:
    """Rebuilds the lists, with progress, if Redis is empty or holds those of another database."""
    with services.database.read() as connection:
        total = threads.last_id(connection)
    with tqdm(
        total=total, unit=" threads", desc="ordering", delay=0.5, leave=False, file=sys.stderr
    ) as bar:
        services.reconciler.tick(bar.update)


def check_presence(services: Services) -> None:
    """Refuses to start if stored presence is spread over another number of shards.

    It could not be found again, and would stay for ever. Raises StartError.
    """
    try:
        services.presence_service.check_layout()
    except ShardsChanged as error:
        raise StartError(
            f"Presence in Redis has another number of shards ({error}). Stop all processes and "
            f"delete the keys {error.pattern}; heartbeats and SQL fill them again."
        ) from error
    except RedisError as error:
        log.warning("the layout of presence is not checked: %s", error)


def warn_of_plain_http(origins: Iterable[str]) -> None:
    """Logs which functions do not work, and which are unsafe, under addresses without https."""
    for origin in insecure_origins(origins):
        log.warning(
            "LINEUP_ORIGINS has %s, which is not https: anybody on the way can read passwords and "
            "sessions, and browsers show no notifications and keep no drafts and unsent replies "
            "when the page is closed",
            origin,
        )


def announce(address: Address, log_format: str = "text") -> None:
    """Prints the address; for programs as a line of the log, so that every line stays JSON."""
    if log_format == "text":
        click.echo(f"Lineup is at {address.url}")
    else:
        log.info("Lineup is at %s", address.url)
