"""The times at which a delivery is tried again."""

import pytest

from dashboard.webhooks import dispatcher

NOW = 1_790_000_000_000
HOUR = 3_600_000


def never() -> float:
    return 0.0


def test_nine_retries_within_three_days():
    waits = [
        (dispatcher.next_at(attempts, None, NOW, never) or NOW) - NOW for attempts in range(1, 11)
    ]
    assert waits == [
        5_000,
        300_000,
        1_800_000,
        2 * HOUR,
        5 * HOUR,
        10 * HOUR,
        14 * HOUR,
        20 * HOUR,
        24 * HOUR,
        0,
    ]
    assert dispatcher.next_at(10, None, NOW, never) is None


def test_jitter_only_lengthens_a_delay():
    assert dispatcher.next_at(1, None, NOW, lambda: 1.0) == NOW + 5_500
    assert dispatcher.next_at(1, 60, NOW, lambda: 1.0) == NOW + 66_000


def test_a_retry_is_never_before_retry_after():
    assert dispatcher.next_at(1, 60, NOW, never) == NOW + 60_000
    assert dispatcher.next_at(2, 60, NOW, never) == NOW + 300_000


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        (None, None),
        ("", None),
        ("120", 120),
        (" 0 ", 0),
        ("9" * 400, 86_400),
        ("Mon, 21 Sep 2026 14:15:20 GMT", 120),
        ("Mon, 21 Sep 2026 14:00:00 GMT", 0),
        ("Mon, 21 Sep 2099 14:00:00 GMT", 86_400),
        ("soon", None),
        ("-5", None),
        ("1.5", None),
        ("٣", None),
        ("Mon, 99 Sep 2026 14:15:20 GMT", None),
    ],
)
def test_retry_after_is_a_number_of_seconds_or_a_date(text, seconds):
    assert dispatcher.retry_after(text, NOW) == seconds
