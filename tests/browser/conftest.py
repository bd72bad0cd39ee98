"""A real Chromium, and real servers to look at."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser.desk import Desk
from tests.browser.stage import Stage
from tests.browser.states import prepare
from tests.live_server import LiveServer
from tests.redis_server import RedisServer, start_redis

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
#: A closed network: Chromium must not look for its maker's hosts.
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

ServerMaker = Callable[..., LiveServer]


def program() -> str | None:
    """Where Chromium is."""
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    if program() is None:
        reason = f"none of {', '.join(PROGRAMS)} on the PATH"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program(), args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def own_redis(tmp_path: Path) -> Iterator[RedisServer]:
    """A Redis that this test alone uses, and may kill."""
    server = start_redis(tmp_path)
    yield server
    server.close()


@pytest.fixture
def start_server(tmp_path: Path, own_redis: RedisServer) -> Iterator[ServerMaker]:
    """Starts servers on one database and one Redis; they end with the test."""
    started: list[LiveServer] = []

    def start(async_mode: str = "eventlet", **options) -> LiveServer:
        url = f"sqlite:///{tmp_path / 'lineup.sqlite'}"
        server = LiveServer(url, own_redis.url, async_mode=async_mode, **options)
        started.append(server)
        return server.start()

    yield start
    for server in started:
        server.stop()


@pytest.fixture(scope="session")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """One server for all tests that can share it: t-0, t-1, … wait, and one is shown."""
    folder = tmp_path_factory.mktemp("stage")
    redis = start_redis(folder)
    with LiveServer(f"sqlite:///{folder / 'lineup.sqlite'}", redis.url) as server:
        made = Stage(server)
        made.post(*[made.message(name) for name in made.names])
        prepare(made)
        yield made
        made.end()
    redis.close()


@pytest.fixture
def desk(chromium: Browser, stage: Stage) -> Iterator[Desk]:
    """Mai's window; no script of it may fail."""
    made = Desk(chromium, stage.server, stage.mai)
    made.page.wait_for_selector(".row:not(.skeleton)")
    yield made
    made.close()
    assert made.errors == []
