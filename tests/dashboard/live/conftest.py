"""The fixtures of the tests of pushed lists."""

import pytest

from tests.dashboard.live.driver import BroadcasterDriver


@pytest.fixture
def driver(client) -> BroadcasterDriver:
    return BroadcasterDriver(client)
