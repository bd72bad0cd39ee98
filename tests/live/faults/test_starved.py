"""A worker that hardly ever runs builds its lists all the same (F51).

Its twin in the gate, with any number of builders, is tests/scoring/test_starved_rebuilding.py.
"""

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.drivers.lineup import THREADS, running_lineup
from tests.support import wait_until

pytestmark = pytest.mark.slow

#: The share of time for which it is stopped, and the length of one stop and one run together.
STOPPED, CYCLE_SECONDS = 0.99, 0.3
PATIENCE_SECONDS = 180


@contextmanager
def starved(pid: int) -> Iterator[None]:
    """Stops the process nearly all of the time."""
    is_over = threading.Event()

    def stop_and_go() -> None:
        while not is_over.is_set():
            os.kill(pid, signal.SIGSTOP)
            time.sleep(CYCLE_SECONDS * STOPPED)
            os.kill(pid, signal.SIGCONT)
            time.sleep(CYCLE_SECONDS * (1 - STOPPED))

    stopping = threading.Thread(target=stop_and_go)
    stopping.start()
    try:
        yield
    finally:
        is_over.set()
        stopping.join()


@pytest.mark.parametrize("async_mode", ["eventlet", "gevent"])
def test_a_worker_that_runs_one_hundredth_of_the_time_builds_lost_lists(tmp_path, async_mode):
    with running_lineup(tmp_path, async_mode=async_mode) as lineup:
        lineup.fill()
        client = lineup.redis.client()
        key = "{lineup:arrival}|arrival"
        wait_until(lambda: client.zcard(key) == THREADS, what="the first lists")
        with starved(lineup.server.process.pid):
            client.flushall()
            wait_until(lambda: client.zcard(key) == THREADS, PATIENCE_SECONDS, "the lists")
