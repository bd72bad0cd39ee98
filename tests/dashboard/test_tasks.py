"""Background loops: interval, wake, failure and stop; and the delays between retries."""

import logging
import threading
import time

import pytest

from dashboard.tasks import Backoff, PeriodicTask
from tests.support import wait_until


class Steps:
    """A step that counts its runs, raises what it is given, and stops its task after `last`."""

    def __init__(self, last: int, errors: tuple[Exception | None, ...] = ()):
        self.last = last
        self.errors = list(errors)
        self.count = 0
        self.task: PeriodicTask | None = None

    def __call__(self) -> None:
        self.count += 1
        if self.count >= self.last and self.task is not None:
            self.task.stop()
        if self.errors and (error := self.errors.pop(0)) is not None:
            raise error

    def run(self, **options) -> None:
        self.task = PeriodicTask("a task", self, **{"interval_seconds": 0.0} | options)
        self.task.run()


def test_a_step_runs_until_stop():
    steps = Steps(3)
    steps.run()
    assert steps.count == 3


def test_a_failed_step_is_logged_and_tried_again(caplog):
    steps = Steps(3, (ValueError("broken"),))
    steps.run(backoff=Backoff.constant(0.001))
    assert steps.count == 3
    (record,) = caplog.records
    assert record.levelno == logging.ERROR and record.exc_info is not None


def test_an_expected_error_is_one_line_without_a_trace(caplog):
    steps = Steps(2, (OSError("Redis is away"),))
    steps.run(expected=(OSError,), backoff=Backoff.constant(0.001))
    (record,) = caplog.records
    assert record.getMessage() == "a task: Redis is away"
    assert record.levelno == logging.WARNING and record.exc_info is None


def test_an_expected_error_that_lasts_is_logged_once_until_it_ends(caplog):
    """F73: what waits for the database is one line, not one each second."""
    away, full = OSError("away"), OSError("full")
    steps = Steps(6, (away, away, full, full, None, full))
    steps.run(expected=(OSError,), backoff=Backoff.constant(0.001))
    warnings = [r.getMessage() for r in caplog.records if r.levelno == logging.WARNING]
    assert warnings == ["a task: away", "a task: full", "a task: full"]


def test_the_backoff_starts_again_after_a_success():
    backoff = Backoff(0.001, 0.002, jitter=False)
    Steps(3, (ValueError(), ValueError(), None)).run(backoff=backoff)
    assert backoff.next_seconds() == 0.001


def test_wake_ends_the_pause():
    steps = Steps(2)
    steps.task = PeriodicTask("a task", steps, interval_seconds=60.0)
    thread = threading.Thread(target=steps.task.run, daemon=True)
    thread.start()
    assert steps.count == 0
    deadline = time.monotonic() + 5
    while thread.is_alive() and time.monotonic() < deadline:
        steps.task.wake()
        thread.join(0.01)
    assert steps.count == 2


def test_wake_does_not_end_the_shortest_pause():
    steps = Steps(1)
    steps.task = PeriodicTask("a task", steps, interval_seconds=90.0, least_seconds=60.0)
    thread = threading.Thread(target=steps.task.run, daemon=True)
    thread.start()
    steps.task.wake()
    thread.join(0.2)
    assert steps.count == 0, "woken, and yet it waits"
    steps.task.stop()
    thread.join(60)
    assert not thread.is_alive() and steps.count == 0


def test_stop_ends_the_pause_after_a_failure():
    steps = Steps(1, (ValueError(),))
    task = PeriodicTask(
        "a task",
        steps,
        interval_seconds=0.0,
        backoff=Backoff.constant(60.0),
        expected=(ValueError,),
    )
    thread = threading.Thread(target=task.run, daemon=True)
    thread.start()
    wait_until(lambda: steps.count, what="the first step")
    task.stop()
    thread.join(60)
    assert not thread.is_alive() and steps.count == 1


def test_the_interval_may_be_a_function():
    intervals = []

    def interval() -> float:
        intervals.append(0.001)
        return intervals[-1]

    Steps(3).run(interval_seconds=interval)
    # Before each step, and once after the last, where the stopped task does not wait.
    assert len(intervals) == 4


@pytest.mark.parametrize("failures, bound", [(0, 0.1), (1, 0.2), (5, 3.2), (6, 5.0), (2000, 5.0)])
def test_delays_double_up_to_the_longest(failures, bound):
    backoff = Backoff(0.1, 5.0, jitter=False)
    for _ in range(failures):
        backoff.next_seconds()
    assert backoff.next_seconds() == pytest.approx(bound)


def test_jitter_draws_between_zero_and_the_bound():
    draws = iter((0.0, 0.5, 0.999))
    backoff = Backoff(1.0, 1.0, draw=lambda: next(draws))
    assert [backoff.next_seconds() for _ in range(3)] == [0.0, 0.5, 0.999]
