"""Values of accounts: e-mail addresses, names, time zones, and networks of addresses."""

import ipaddress
import re
from functools import lru_cache
from typing import Annotated
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, Field, WithJsonSchema

from dashboard.errors import quoted
from dashboard.validation.fields import (
    TEXT_PATTERN,
    check_length,
    check_line,
    fault,
    hides_something,
)

EMAIL_MAX_CHARACTERS = 254
NAME_MAX_CHARACTERS = 128


def is_email(text: str) -> bool:
    """Whether the text is an e-mail address; capital letters count as small ones."""
    name, at, host = text.rpartition("@")
    is_plain = text.isprintable() and not hides_something(text) and " " not in text
    return bool(name and at and host) and is_plain and len(text) <= EMAIL_MAX_CHARACTERS


def is_account_name(text: str) -> bool:
    """Whether the name is one line of characters that others can see."""
    is_shown = text.isprintable() and not hides_something(text)
    return 1 <= len(text.strip()) <= NAME_MAX_CHARACTERS and is_shown


def check_email(text: str) -> str:
    """Returns the address in the form in which it is stored."""
    if not is_email(text.strip()):
        raise fault("unknown_value", f"{quoted(text, 60)} is not an e-mail address")
    return text.strip().lower()


def check_account_name(text: str) -> str:
    """Returns the name without blanks around it."""
    name = check_line(check_length(text.strip(), NAME_MAX_CHARACTERS), NAME_MAX_CHARACTERS)
    if not is_account_name(name):
        raise fault("forbidden_character", "holds a character that is not shown")
    return name


Email = Annotated[
    str,
    AfterValidator(check_email),
    WithJsonSchema({"type": "string", "format": "email", "maxLength": EMAIL_MAX_CHARACTERS}),
]
AccountName = Annotated[
    str,
    AfterValidator(check_account_name),
    WithJsonSchema({"type": "string", "maxLength": NAME_MAX_CHARACTERS, "pattern": TEXT_PATTERN}),
]

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
        # The name is unknown, or names a folder such as America, or a file that is no zone.
        return False


def _timezone(text: str) -> str:
    if not is_timezone(text):
        raise fault("unknown_value", f"{quoted(text, 60)} is not a time zone such as Asia/Tokyo")
    return text


Timezone = Annotated[str, AfterValidator(_timezone)]
#: In a request for which the time zone of the caller's profile counts if none is given.
OwnTimezone = Annotated[
    Timezone | None, Field(description="Time zone of days; default: the profile's, else UTC.")
]
#: In a change that keeps the time zone if none is given.
KeptTimezone = Annotated[
    Timezone | None, Field(description="Time zone of days; default: the present one.")
]

#: The owner of an IPv6 address has all of its /64 network.
_IPV6_NETWORK_BITS = 64


def network_of(address: str) -> str:
    """Returns the /64 network of an IPv6 address; an IPv4 address or other text as it is."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address):
        return address
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((found, _IPV6_NETWORK_BITS), strict=False).network_address)
