"""Names of time zones in requests."""

import re
from functools import lru_cache
from typing import Annotated
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, Field

from dashboard.errors import quoted
from dashboard.validation.fields import fault

_TIMEZONE = re.compile(r"[A-Za-z0-9_+-]{1,30}(/[A-Za-z0-9_+-]{1,30}){0,2}")
_TIMEZONE_MAX = 64


@lru_cache(maxsize=1_024)
def is_timezone(name: str) -> bool:
    """Whether this machine knows a time zone with this name (IANA)."""
    if len(name) > _TIMEZONE_MAX or not _TIMEZONE.fullmatch(name):
        return False
    try:
        return ZoneInfo(name).key == name
    except (OSError, ValueError, LookupError):
        # The name is that of a folder such as America, of a file that is no zone, or unknown.
        return False


def _timezone(text: str) -> str:
    if not is_timezone(text):
        raise fault("unknown_value", f"{quoted(text, 60)} is no time zone such as Asia/Tokyo")
    return text


Timezone = Annotated[
    str, AfterValidator(_timezone), Field(description="Of the days in the query; by default UTC.")
]
