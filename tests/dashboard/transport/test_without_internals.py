"""A served dashboard works when Socket.IO or redis-py lack undocumented names."""

import sys

import pytest

from tests.drivers.lineup import LineupDriver
from tests.servers import lineup
from tests.servers.lineup import LiveServer
from tests.support import wait_until

pytestmark = [pytest.mark.live, pytest.mark.real_redis, pytest.mark.slow]
COMMAND = (sys.executable, "-m", "tests.dashboard.transport.app_without_internals")


@pytest.mark.parametrize("async_mode", ["eventlet", "gevent"])
def test_lists_are_pushed_without_undocumented_names(
    tmp_path, redis_server, monkeypatch, async_mode
):
    monkeypatch.setattr(lineup, "COMMAND", COMMAND)
    redis_server.client().flushall()
    url = f"sqlite:///{tmp_path / 'lineup.sqlite'}"
    with LiveServer(url, redis_server.url, async_mode=async_mode) as server:
        driver = LineupDriver(server, redis_server)
        with driver.dashboard() as dashboard:
            dashboard.open("arrival", "arrival")
            # A second frame comes only after the first was acknowledged.
            for number in range(3):
                id = driver.say(f"thread-{number}")
                wait_until(lambda id=id: id in dashboard.ids("arrival", "arrival"), 15, "the frame")
        lines = [line for line in server.log if "lacks" in line]
        assert len(lines) == 2 and all("renamed" in line for line in lines), lines
