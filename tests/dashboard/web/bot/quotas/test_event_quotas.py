"""An API key's quota is one for all workers; on fakeredis and on a real server."""

import random

import pytest
from redis.exceptions import ConnectionError, RedisError

from dashboard.rate_limits import RateLimitExceeded
from dashboard.web.bot.quotas.event_quotas import RETRY_SECONDS, EventQuotas
from tests.support import SettableClock

KEY = 7


class Workers:
    """Workers on one Redis; `seconds` of their own clocks pass with those of the shared one."""

    def __init__(self, client, count=3):
        self.client = client
        self.clock = SettableClock()
        self.seconds = 50.0
        self.all = [
            EventQuotas(client, "lineup", self.clock, self._monotonic) for _ in range(count)
        ]

    def _monotonic(self):
        return self.seconds

    def pass_ms(self, milliseconds):
        self.clock.advance(milliseconds)
        self.seconds += milliseconds / 1000

    def post(self, worker, rate, count=1):
        """None where it may be posted, else the seconds to wait."""
        try:
            self.all[worker].require(KEY, rate, count)
        except RateLimitExceeded as refused:
            return int(refused.headers["Retry-After"])
        return None


@pytest.fixture
def workers(client):
    return Workers(client)


def test_all_workers_take_from_one_quota(workers):
    """Where each counted for itself, three workers would let nine through."""
    assert [workers.post(number % 3, 3) for number in range(3)] == [None] * 3
    assert [workers.post(worker, 3) for worker in range(3)] == [1, 1, 1]
    workers.pass_ms(334)
    assert [workers.post(worker, 3) for worker in range(3)] == [None, 1, 1]


def test_a_batch_over_the_quota_takes_nothing(workers):
    assert workers.post(0, 5, 3) is None
    assert workers.post(1, 5, 3) == 1
    assert workers.post(2, 5, 2) is None
    assert workers.post(0, 5, 6) == 1, "more than it may ever post at once"


def test_keys_have_quotas_of_their_own(workers):
    assert workers.post(0, 1) is None
    workers.all[1].require(KEY + 1, 1, 1)
    assert workers.post(2, 1) == 1


@pytest.mark.parametrize("rate", [1, 3, 7, 60, 999, 1_000_000])
def test_over_a_minute_it_lets_through_what_it_says(workers, rate):
    """In pieces of any size at any moment: a quota full at first, and the rate; no event less."""
    draw = random.Random(rate)
    passed = 0
    for _ in range(600):
        size = draw.randint(1, rate)
        passed += size * (workers.post(draw.randrange(3), rate, size) is None)
        # What is left of the quota: events one by one, as far as it is worth the test's time.
        for _ in range(min(rate, 20)):
            passed += workers.post(draw.randrange(3), rate) is None
        workers.pass_ms(100)
    most = rate * (60 + 1)
    assert passed <= most * 1.001 + 1
    if rate <= 20:
        assert passed >= most - 2 * rate, "one by one nothing of it is left"


def test_a_clock_that_was_set_back_closes_no_key(workers):
    assert workers.post(0, 2, 2) is None
    workers.clock.advance(-3_600_000)
    workers.pass_ms(1_000)
    assert workers.post(1, 2, 1) == 1, "from then on it fills"
    workers.pass_ms(1_000)
    assert workers.post(1, 2, 1) is None


def test_a_full_quota_leaves_no_key_behind(workers):
    workers.post(0, 3)
    [key] = workers.client.keys("*")
    assert key == b"lineup|quota|7" and 0 < workers.client.pttl(key) <= 2_000


def test_without_redis_each_process_counts_for_itself_and_asks_again_later(workers, monkeypatch):
    runner = workers.all[0]._runner
    run, asked = runner.run, []

    def away(*arguments):
        asked.append(arguments)
        raise ConnectionError("away")

    monkeypatch.setattr(runner, "run", away)
    assert [workers.post(0, 2) for _ in range(3)] == [None, None, 1]
    assert len(asked) == 1, "the next ones do not wait for it"
    monkeypatch.setattr(runner, "run", run)
    workers.pass_ms(RETRY_SECONDS * 1000)
    workers.post(1, 2, 2)
    assert workers.post(0, 2) == 1, "both count in Redis"


def test_what_redis_answers_badly_refuses_no_event(workers, monkeypatch):
    def broken(*arguments):
        raise RedisError("OOM command not allowed")

    monkeypatch.setattr(workers.all[0]._runner, "run", broken)
    assert workers.post(0, 2) is None
