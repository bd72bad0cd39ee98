"""The command `serve`: one web process, or several on one port and the parent that keeps them."""

import importlib
import itertools
import logging
import os
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from dashboard import logs
from dashboard.cli.context import opened, read_settings
from dashboard.cli.params import HOST_OPTION, PORT_OPTION, command
from dashboard.cli.starting import Address, StartTimes, announce
from dashboard.cli.worker import Worker, WorkerPart, end_with_parent
from dashboard.errors import StartError
from dashboard.settings import Settings
from dashboard.web.http.metrics import EndedWorkers
from dashboard.web.http.origins import insecure_origins
from dashboard.web.server import server

log = logging.getLogger(__name__)

#: Pause before a worker that has ended is started again.
RESTART_SECONDS = 1.0
#: Longest time until a worker that replaces another one accepts connections.
START_SECONDS = 120.0
#: Longest time for a worker to end; more than it gives its sockets and its requests.
STOP_SECONDS = 30.0
CHECK_SECONDS = 0.2

#: Starts the worker for this part. Raises OSError.
Start = Callable[[WorkerPart], Worker]


@dataclass(eq=False)
class _Place:
    """The place of one worker that should always run; `due`: its start time if none runs."""

    worker: Worker | None = None
    due: float = 0.0


class Workers:
    """Keeps `count` workers running, which accept from one queue.

    All inherit `listener`, and this process holds it: connections that arrive while a worker is
    replaced are served by another one. A queue of the worker's own would be reset with it. The
    first ready worker starts listening: before, nobody would answer.
    """

    def __init__(
        self,
        start: Start,
        count: int,
        listener: socket.socket,
        monotonic: Callable[[], float] = time.monotonic,
    ):
        self._start_worker = start
        self._listener = listener
        self._monotonic = monotonic
        self._numbers = itertools.count(1)
        self._places = [_Place() for _ in range(count)]
        #: The places of the workers to replace, and the new worker that starts for the first one.
        self._to_replace: list[_Place] = []
        self._successor: Worker | None = None
        self._leaving: list[Worker] = []
        self._stops = 0
        self._share(Path())

    def run(self) -> int:
        """Blocks until SIGTERM or SIGINT; returns the exit code 0. SIGHUP replaces all workers."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._stop)
        # In a terminal, SIGHUP means that the terminal was closed.
        signal.signal(signal.SIGHUP, self._stop if os.isatty(0) else self._replace_all)
        # Removed at the end, so that it never holds metrics of an earlier start.
        with tempfile.TemporaryDirectory(
            prefix="lineup-workers-", ignore_cleanup_errors=True
        ) as folder:
            self._share(Path(folder))
            while not self._stops:
                self.look()
                time.sleep(CHECK_SECONDS)
            self._end()
        return 0

    def look(self) -> None:
        """Starts due workers, continues a replacement, and cleans up after ended workers."""
        self._ended.keep()
        self._reap()
        self._go_on_replacing()
        for place in self._places:
            self._restart_if_ended(place)

    def _share(self, folder: Path) -> None:
        """Sets the folder that all workers started from now on share."""
        self._folder = folder
        self._ended = EndedWorkers(folder, self._monotonic)

    def _stop(self, *signal: object) -> None:
        self._stops += 1

    def _replace_all(self, *signal: object) -> None:
        # If a replacement is under way, it begins again with the workers that run then.
        self._to_replace = self._to_replace[:1] * bool(self._successor) + self._places

    def _started(self) -> Worker | None:
        name, listener = str(next(self._numbers)), self._listener.fileno()
        part = WorkerPart(name, str(self._folder), listener, os.getpid())
        try:
            return self._start_worker(part)
        except OSError as error:
            log.error("a worker cannot be started: %s", error)
            return None

    def _restart_if_ended(self, place: _Place) -> None:
        worker = place.worker
        if worker is not None and worker.exit_code is None:
            return
        now = self._monotonic()
        if worker is not None:
            log.error("worker %s ended with %s and is replaced", worker.name, worker.exit_code)
            place.worker, place.due = None, now + RESTART_SECONDS
            self._take_leave_of(worker)
        elif now >= place.due and not (self._successor and place is self._to_replace[0]):
            place.worker, place.due = self._started(), now + RESTART_SECONDS

    def _go_on_replacing(self) -> None:
        """Replaces one worker after the other: the new one is ready before the old one stops."""
        worker = self._successor
        if worker is None:
            if self._to_replace and not self._leaving:
                self._begin_replacement()
        elif worker.is_ready():
            place = self._to_replace.pop(0)
            old, place.worker, self._successor = place.worker, worker, None
            if old is not None:
                log.info("worker %s takes over from %s", worker.name, old.name)
                old.stop(STOP_SECONDS)
                self._leaving.append(old)
        elif worker.exit_code is not None or worker.is_overdue:
            self._give_up_replacing(worker)

    def _begin_replacement(self) -> None:
        worker = self._started()
        if worker is None:
            self._to_replace.clear()
            return
        worker.expect_within(START_SECONDS)
        self._successor = worker

    def _give_up_replacing(self, worker: Worker) -> None:
        log.error("worker %s does not start: the others go on, and are not replaced", worker.name)
        self._to_replace.clear()
        self._successor = None
        if worker.exit_code is None:
            worker.kill()
        self._leaving.append(worker)

    def _reap(self) -> None:
        for worker in tuple(self._leaving):
            if worker.exit_code is not None:
                self._leaving.remove(worker)
                self._take_leave_of(worker)
            elif worker.is_overdue:
                log.error("worker %s did not end in time and is killed", worker.name)
                worker.kill()

    def _take_leave_of(self, worker: Worker) -> None:
        self._ended.add(worker.name)
        worker.part.withdraw()

    def _end(self) -> None:
        """Stops all workers. A second signal, or the end of their time, kills those that hang."""
        # From here on the last worker that closes the listener serves the connections in its queue.
        self._listener.close()
        mine = [self._successor, *self._leaving, *(place.worker for place in self._places)]
        running = [worker for worker in mine if worker is not None and worker.exit_code is None]
        for worker in running:
            worker.stop(STOP_SECONDS)
        deadline = self._monotonic() + STOP_SECONDS
        while self._stops < 2 and self._monotonic() < deadline:
            # Ask every worker, also those behind one that hangs: this reaps the ended processes.
            running = [worker for worker in running if worker.exit_code is None]
            if not running:
                return
            time.sleep(CHECK_SECONDS)
        for worker in running:
            worker.kill()


def starter(command: Sequence[str], redis_url: str) -> Start:
    """Returns a function that starts a worker, which runs `command`.

    All use the Redis of this process: an embedded server belongs to one process.
    """
    environment = {**os.environ, "LINEUP_REDIS_URL": redis_url}
    return lambda part: Worker(command, environment, part)


WORKERS_MAX = 64


@command("serve", example="serve --port 8000 --workers 2")
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
    # The parent of several workers serves nothing itself.
    web = importlib.import_module("dashboard.cli.web_process") if workers == 1 else None
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

    if web is None:
        return _run_workers(settings, address, workers)
    with web.open_web_services(settings) as services:
        times.mark("database and Redis")
        return int(web.run_web_process(services, address, ready, part, times))


def _run_workers(settings: Settings, address: Address, count: int) -> int:
    """Keeps the workers running, with a Redis for all of them if none is configured."""
    with (
        opened(settings, serving=True) as (_, redis_url),
        # The first worker that is ready listens: before that a proxy asks another server.
        server.bind(address.host, address.port) as listener,
    ):
        return Workers(starter(sys.argv, redis_url), count, listener).run()


def warn_of_plain_http(origins: Iterable[str]) -> None:
    """Logs which functions do not work, and which are unsafe, under addresses without https."""
    for origin in insecure_origins(origins):
        log.warning(
            "LINEUP_ORIGINS has %s, which is not https: others on the network can read passwords "
            "and sessions, and browsers show no notifications and lose drafts and unsent replies "
            "when the page is closed",
            origin,
        )
