"""Workers and Redis are killed while views are saved, edited, deleted and filled: all is exact."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.live.faults.changing_views import EXACT_SECONDS, go_through
from tests.live.faults.scene import Scene
from tests.servers.redis import start_redis
from tests.support import wait_until

pytestmark = pytest.mark.slow


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    redis_server = start_redis(tmp_path)
    url = f"sqlite:///{tmp_path / 'lineup.sqlite'}"
    opened = Scene(url, redis_server, "eventlet", workers=2)
    yield opened
    opened.close()
    redis_server.close()


def test_views_survive_the_death_of_a_worker_and_of_redis(scene):
    """F1 and F50 while views are changed and their lists are built. (H32)"""
    go_through(scene, [_kill_a_worker, _kill_redis])


@pytest.mark.slow
def test_views_survive_twenty_deaths(scene):
    """F1 and F50, twenty times."""
    go_through(scene, [_kill_a_worker, _kill_redis] * 10)


def _kill_a_worker(scene: Scene) -> None:
    def both_serve() -> bool:
        """Whether each killed worker is back."""
        log = "\n".join(scene.server.log)
        return log.count("Lineup is at") - log.count("is started again") >= 2

    wait_until(both_serve, EXACT_SECONDS, "both workers")
    os.kill(scene.server.worker_pids()[0], signal.SIGKILL)


def _kill_redis(scene: Scene) -> None:
    scene.redis.kill()
    scene.redis.start()
