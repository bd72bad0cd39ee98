"""Faults under load: nothing lost, nothing doubled, the order exact everywhere at the end."""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import requests
from sqlalchemy import select

from dashboard.store import threads
from dashboard.store.database import Database
from dashboard.store.models import events
from tests.live.dashboard import Dashboard
from tests.live.replay import Replay
from tests.live_server import LiveServer
from tests.redis_server import RedisServer, start_redis
from tests.sender import Sender
from tests.support import wait_until

pytestmark = [pytest.mark.live, pytest.mark.real_redis]

THREADS = 120
LISTS = ("arrival/arrival", "not_respond/longest_wait", "history/priority")
#: From the end of the fault until all is well.
HEAL_SECONDS = 10


class Scene:
    """A server under load, with dashboards on several lists."""

    def __init__(self, folder: Path, redis_server: RedisServer, async_mode: str):
        self.redis = redis_server
        self.database_url = f"sqlite:///{folder / 'lineup.sqlite'}"
        self.server = LiveServer(self.database_url, redis_server.url, async_mode=async_mode)
        self.server.start()
        self.replay = Replay()
        self.database = Database(self.database_url)
        session = self.server.sign_in(self.server.create_admin())
        self.dashboards = [
            Dashboard(self.server, session, self.replay, list, f"d{number}")
            for number, list in enumerate(LISTS)
        ]
        self.sender = Sender(self.server.bot(self.server.create_key()), self.server.url, THREADS)
        self.sender.fill()
        for dashboard in self.dashboards:
            dashboard.connect()

    def under_load(self, fault: Callable[[], object], events: int = 300) -> None:
        """Does something to the desk while events come in."""
        failures: list[BaseException] = []

        def send() -> None:
            try:
                self.sender.post_random(events, batch=5)
            except BaseException as error:
                failures.append(error)

        sending = threading.Thread(target=send)
        sending.start()
        fault()
        sending.join(60)
        assert not sending.is_alive(), "the sender is stuck"
        assert not failures, failures

    def check_all_is_well(self) -> None:
        """O1 to O4 and O6: each event once in SQL, and the same order everywhere."""
        with self.database.read() as connection:
            stored = list(connection.scalars(select(events.c.external_id)))
        assert len(stored) == len(set(stored))
        assert set(self.sender.accepted) <= set(stored), "an acknowledged event is lost"
        for dashboard, list_name in zip(self.dashboards, LISTS, strict=True):
            wait_until(
                lambda dashboard=dashboard, name=list_name: dashboard.entries() == self._sql(name),
                HEAL_SECONDS,
                f"the dashboard's {list_name} being SQL's",
            )
        wait_until(self._totals_are_right, HEAL_SECONDS, "the totals being right")
        # Last, for each try starts a process.
        wait_until(self._is_in_order, HEAL_SECONDS, "the order being right again")

    def close(self) -> None:
        for dashboard in self.dashboards:
            dashboard.close()
        self.server.stop()
        self.replay.close()
        self.database.close()

    def _is_in_order(self) -> bool:
        try:
            return "same order" in self.server.command("check")
        except AssertionError:
            return False

    def _sql(self, list_name: str) -> list[tuple[int, int]]:
        page, sort = list_name.split("/")
        with self.database.read() as connection:
            return [tuple(e) for e in threads.listed(connection, page, "all", None, sort, 500)]

    def _totals_are_right(self) -> bool:
        with self.database.read() as connection:
            wanted = threads.totals(connection)
        pages = ("arrival", "not_respond", "history")
        return all(
            dashboard.totals.get(page) == wanted.get(page, 0)
            for dashboard in self.dashboards
            for page in pages
        )


@pytest.fixture(params=["eventlet", "gevent"])
def scene(request, tmp_path) -> Iterator[Scene]:
    redis_server = start_redis(tmp_path)
    opened = Scene(tmp_path, redis_server, request.param)
    yield opened
    opened.close()
    redis_server.close()


def test_f6_flushall_under_load_is_a_non_event(scene):
    scene.under_load(lambda: scene.redis.client().flushall())
    scene.check_all_is_well()


def test_f1_redis_killed_and_back_empty_under_load(scene):
    def kill_and_start() -> None:
        scene.redis.kill()
        wait_until(lambda: scene.dashboards[0].late, HEAL_SECONDS, "dashboards being told")
        scene.redis.start()

    scene.under_load(kill_and_start)
    scene.check_all_is_well()
    wait_until(lambda: scene.dashboards[0].late is False, HEAL_SECONDS, "dashboards being told")


def test_f2_events_are_taken_fast_while_redis_is_away(scene):
    scene.redis.kill()
    slowest = 0.0
    for _ in range(20):
        before = time.monotonic()
        scene.sender.post_random(1)
        slowest = max(slowest, time.monotonic() - before)
    assert slowest < 5, "nobody may wait for a Redis that is away"
    scene.redis.start()
    scene.check_all_is_well()


def test_f39_killed_between_commit_and_placing(scene):
    """A stopped Redis holds the server exactly there; then the server dies."""
    before = scene.server.port
    scene.redis.pause()
    event = scene.sender.event()
    posting = threading.Thread(target=_post_and_ignore, args=[scene, event])
    posting.start()
    wait_until(lambda: _is_stored(scene.database, event["id"]), 10, "the event being committed")
    scene.server.kill()
    posting.join(20)
    for dashboard in scene.dashboards:
        dashboard.client = None
    scene.redis.resume()
    scene.server.port = before
    scene.server.start()
    for dashboard in scene.dashboards:
        dashboard.connect()
    scene.sender.post([event])
    scene.check_all_is_well()


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
