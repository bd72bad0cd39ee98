"""The probes tell which services are there and which are away, and count requests and events."""

import fakeredis
import pytest

from dashboard.web.application import create_app
from dashboard.web.gauges import watch_process
from presence.people import Connection
from tests.drivers.application import ApplicationDriver
from tests.drivers.bot import message
from tests.services import services_over


def test_the_process_is_alive(bot):
    assert bot.http.get("/healthz").status_code == 200


def test_all_is_ready(bot):
    answer = bot.http.get("/readyz")
    assert answer.status_code == 200
    assert answer.json == {"status": "ok", "sql": "ok", "redis": "ok"}


def test_without_redis_it_is_ready_still(bot):
    bot.redis_is_there = False
    answer = bot.http.get("/readyz")
    assert (answer.status_code, answer.json["redis"]) == (200, "away")


def test_a_clock_that_is_off_is_named(bot, monkeypatch):
    """H25: the server is still ready, because it uses the shared clock."""
    monkeypatch.setattr("dashboard.clock.SharedClock.is_off", True)
    answer = bot.http.get("/readyz")
    assert (answer.status_code, answer.json["status"]) == (200, "degraded")
    assert (answer.json["clock"], answer.json["clock_ahead_ms"]) == ("off", 0)


def test_without_sql_it_is_not_ready(bot, tmp_path):
    """F29: the file was removed; another stands there that is no database."""
    bot.order.database.close()
    for path in tmp_path.glob("lineup.sqlite*"):
        path.unlink()
    (tmp_path / "lineup.sqlite").write_bytes(b"no database " * 100)
    answer = bot.http.get("/readyz")
    assert answer.status_code == 503
    assert answer.json == {"status": "unavailable", "sql": "away", "redis": "ok"}
    assert answer.headers["Retry-After"]


def test_what_was_taken_is_counted(bot):
    event = message()
    bot.post({"events": [event, event, message(body="")]})
    answer = bot.http.get("/metrics")
    assert answer.headers["Cache-Control"] == "no-store"
    text = answer.get_data(as_text=True)
    for status in ("created", "duplicate", "rejected"):
        assert f'lineup_events_total{{status="{status}"}} 1.0' in text
    assert 'lineup_bot_api_answers_total{method="POST",status="207"} 1.0' in text


def test_a_watched_number_is_read_when_it_is_asked_for(bot):
    numbers = iter([1.0, 2.0])
    bot.metrics.watch("sockets", "Open sockets.", lambda: next(numbers))
    for number in ("1.0", "2.0"):
        assert f"lineup_sockets {number}" in bot.http.get("/metrics").get_data(as_text=True)


LOOPBACK = ["127.0.0.1", "127.8.9.10", "::1", "::ffff:127.0.0.1"]
ELSEWHERE = ["192.0.2.7", "10.0.0.1", "2001:db8::1", "::ffff:10.0.0.1", "", "unix:"]


def metrics_from(app, address, **headers):
    answer = app.test_client().get(
        "/metrics", environ_overrides={"REMOTE_ADDR": address}, headers=headers
    )
    return answer.status_code


def test_the_metrics_are_for_this_machine(bot):
    """H21: they count the sockets of the invisible, too."""
    assert {metrics_from(bot.app, address) for address in LOOPBACK} == {200}
    assert {metrics_from(bot.app, address) for address in ELSEWHERE} == {403}


@pytest.mark.parametrize("name", ["X-Forwarded-For", "Forwarded", "X-Real-IP"])
def test_what_a_proxy_on_this_machine_passes_on_is_not_of_this_machine(bot, name):
    """H21"""
    assert metrics_from(bot.app, "127.0.0.1", **{name: "127.0.0.1"}) == 403


def test_behind_a_trusted_proxy_the_address_is_that_of_the_reader(database, clock, tmp_path):
    """H21"""
    app = ApplicationDriver(database, clock, tmp_path, LINEUP_TRUSTED_PROXIES="1").app
    for address, status in (("192.0.2.7", 403), ("127.0.0.1", 200)):
        assert metrics_from(app, "10.0.0.1", **{"X-Forwarded-For": address}) == status


def test_with_a_token_the_metrics_are_for_who_knows_it(database, clock, tmp_path):
    """H21: from any address."""
    token = "a token of the metrics"
    app = ApplicationDriver(database, clock, tmp_path, LINEUP_METRICS_TOKEN=token).app
    for address in (*LOOPBACK, *ELSEWHERE):
        assert metrics_from(app, address, Authorization=f"Bearer {token}") == 200
        assert metrics_from(app, address) == 401
        for wrong in ("", "Bearer", "Bearer x", f"Bearer {token}x", "Bearer \xff"):
            assert metrics_from(app, address, Authorization=wrong) == 401


def test_repairs_and_rebuilds_of_lists_are_counted(bot):
    """H6"""
    counts = iter([0, 3])
    bot.metrics.watch_count("list_repairs", "Repairs.", lambda: next(counts))
    for number in ("0.0", "3.0"):
        text = bot.http.get("/metrics").get_data(as_text=True)
        assert "# TYPE lineup_list_repairs_total counter" in text
        assert f"lineup_list_repairs_total {number}" in text


def test_what_has_outrun_the_machine_is_counted(database, clock):
    services = services_over(database, fakeredis.FakeRedis(), clock)
    services.redis_url = "redis://127.0.0.1:1"  # the listener's, which does not run
    create_app(services, 5000, with_sockets=False)
    watch_process(services)
    services.dispatcher.lost, services.rebuilder.lost = 2, 1
    services.metrics.start_seconds = {"elapsed": 70.5, "processor": 2.5}
    lines = services.metrics.text().decode().splitlines()
    assert {
        'lineup_leases_lost_total{of="delivery"} 2.0',
        'lineup_leases_lost_total{of="rebuild"} 1.0',
        'lineup_start_seconds{of="elapsed"} 70.5',
        'lineup_start_seconds{of="processor"} 2.5',
    } <= set(lines)
    assert any(line.startswith("lineup_turns_lost_total ") for line in lines)


def test_the_queue_is_measured_where_it_is_scraped(dashboard):
    """The same numbers as on the lists; none while Redis is away."""

    def numbers() -> dict[str, float]:
        lines = dashboard.client().get("/metrics").get_data(as_text=True).splitlines()
        wanted = ("lineup_queue_threads", "lineup_long", "lineup_admins_here")
        return {
            name: float(number)
            for name, _, number in (line.rpartition(" ") for line in lines)
            if name.startswith(wanted)
        }

    assert numbers() == {
        'lineup_queue_threads{view="arrival"}': 0,
        'lineup_queue_threads{view="not_respond"}': 0,
        'lineup_queue_threads{view="history"}': 0,
        "lineup_longest_wait_seconds": 0,
        "lineup_long_waits": 0,
        "lineup_admins_here": 0,
    }
    for thread in ("t-1", "t-2", "t-3"):
        dashboard.say(thread)
    dashboard.say("t-3", role="admin")
    dashboard.happens("thread.close", "t-2")
    dashboard.clock.advance(1_800_000)
    connection = Connection("1", "a-window", "web")
    dashboard.presence_service.admins.open(connection)
    dashboard.rebuilder.rebuild(dashboard.rebuilder.list_ids())
    assert numbers() == {
        'lineup_queue_threads{view="arrival"}': 2,
        'lineup_queue_threads{view="not_respond"}': 1,
        'lineup_queue_threads{view="history"}': 1,
        "lineup_longest_wait_seconds": 1_804,
        "lineup_long_waits": 1,
        "lineup_admins_here": 1,
    }
    dashboard.server.connected = False
    assert numbers() == {}
