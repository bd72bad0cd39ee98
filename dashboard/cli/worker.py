"""One of several web processes, as seen by the process that runs it, and by itself."""

import json
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class WorkerPart:
    """What a worker is given on its command line.

    `name` is its own among all workers of the server, also those that have ended; `folder` is
    shared by them; `listener` is the descriptor of the socket on the port, which all have; `parent`
    is the process that runs them, None where that is of an older version and does not say so.
    """

    name: str
    folder: str
    listener: int
    parent: int | None = None

    def to_option(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_option(cls, text: str) -> "WorkerPart":
        return cls(**json.loads(text))

    def announce(self) -> None:
        """The worker takes connections from now on, also where it cannot say so."""
        try:
            self.announcement.touch()
        except OSError as error:
            log.error("this worker cannot say that it is ready: %s", error)

    def withdraw(self) -> None:
        """The worker has ended: nobody asks any more whether it is ready."""
        with suppress(OSError):
            self.announcement.unlink()

    @property
    def announcement(self) -> Path:
        return Path(self.folder, f"ready-{self.name}")


class Worker:
    """A process of `command`. Raises OSError where it cannot be started."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], part: WorkerPart):
        self.part = part
        self._process = subprocess.Popen(
            [sys.executable, *command, "--workers", "1", "--worker", part.to_option()],
            env=environment,
            pass_fds=[part.listener],
        )
        self._deadline: float | None = None

    @property
    def name(self) -> str:
        return self.part.name

    @property
    def exit_code(self) -> int | None:
        """None while it runs."""
        return self._process.poll()

    def is_ready(self) -> bool:
        """Whether it takes connections."""
        return self.part.announcement.exists()

    def expect_within(self, seconds: float) -> None:
        """From now on `is_overdue` tells whether this time is over."""
        self._deadline = time.monotonic() + seconds

    @property
    def is_overdue(self) -> bool:
        return self._deadline is not None and time.monotonic() > self._deadline

    def stop(self, seconds: float) -> None:
        """Asks it to end, for which it has this time."""
        self.expect_within(seconds)
        self._process.terminate()

    def kill(self) -> None:
        self._process.kill()


def end_with_parent(part: WorkerPart) -> None:
    """Ends this process within about a second of its parent's end, also after `kill -9`.

    The parent says who it is: it may have ended before this process could ask.
    """
    parent = os.getppid() if part.parent is None else part.parent

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, daemon=True).start()
