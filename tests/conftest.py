"""What all tests may ask for: a clock, a database, and Redis of both kinds."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import fakeredis
import pytest
import redis
from hypothesis import HealthCheck, settings

from dashboard.store.database import Database
from dashboard.store.migrate import bring_to_head
from tests.redis_server import RedisServer, start_redis
from tests.support import SettableClock

settings.register_profile(
    "lineup", deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
settings.load_profile("lineup")

#: Tests that drive real processes are at the mercy of a shared machine, which may stand still for
#: seconds: what fails there is tried once more, and told of as a rerun. A real fault fails twice.
RERUN_MARKS = ("live", "browser")

#: Tests of real processes wait half of their time, so there are two workers more than cores.
WORKERS_MAX = 6

#: Rooms whose files take longest. They come first, so that no worker ends alone with one of them;
#: both together by name, so that those that wait run beside those that compute.
LONG_ROOMS = ("browser", "live")

ON_BOTH = [pytest.param("fake"), pytest.param("real", marks=pytest.mark.real_redis)]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: (item.path.parent.name not in LONG_ROOMS, item.path.name))
    for item in items:
        if any(item.get_closest_marker(mark) for mark in RERUN_MARKS):
            item.add_marker(pytest.mark.flaky(reruns=1))


def pytest_xdist_auto_num_workers() -> int:
    return min(WORKERS_MAX, (os.cpu_count() or 1) + 2)


@pytest.fixture
def clock() -> SettableClock:
    return SettableClock()


@pytest.fixture(scope="session")
def sqlite_at_head(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty SQLite database at head, to be copied."""
    path = tmp_path_factory.mktemp("sqlite") / "head.sqlite"
    database = Database(f"sqlite:///{path}")
    bring_to_head(database)
    database.close()
    return path


@pytest.fixture
def database(tmp_path: Path, sqlite_at_head: Path) -> Iterator[Database]:
    """An empty SQLite database at head."""
    opened = Database(f"sqlite:///{shutil.copy(sqlite_at_head, tmp_path / 'lineup.sqlite')}")
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    server = start_redis(tmp_path_factory.mktemp("redis"))
    yield server
    server.close()


@pytest.fixture(params=ON_BOTH)
def client(request: pytest.FixtureRequest) -> Iterator[redis.Redis]:
    """An empty Redis: fakeredis, and the same on a real server."""
    if request.param == "fake":
        yield fakeredis.FakeRedis()
        return
    real = request.getfixturevalue("redis_server").client()
    real.flushall()
    yield real
    real.close()
