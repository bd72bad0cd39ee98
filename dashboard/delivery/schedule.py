"""When a delivery is tried again: later and later for three days, or when the receiver says."""

from collections.abc import Callable
from datetime import UTC
from email.utils import parsedate_to_datetime

_MINUTE, _HOUR = 60, 3600
#: After the first try, the second, …; then it is given up.
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
#: Up to so much longer, so that what failed together does not come back together.
JITTER = 0.1
#: No receiver may ask for more.
RETRY_AFTER_MAX_SECONDS = 24 * _HOUR
_DIGITS_MAX = 9


def next_at(
    attempts: int, retry_after_seconds: int | None, now_ms: int, random: Callable[[], float]
) -> int | None:
    """When to try again after so many tries, never before the receiver wants it; None: never."""
    if attempts >= ATTEMPTS_MAX:
        return None
    wait = max(WAITS_SECONDS[attempts - 1], retry_after_seconds or 0)
    return now_ms + int(wait * 1000 * (1 + JITTER * random()))


def retry_after(text: str | None, now_ms: int) -> int | None:
    """The seconds that a `Retry-After` header asks for: a number, or a date."""
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
