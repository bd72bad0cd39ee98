"""When a failed delivery is retried: after growing delays, or when `Retry-After` says."""

from collections.abc import Callable
from datetime import UTC
from email.utils import parsedate_to_datetime

_MINUTE, _HOUR = 60, 3600
#: Delay after the first attempt, after the second, …; after the last one the delivery has failed.
WAITS_SECONDS = (
    5,
    5 * _MINUTE,
    30 * _MINUTE,
    2 * _HOUR,
    5 * _HOUR,
    10 * _HOUR,
    14 * _HOUR,
    20 * _HOUR,
    24 * _HOUR,
)
ATTEMPTS_MAX = 1 + len(WAITS_SECONDS)
#: Share by which a delay may be longer, so that deliveries that failed together do not retry
#: together. Never shorter: the delays are what the documentation promises to receivers.
JITTER = 0.1
#: Longest delay that a receiver may ask for.
RETRY_AFTER_MAX_SECONDS = 24 * _HOUR
_DIGITS_MAX = 9


def next_at(
    attempts: int, retry_after_seconds: int | None, now_ms: int, random: Callable[[], float]
) -> int | None:
    """Time of the next attempt in milliseconds; None after `ATTEMPTS_MAX` attempts.

    It is never before the receiver's `Retry-After`. `random()` gives a number in [0, 1).
    """
    if attempts >= ATTEMPTS_MAX:
        return None
    wait = max(WAITS_SECONDS[attempts - 1], retry_after_seconds or 0)
    return now_ms + int(wait * 1000 * (1 + JITTER * random()))


def retry_after(text: str | None, now_ms: int) -> int | None:
    """The seconds of a `Retry-After` header (a number or a date), 0 to 86,400; None if invalid."""
    if not text:
        return None
    text = text.strip()
    if text.isascii() and text.isdigit():
        return min(int(text[:_DIGITS_MAX]), RETRY_AFTER_MAX_SECONDS)
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    seconds = -(-(moment.timestamp() * 1000 - now_ms) // 1000)
    return int(min(max(seconds, 0), RETRY_AFTER_MAX_SECONDS))
