"""Faults under load: nothing lost, nothing doubled, the order exact everywhere at the end."""

import os
import signal
import threading
import time
from collections.abc import Iterator

import pytest
import requests
from sqlalchemy import select

from dashboard.db.database import Database
from dashboard.db.models.threads import events
from tests.conftest import MODES
from tests.live.faults.scene import RECOVERY_SECONDS, Scene
from tests.servers.redis import start_redis
from tests.support import wait_until

pytestmark = pytest.mark.slow


@pytest.fixture(params=MODES)
def scene(request, tmp_path) -> Iterator[Scene]:
    redis_server = start_redis(tmp_path)
    opened = Scene(f"sqlite:///{tmp_path / 'lineup.sqlite'}", redis_server, request.param)
    yield opened
    opened.close()
    redis_server.close()


def test_flushall_under_load_loses_nothing(scene):
    scene.under_load(lambda: scene.redis.client().flushall())
    scene.check_nothing_is_lost()


def test_redis_killed_and_started_empty_under_load(scene):
    def kill_and_start() -> None:
        scene.redis.kill()
        wait_until(scene.is_late, RECOVERY_SECONDS, "the order:status")
        scene.redis.start()

    scene.under_load(kill_and_start)
    scene.check_nothing_is_lost()
    wait_until(lambda: not scene.is_late(), RECOVERY_SECONDS, "the order:status")


def test_events_are_accepted_within_5_seconds_while_redis_is_away(scene):
    scene.redis.kill()
    slowest = 0.0
    for _ in range(20):
        before = time.monotonic()
        scene.sender.post_random(1)
        slowest = max(slowest, time.monotonic() - before)
    assert slowest < 5, "no request waits for a Redis that is away"
    scene.redis.start()
    scene.check_nothing_is_lost()


@pytest.mark.parametrize("mode", MODES)
def test_a_worker_that_the_system_kills_is_started_again(mode, tmp_path, empty_url):
    """As the kernel does when memory is short; the other worker goes on meanwhile. (F50)"""
    redis_server = start_redis(tmp_path)
    scene = Scene(empty_url, redis_server, mode, workers=2)
    killed, other = scene.server.worker_pids()
    scene.under_load(lambda: os.kill(killed, signal.SIGKILL))
    scene.connect_again()
    scene.check_nothing_is_lost()
    restarted = wait_until(lambda: set(scene.server.worker_pids()) - {killed, other})
    assert len(restarted) == 1
    scene.close()
    redis_server.close()


def test_a_server_killed_between_commit_and_placing(scene):
    """A stopped Redis holds the server between the two; then the server is killed."""
    before = scene.server.port
    scene.redis.pause()
    event = scene.sender.event()
    posting = threading.Thread(target=_post_and_ignore, args=[scene, event])
    posting.start()
    wait_until(lambda: _is_stored(scene.database, event["id"]), 10, "the event being committed")
    scene.server.kill()
    posting.join(20)
    scene.redis.resume()
    scene.server.port = before
    scene.server.start()
    for dashboard in scene.dashboards:
        dashboard.connect()
    scene.sender.post([event])
    scene.check_nothing_is_lost()


def _post_and_ignore(scene: Scene, event: dict) -> None:
    bot = scene.sender._session
    try:
        bot.post(f"{scene.server.url}/api/v1/events", json=event, timeout=15)
    except requests.RequestException:
        return


def _is_stored(database: Database, external_id: str) -> bool:
    with database.read() as connection:
        query = select(events.c.id).where(events.c.external_id == external_id)
        return connection.scalar(query) is not None
