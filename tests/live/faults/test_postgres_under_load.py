"""PostgreSQL fails under load: nothing lost, nothing doubled, and the server goes on."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from tests.conftest import MODES
from tests.live.cluster.recovery import WatchedPeople
from tests.live.faults.scene import Scene
from tests.servers.postgres import PostgresServer, running_postgres
from tests.servers.redis import start_redis
from tests.support import wait_until

pytestmark = [pytest.mark.postgres, pytest.mark.slow]
#: Longer than the server waits for a database that does not answer.
STOPPED_SECONDS = 20
#: Interval of the server's own checks of its storage, which do not wait for PostgreSQL.
ALIVE_SECONDS = 2


@pytest.fixture(scope="module")
def own_postgres() -> Iterator[PostgresServer]:
    """A server that these tests alone use, and may stop."""
    with running_postgres() as server:
        yield server


@pytest.fixture(params=MODES)
def scene(request, tmp_path, own_postgres) -> Iterator[Scene]:
    redis_server = start_redis(tmp_path)
    opened = Scene(own_postgres.new_database(), redis_server, request.param)
    yield opened
    opened.close()
    redis_server.close()


def test_postgres_restarts_under_load(scene, own_postgres):
    """Connections are checked before use, and whole transactions are repeated. (F30)"""
    scene.under_load(own_postgres.restart)
    scene.check_nothing_is_lost()


def test_presence_is_announced_once_while_postgres_restarts(scene, own_postgres):
    """People leave meanwhile. (F30)"""
    people = WatchedPeople(scene)

    def restart() -> None:
        with ThreadPoolExecutor() as beside:
            restarting = beside.submit(own_postgres.restart)
            people.half_leave()
            restarting.result()

    scene.under_load(restart)
    people.check_each_was_shown_once()
    scene.check_nothing_is_lost()


def test_postgres_is_stopped_under_load(scene, own_postgres):
    """Calls end, and the event loop goes on meanwhile. (F35)"""
    slowest = 0.0

    def stop() -> None:
        nonlocal slowest
        with own_postgres.stopped():
            until = time.monotonic() + STOPPED_SECONDS
            while time.monotonic() < until:
                before = time.monotonic()
                assert requests.get(f"{scene.server.url}/healthz", timeout=10).status_code == 200
                slowest = max(slowest, time.monotonic() - before)

    scene.under_load(stop)
    scene.check_nothing_is_lost()
    assert slowest < ALIVE_SECONDS
    ready = f"{scene.server.url}/readyz"
    wait_until(lambda: requests.get(ready, timeout=10).status_code == 200, what="being ready")
