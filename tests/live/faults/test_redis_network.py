"""A network to Redis that is slow or loses packets, and a Redis that takes its time to start."""

import threading
import time
from collections.abc import Iterator

import pytest
import redis
import requests

from tests.conftest import MODES
from tests.drivers.lineup import LineupDriver
from tests.servers.lineup import LiveServer
from tests.servers.redis import RedisServer, start_redis
from tests.servers.redis_proxy import RedisProxy
from tests.support import wait_until

PLACE = ("arrival", "arrival")
RECOVERY_SECONDS = 10
pytestmark = pytest.mark.slow

#: The most connections to Redis that one process opens, listeners included.
CONNECTIONS_MAX = 110
#: Microseconds that a start waits at each key of its dump; it answers meanwhile.
SLOW_LOADING = (
    "--key-load-delay",
    "60000",
    "--loading-process-events-interval-bytes",
    "1024",
)


@pytest.fixture(params=MODES)
def proxied(request, tmp_path) -> Iterator[tuple[LineupDriver, RedisProxy]]:
    """A Lineup that reaches its Redis through a proxy."""
    redis_server = start_redis(tmp_path)
    proxy = RedisProxy(redis_server)
    url = f"sqlite:///{tmp_path / 'lineup.sqlite'}"
    try:
        with LiveServer(url, proxy.url, async_mode=request.param) as server:
            yield LineupDriver(server, redis_server), proxy
    finally:
        proxy.close()
        redis_server.close()


def metric(lineup: LineupDriver, name: str) -> float:
    text = requests.get(f"{lineup.server.url}/metrics", timeout=5).text
    [line] = [line for line in text.splitlines() if line.startswith(f"lineup_{name} ")]
    return float(line.split()[1])


def recovers(lineup, dashboard) -> None:
    """Checks that a new event reaches the dashboard, and that its list is SQL's."""
    lineup.say("recovered")
    wait_until(
        lambda: dashboard.ids(*PLACE) == lineup.in_sql(*PLACE),
        RECOVERY_SECONDS,
        "the dashboard's list being SQL's",
    )


def test_a_half_open_subscription_is_replaced(proxied):
    """F20: nothing comes on it, and nothing tells that it is gone."""
    lineup, proxy = proxied
    lineup.say("before")
    with lineup.dashboard() as dashboard:
        dashboard.open(*PLACE)
        wait_until(lambda: metric(lineup, "listener_receiving") == 1, what="notifications")
        before = metric(lineup, "listener_reconnects_total")
        assert proxy.freeze_subscriptions()
        wait_until(
            lambda: metric(lineup, "listener_reconnects_total") > before, 12, "a new connection"
        )
        wait_until(lambda: metric(lineup, "listener_receiving") == 1, 8, "notifications again")
        recovers(lineup, dashboard)


def test_a_slow_network_bounds_calls_and_piles_up_none(proxied):
    """F21: each packet takes longer than any call to Redis may."""
    lineup, proxy = proxied
    lineup.fill()
    with lineup.dashboard() as dashboard:
        dashboard.open(*PLACE)
        proxy.delay_seconds = 3.0
        slowest = 0.0
        for number in range(12):
            before = time.monotonic()
            lineup.say(f"slow-{number}")
            slowest = max(slowest, time.monotonic() - before)
        most = proxy.connections
        proxy.delay_seconds = 0.0
        assert slowest < 5, "nobody waits longer than a call to Redis may take"
        assert most <= CONNECTIONS_MAX, "calls pile up"
        recovers(lineup, dashboard)


@pytest.fixture(params=MODES)
def slowly_loading(request, tmp_path) -> Iterator[LineupDriver]:
    """A Lineup with a Redis that reads its dump slowly."""
    redis_server = RedisServer(tmp_path, *SLOW_LOADING).start()
    url = f"sqlite:///{tmp_path / 'lineup.sqlite'}"
    try:
        with LiveServer(url, redis_server.url, async_mode=request.param) as server:
            yield LineupDriver(server, redis_server)
    finally:
        redis_server.close()


def test_a_redis_that_is_loading_counts_as_away(slowly_loading):
    """F18: LOADING is an answer, but gives no data."""
    lineup = slowly_loading
    lineup.fill()
    client = lineup.redis.client(retry=None)
    with lineup.dashboard() as dashboard:
        dashboard.open(*PLACE)
        client.save()
        lineup.redis.kill()
        starting = threading.Thread(target=lineup.redis.start, args=[60])
        starting.start()
        wait_until(lambda: is_loading(client), what="LOADING")
        dashboard.wait_for("order:status", lambda data: data["late"], 10)
        id = lineup.say("while-loading")
        answer = dashboard.open(*PLACE)
        assert is_loading(client), "it took too long to see anything"
        assert (answer["late"], answer["ids"][0]) == (True, id)
        starting.join(60)
        wait_until(lambda: not is_loading(client), 60, "the end of loading")
        recovers(lineup, dashboard)
    assert not [line for line in lineup.server.log if "Traceback" in line]


def is_loading(client: redis.Redis) -> bool:
    try:
        client.get("anything")
    except redis.BusyLoadingError:
        return True
    except redis.ConnectionError:
        return False
    return False
