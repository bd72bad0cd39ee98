"""Runs several web processes on one port: starts, restarts, replaces and stops them."""

import itertools
import logging
import os
import signal
import socket
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from dashboard.cli.worker import Worker, WorkerPart
from dashboard.web.http.metrics.worker_files import EndedWorkers

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
        # Removed at the end: no numbers of another start may be left in it.
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
    """Starts workers that run `command`.

    All use the Redis of this process: an embedded server belongs to one process.
    """
    environment = {**os.environ, "LINEUP_REDIS_URL": redis_url}
    return lambda part: Worker(command, environment, part)
