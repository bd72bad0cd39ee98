"""A Chromium that shows notifications."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Playwright

from tests.servers.chromium import PROGRAMS, launched


@pytest.fixture(scope="session")
def chromium(playwright: Playwright) -> Iterator[Browser]:
    with launched(playwright, names=PROGRAMS) as browser:
        yield browser
