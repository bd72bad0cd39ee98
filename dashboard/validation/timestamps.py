"""Reads RFC 3339 timestamps into milliseconds."""

import re
from datetime import UTC, datetime, timedelta

YEAR_MIN = 2000
YEAR_MAX = 2100

_PATTERN = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))",
    re.ASCII,
)
_EPOCH = datetime(1970, 1, 1)
_MILLISECOND = timedelta(milliseconds=1)
_FIRST_MS = int(datetime(YEAR_MIN, 1, 1, tzinfo=UTC).timestamp() * 1000)
_END_MS = int(datetime(YEAR_MAX + 1, 1, 1, tzinfo=UTC).timestamp() * 1000)
_MINUTE_MS = 60_000


class TimestampError(ValueError):
    """The text is not a timestamp with an offset in the form of RFC 3339."""


class TimestampRangeError(ValueError):
    """The timestamp lies outside of the accepted years."""


def parse(text: str) -> int:
    """Returns milliseconds since 1970. Finer digits are cut off; -00:00 is UTC.

    A leap second, 23:59:60 UTC at the end of a month, is the second that follows it. Raises
    TimestampError and TimestampRangeError.
    """
    match = _PATTERN.fullmatch(text) if len(text) <= 64 else None
    if match is None:
        raise TimestampError
    year, month, day, hour, minute, second, fraction, sign, hours, minutes = match.groups()
    offset = _offset_minutes(sign, hours, minutes)
    leap = second == "60"
    if year == "0000":
        raise TimestampRangeError
    try:
        local = datetime(
            int(year), int(month), int(day), int(hour), int(minute), 59 if leap else int(second)
        )
    except ValueError:
        raise TimestampError from None
    ms = (local - _EPOCH) // _MILLISECOND - offset * _MINUTE_MS
    if not _FIRST_MS <= ms < _END_MS:
        raise TimestampRangeError
    if leap:
        ms = _after_leap_second(ms)
    return ms + int(fraction[:3].ljust(3, "0")) if fraction else ms


def _offset_minutes(sign: str | None, hours: str, minutes: str) -> int:
    if sign is None:
        return 0
    if int(hours) > 23 or int(minutes) > 59:
        raise TimestampError
    offset = 60 * int(hours) + int(minutes)
    return offset if sign == "+" else -offset


def _after_leap_second(ms_at_59: int) -> int:
    following = _EPOCH + timedelta(milliseconds=ms_at_59 + 1000)
    if (following.day, following.hour, following.minute, following.second) != (1, 0, 0, 0):
        raise TimestampError
    return ms_at_59 + 1000
