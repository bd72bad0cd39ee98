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
    """The values that a worker gets on its command line.

    `name` is unique among all workers of the server, including ended ones; `folder` is shared by
    them; `listener` is the descriptor of the socket on the port, which all have; `parent` is the id
    of the process that runs them, None if that has an older version, which does not pass it.
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
        """Marks the worker as taking connections; a failure to write the mark is only logged."""
        try:
            self.announcement.touch()
        except OSError as error:
            log.error("this worker cannot say that it is ready: %s", error)

    def withdraw(self) -> None:
        """Removes the mark of an ended worker: nobody asks again whether it is ready."""
        with suppress(OSError):
            self.announcement.unlink()

    @property
    def announcement(self) -> Path:
        return Path(self.folder, f"ready-{self.name}")


class Worker:
    """A process that runs `command`. Raises OSError if it cannot be started."""

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
        """The exit code; None while the process runs."""
        return self._process.poll()

    def is_ready(self) -> bool:
        """Whether the worker takes connections."""
        return self.part.announcement.exists()

    def expect_within(self, seconds: float) -> None:
        """Sets the time after which `is_overdue` is true."""
        self._deadline = time.monotonic() + seconds

    @property
    def is_overdue(self) -> bool:
        return self._deadline is not None and time.monotonic() > self._deadline

    def stop(self, seconds: float) -> None:
        """Asks the worker to end within this time."""
        self.expect_within(seconds)
        self._process.terminate()

    def kill(self) -> None:
        self._process.kill()


def end_with_parent(part: WorkerPart) -> None:
    """Ends this process within about a second of its parent's end, also after `kill -9`.

    The parent passes its id: it may have ended before this process could ask for it.
    """
    parent = os.getppid() if part.parent is None else part.parent

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, daemon=True).start()
