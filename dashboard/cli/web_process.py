"""One web process, as `serve` and `demo` run it: services, the order brought to date, the server.

It imports the whole server, so nothing else is to import it before it serves.
"""

import gc
import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from redis.exceptions import RedisError
from tqdm import tqdm

from dashboard.background import Background
from dashboard.cli.context import adjust_clock, opened
from dashboard.cli.starting import Address, StartTimes
from dashboard.cli.worker import WorkerPart
from dashboard.db.database import Database
from dashboard.db.lists import versions
from dashboard.db.threads import threads
from dashboard.errors import StartError
from dashboard.services import Services
from dashboard.settings import Settings
from dashboard.web.application import create_app
from dashboard.web.http.metrics import Metrics, WorkerFiles
from dashboard.web.server import server
from dashboard.web.server.state import ServerState
from presence.errors import ShardsChanged

log = logging.getLogger(__name__)


@contextmanager
def open_web_services(settings: Settings) -> Iterator[Services]:
    """Opens the services of a web process for as long as the block runs, and starts an embedded
    Redis if none is configured. Raises StartError and StorageUnavailable."""
    with opened(settings, serving=True) as (database, redis_url):
        _keep_history_days(database, settings.history_days)
        services = Services(settings, redis_url)
        services.database = database
        adjust_clock(services)
        yield services


def _keep_history_days(database: Database, days: int) -> None:
    """Writes to SQL for how many days lists hold closed threads. The process that was started last
    decides for all processes."""
    with database.read() as connection:
        is_kept = versions.current(connection).history_days == days
    if not is_kept:
        database.write(lambda connection: versions.set_history_days(connection, days))


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
        ready=partial(_tell_ready, times, services.metrics, on_ready),
        stopping=background.stop_sockets,
        state=state,
        keepalive_seconds=services.settings.keepalive_seconds,
    )
    background.stop()
    return 0


def _tell_ready(times: StartTimes, metrics: Metrics, on_ready: Callable[[], object]) -> None:
    times.mark("application")
    metrics.start_seconds = times.seconds()
    times.log()
    on_ready()


def bring_order_to_date(services: Services) -> None:
    """Rebuilds the lists, with progress, if Redis has none or those of another database."""
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
