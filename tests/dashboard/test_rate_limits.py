"""Rate limits in one process, and the windows that all workers share."""

import fakeredis
import pytest

from dashboard.rate_limits import RateLimit, RateLimiter, RateLimitExceeded, SharedWindows

THREE_A_SECOND = RateLimit(3, 1, "{size} a second; try in {seconds} s.")


class Clock:
    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def limiter(clock) -> RateLimiter:
    return RateLimiter(clock)


def test_a_bucket_begins_full_and_fills_evenly(limiter, clock):
    assert [limiter.take(THREE_A_SECOND, "a") for _ in range(3)] == [None] * 3
    assert limiter.take(THREE_A_SECOND, "a") == pytest.approx(1 / 3)
    clock.seconds += 0.34
    assert limiter.take(THREE_A_SECOND, "a") is None
    clock.seconds += 60
    assert limiter.take(THREE_A_SECOND, "a", 3) is None
    assert limiter.take(THREE_A_SECOND, "a", 1) is not None


def test_callers_and_limits_are_counted_apart(limiter):
    assert limiter.take(THREE_A_SECOND, "a", 3) is None
    assert limiter.take(THREE_A_SECOND, "b", 3) is None
    assert limiter.take(THREE_A_SECOND._replace(seconds=2), "a", 3) is None


def test_a_refused_call_takes_nothing(limiter):
    assert limiter.take(THREE_A_SECOND, "a", 2) is None
    assert limiter.take(THREE_A_SECOND, "a", 2) is not None
    assert limiter.take(THREE_A_SECOND, "a", 1) is None


def test_what_is_given_back_can_be_taken_again(limiter):
    limiter.take(THREE_A_SECOND, "a", 3)
    limiter.give_back(THREE_A_SECOND, "a", 2)
    assert limiter.take(THREE_A_SECOND, "a", 2) is None
    limiter.give_back(THREE_A_SECOND, "a", 50)
    assert limiter.take(THREE_A_SECOND, "a", 4) is not None


def test_a_refusal_has_whole_seconds_to_wait(limiter):
    limiter.require(THREE_A_SECOND, "a", 3)
    with pytest.raises(RateLimitExceeded) as raised:
        limiter.require(THREE_A_SECOND, "a", 4)
    assert (raised.value.status, raised.value.headers["Retry-After"]) == (429, "1")
    assert raised.value.detail.startswith("3 a second; try in 1 s. A call of 4 ")


def test_the_number_of_buckets_is_bounded(limiter, clock):
    for caller in range(10_001):
        limiter.take(THREE_A_SECOND, caller)
    assert len(limiter._buckets) == 10_000
    clock.seconds += 1
    limiter.take(THREE_A_SECOND, "new")
    assert len(limiter._buckets) == 1


def test_workers_share_a_window_that_ends():
    server = fakeredis.FakeServer()
    one, other = (SharedWindows(fakeredis.FakeRedis(server=server)) for _ in range(2))
    assert [each.count(THREE_A_SECOND, "k") for each in (one, other, one)] == [None] * 3
    assert other.count(THREE_A_SECOND, "k") is not None
    one.give_back("k")
    one.give_back("k")
    assert other.count(THREE_A_SECOND, "k") is None
    server.connected = False
    assert one.count(THREE_A_SECOND, "k") is None
    one.give_back("k")
