"""The command `serve`, and the web process that `demo` runs, too."""

import gc
import logging
import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass

import click
from redis.exceptions import RedisError
from tqdm import tqdm

from dashboard import logs
from dashboard.background import Background
from dashboard.cli.context import open_services, read_settings
from dashboard.cli.params import PORT, command
from dashboard.cli.workers import Workers, end_with_parent
from dashboard.db.threads import threads
from dashboard.errors import StartError
from dashboard.services import Services
from dashboard.web.application import create_app
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


@dataclass(frozen=True)
class Address:
    """Where a process listens; with `is_shared`, other workers listen on the same port."""

    host: str
    port: int
    is_shared: bool = False

    @property
    def url(self) -> str:
        """As a person on this machine types it."""
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
# For the workers of one port; not to be typed.
@click.option("--shared-port", is_flag=True, hidden=True)
def serve(host: str, port: int, workers: int, shared_port: bool) -> int:
    settings = read_settings()
    if settings.secret_key is None:
        raise StartError("LINEUP_SECRET_KEY is needed: at least 16 characters, kept secret.")
    logs.install(settings.log_level, settings.log_format)
    address = Address(host, port, shared_port)
    with ExitStack() as stack:
        services = stack.enter_context(open_services(settings, serving=True))
        if workers > 1:
            server.check_port(host, port)
            return Workers(sys.argv, workers, services.redis_url).run()
        if shared_port:
            end_with_parent()
        return run_web_process(services, address, lambda: announce(address))


def run_web_process(services: Services, address: Address, on_ready: Callable[[], object]) -> int:
    """Brings the order up to date, then serves until a signal; `on_ready` once it listens."""
    if not address.is_shared:
        server.check_port(address.host, address.port)
    bring_order_to_date(services)
    check_presence(services)
    state = ServerState()
    app = create_app(services, address.port, server_state=state)
    background = Background(services)
    background.start()
    # What is built by now stays. A collector that went through all of it again and again would
    # stop every dashboard for a quarter of a second each time.
    gc.collect()
    gc.freeze()
    server.serve(
        app,
        address.host,
        address.port,
        services.settings.async_mode,
        reuse_port=address.is_shared,
        ready=on_ready,
        stopping=background.stop_sockets,
        state=state,
    )
    background.stop()
    return 0


def bring_order_to_date(services: Services) -> None:
    """Rebuilds the lists where Redis is empty or holds those of another database, with progress."""
    with services.database.read() as connection:
        total = threads.last_id(connection)
    with tqdm(
        total=total, unit=" threads", desc="ordering", delay=0.5, leave=False, file=sys.stderr
    ) as bar:
        services.reconciler.tick(bar.update)


def check_presence(services: Services) -> None:
    """Refuses to start on presence that is spread over another number of shards.

    It would not be found again, and would stay for ever. Raises StartError.
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


def announce(address: Address) -> None:
    click.echo(f"Lineup is at {address.url}")
