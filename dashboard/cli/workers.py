"""Several web processes on one port: started, restarted when one ends, and stopped together."""

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence

log = logging.getLogger(__name__)

#: Pause before a worker that ended is started again.
RESTART_SECONDS = 1.0
STOP_SECONDS = 10.0
CHECK_SECONDS = 0.2


class Workers:
    """Runs `count` processes of `command` with `--workers 1 --shared-port`.

    All use the Redis of this process: an embedded server belongs to one process.
    """

    def __init__(self, command: Sequence[str], count: int, redis_url: str):
        self._command = [sys.executable, *command, "--workers", "1", "--shared-port"]
        self._environment = {**os.environ, "LINEUP_REDIS_URL": redis_url}
        self._processes: list[subprocess.Popen[bytes] | None] = [None] * count
        self._due = [0.0] * count
        self._stopping = False

    def run(self) -> int:
        """Blocks until SIGTERM or SIGINT; the exit code 0."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._stop)
        while not self._stopping:
            for index, process in enumerate(self._processes):
                self._restart_if_ended(index, process)
            time.sleep(CHECK_SECONDS)
        self._end()
        return 0

    def _restart_if_ended(self, index: int, process: subprocess.Popen[bytes] | None) -> None:
        if process is not None and process.poll() is None:
            return
        now = time.monotonic()
        if process is not None:
            log.error("worker %d ended with %s and is started again", index, process.returncode)
            self._processes[index] = None
            self._due[index] = now + RESTART_SECONDS
        elif now >= self._due[index]:
            self._processes[index] = subprocess.Popen(self._command, env=self._environment)

    def _stop(self, *signal: object) -> None:
        self._stopping = True

    def _end(self) -> None:
        running = [process for process in self._processes if process is not None]
        for process in running:
            process.terminate()
        deadline = time.monotonic() + STOP_SECONDS
        while time.monotonic() < deadline and any(p.poll() is None for p in running):
            time.sleep(CHECK_SECONDS)
        for process in running:
            if process.poll() is None:
                process.kill()


def end_with_parent() -> None:
    """Ends this process within about a second of its parent's end, also after `kill -9`."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, daemon=True).start()
