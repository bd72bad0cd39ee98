"""A real Chromium, and real servers to look at."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Playwright, sync_playwright

from tests.browser.states import prepare
from tests.drivers.browser import BrowserDriver
from tests.drivers.lineup import LineupDriver
from tests.servers.chromium import launched
from tests.servers.lineup import LiveServer
from tests.servers.redis import RedisServer, start_redis

ServerMaker = Callable[..., LiveServer]


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="session")
def chromium(playwright: Playwright) -> Iterator[Browser]:
    with launched(playwright) as browser:
        yield browser


@pytest.fixture(autouse=True)
def close_windows(chromium: Browser) -> Iterator[None]:
    """Closes windows that a failed test left open; they would slow down the tests after it."""
    yield
    for context in chromium.contexts:
        context.close()


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
def lineup(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LineupDriver]:
    """One server for all tests that can share it: t-0, t-1, … wait, and `prepare` adds one more."""
    folder = tmp_path_factory.mktemp("lineup")
    redis = start_redis(folder)
    with LiveServer(f"sqlite:///{folder / 'lineup.sqlite'}", redis.url) as server:
        made = LineupDriver(server)
        made.fill()
        prepare(made)
        yield made
        made.disconnect()
    redis.close()


@pytest.fixture
def browser(chromium: Browser, lineup: LineupDriver) -> Iterator[BrowserDriver]:
    """Mai's window; no script of it may fail."""
    made = BrowserDriver(chromium, lineup.server, lineup.mai_email)
    made.page.wait_for_selector(".row:not(.skeleton)")
    yield made
    made.close()
    assert made.errors == []
