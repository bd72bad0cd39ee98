"""Background work: the loop that every periodic task runs in, and the delays between retries."""

import logging
import random
import threading
import time
from collections.abc import Callable

log = logging.getLogger(__name__)

#: Pause after a failed step, if the task names none.
RETRY_SECONDS = 1.0

Seconds = float | Callable[[], float]


def _in_seconds(seconds: Seconds) -> float:
    return seconds if isinstance(seconds, float | int) else seconds()


class Backoff:
    """Delays between retries: they double from `first_seconds` up to `most_seconds`.

    With jitter, a delay is drawn evenly between zero and that bound ("full jitter"), so that
    clients that failed together do not return together. `draw()` gives a number in [0, 1).
    """

    def __init__(
        self,
        first_seconds: float,
        most_seconds: float,
        *,
        jitter: bool = True,
        draw: Callable[[], float] = random.random,
    ):
        self._first_seconds = first_seconds
        self._most_seconds = most_seconds
        self._jitter = jitter
        self._draw = draw
        self._failures = 0

    @classmethod
    def constant(cls, seconds: float) -> "Backoff":
        """Returns the same delay after each failure."""
        return cls(seconds, seconds, jitter=False)

    def next_seconds(self) -> float:
        """Returns the delay before the next try; call it once after each failure."""
        # The exponent is bounded: 2.0 ** 1024 does not fit into a float.
        bound = min(self._most_seconds, self._first_seconds * 2.0 ** min(self._failures, 64))
        self._failures += 1
        return bound * self._draw() if self._jitter else bound

    def reset(self) -> None:
        """Starts again from the first delay; call it after a success."""
        self._failures = 0


class PeriodicTask:
    """Runs `step` again and again until `stop`: at an interval, and earlier after `wake`.

    A failed step never ends the task: it is logged and tried again after a pause of `backoff`.
    Errors of the types in `expected` (Redis or SQL away) are logged in one line at
    `expected_level`, once until the step succeeds or fails otherwise; all others as errors with
    their trace.
    """

    def __init__(
        self,
        name: str,
        step: Callable[[], object],
        *,
        interval_seconds: Seconds,
        expected: tuple[type[Exception], ...] = (),
        expected_level: int = logging.WARNING,
        backoff: Backoff | None = None,
        least_seconds: Seconds = 0.0,
    ):
        """`interval_seconds` is the pause before each step, or a function that returns it; `wake`
        cuts it to `least_seconds`, or to what that returns."""
        self._name = name
        self._step = step
        self._interval_seconds = interval_seconds
        self._expected = expected
        self._expected_level = expected_level
        self._backoff = backoff or Backoff.constant(RETRY_SECONDS)
        self._least_seconds = least_seconds
        self._wake = threading.Event()
        self._stopped = threading.Event()
        #: The expected error that was logged last; empty after a step that succeeded.
        self._logged = ""

    @property
    def is_stopped(self) -> bool:
        """Whether `stop` was called; a long step checks it to end early."""
        return self._stopped.is_set()

    def run(self) -> None:
        """Blocks until `stop`; never raises. Run it in a thread (a green one if patched)."""
        self._wait()
        while not self.is_stopped:
            if self._succeeds():
                self._backoff.reset()
                self._wait()
            else:
                # Not cut short by `wake`: many events must not make many failing calls.
                self._stopped.wait(self._backoff.next_seconds())

    def start(self) -> None:
        """Runs in a daemon thread of its own."""
        threading.Thread(target=self.run, name=self._name, daemon=True).start()

    def wake(self) -> None:
        """Ends the pause before the next step."""
        self._wake.set()

    def stop(self) -> None:
        """Ends `run` after the current step."""
        self._stopped.set()
        self._wake.set()

    def _succeeds(self) -> bool:
        try:
            self._step()
        except self._expected as error:
            level = logging.DEBUG if str(error) == self._logged else self._expected_level
            log.log(level, "%s: %s", self._name, error)
            self._logged = str(error)
            return False
        except Exception:
            log.exception("%s failed", self._name)
            return False
        self._logged = ""
        return True

    def _wait(self) -> None:
        seconds, least = map(_in_seconds, (self._interval_seconds, self._least_seconds))
        if seconds > 0:
            if least:
                self._stopped.wait(min(seconds, least))
            self._wake.wait(max(0.0, seconds - least))
        else:
            # Event.wait(0) does not let other green threads run.
            time.sleep(0)
        self._wake.clear()


class RunsTask:
    """A worker with a task of its own, which its constructor makes."""

    _task: PeriodicTask

    def run(self) -> None:
        """Works until `stop`; never raises. Run it in a thread."""
        self._task.run()

    def wake(self) -> None:
        """Ends the pause before the next step: something has changed."""
        self._task.wake()

    def stop(self) -> None:
        """Ends `run` after the current step."""
        self._task.stop()
