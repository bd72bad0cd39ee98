"""The probes tell what is there and what is away, and count what was done."""

import fakeredis
import pytest

from tests.intake.order import Order
from tests.web.bot import Bot, message


@pytest.fixture
def bot(database, clock) -> Bot:
    return Bot(Order(database, fakeredis.FakeRedis(), clock))


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
    text = bot.http.get("/metrics").get_data(as_text=True)
    for status in ("created", "duplicate", "rejected"):
        assert f'lineup_events_total{{status="{status}"}} 1.0' in text
    assert 'lineup_bot_api_answers_total{method="POST",status="207"} 1.0' in text


def test_a_watched_number_is_read_when_it_is_asked_for(bot):
    numbers = iter([1.0, 2.0])
    bot.metrics.watch("sockets", "Open sockets.", lambda: next(numbers))
    for number in ("1.0", "2.0"):
        assert f"lineup_sockets {number}" in bot.http.get("/metrics").get_data(as_text=True)
