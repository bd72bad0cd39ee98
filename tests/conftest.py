"""The fixtures of all tests: a clock, a database, and Redis of both kinds."""

import gc
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import fakeredis
import pytest
import redis
from hypothesis import HealthCheck, settings

from dashboard.db.database import Database
from dashboard.db.migrate import bring_to_head
from tests import compiled_once
from tests.servers.redis import RedisServer, start_redis
from tests.support import SettableClock

# `make test` takes the same few examples each time, so that a failure says what a change broke.
# `make test-all` looks for new ones (--hypothesis-profile=all) and prints how to repeat what fails.
COMMON = {"deadline": None, "suppress_health_check": [HealthCheck.function_scoped_fixture]}
settings.register_profile("gate", derandomize=True, max_examples=25, **COMMON)
settings.register_profile("all", print_blob=True, **COMMON)
settings.load_profile("gate")

compiled_once.install()

#: Tests of real processes wait half of their time, so there is one worker more than cores.
WORKERS_MAX = 6

#: Folders whose files take longest. They run first, so that no worker ends alone with one of them;
#: both together by name, so that tests that wait run beside tests that compute.
LONG_FOLDERS = {"browser", "live"}

#: The marks of all tests of a folder: what they need.
MARKS = {"live": ("live", "real_redis"), "browser": ("browser", "live", "real_redis")}

#: Allocations between two collections of cyclic garbage. By default a quarter of a worker's time
#: goes into looking through its modules again and again.
GC_THRESHOLDS = (100_000, 20, 20)

ROOT = Path(__file__).parent

#: The async modes of servers.
MODES = ("eventlet", "gevent")

ON_BOTH = [pytest.param("fake"), pytest.param("real", marks=pytest.mark.real_redis)]


class FailuresAtOnce:
    """Writes each failure when it happens: an aborted run never reaches its summary."""

    def __init__(self, config: pytest.Config):
        self._config = config

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            crash = getattr(report.longrepr, "reprcrash", None)
            why = str(crash.message).partition("\n")[0] if crash else ""
            reporter = self._config.pluginmanager.get_plugin("terminalreporter")
            reporter.write_line(f"\n{report.when} of {report.nodeid} failed: {why[:200]}")


def pytest_configure(config: pytest.Config) -> None:
    gc.set_threshold(*GC_THRESHOLDS)
    if hasattr(config, "workerinput"):
        return
    # Once, not in each worker: the tests use the bundles made of static/ as it is.
    subprocess.run(["node", "tools/bundle.mjs", "--if-changed"], cwd=ROOT.parent, check=True)
    if os.environ.get("CI"):
        config.pluginmanager.register(FailuresAtOnce(config))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(
        key=lambda item: (not LONG_FOLDERS & set(item.path.relative_to(ROOT).parts), item.path.name)
    )
    for item in items:
        for name in MARKS.get(item.path.relative_to(ROOT).parts[0], ()):
            item.add_marker(name)


def pytest_collection_finish() -> None:
    # Modules stay, so collections skip them from now on.
    gc.collect()
    gc.freeze()


def pytest_xdist_auto_num_workers() -> int:
    return min(WORKERS_MAX, (os.cpu_count() or 1) + 1)


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
