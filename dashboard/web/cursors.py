"""Cursors: where a walk through a list goes on, opaque to who walks."""

import base64
import binascii
import re

from dashboard.errors import Invalid
from dashboard.intake.field_errors import one

CURSOR_MAX = 200
_POSITION = re.compile(r"out/(\d{1,16})")
_PLACE = re.compile(r"([a-z_]+)/([a-z_]+)/(\d{1,16})/(\d{1,12})")


def cursor(page: str, sort: str, score: int, id: int) -> str:
    """The cursor that goes on after (score, id)."""
    return _encoded(f"{page}/{sort}/{score}/{id}")


def outbox_cursor(position: int) -> str:
    """The cursor that goes on after a position in the outbox."""
    return _encoded(f"out/{position}")


def outbox_position(text: str) -> int:
    """The position of a cursor of the outbox. Raises Invalid for any other text."""
    match = _POSITION.fullmatch(_decoded(text))
    if match is None:
        raise no_cursor()
    return int(match[1])


def no_cursor() -> Invalid:
    return one("/after", "unknown_value", "is no cursor of these events")


def place(text: str, page: str, sort: str) -> tuple[int, int]:
    """(score, id) of a cursor of this list. Raises Invalid for any other text."""
    match = _PLACE.fullmatch(_decoded(text))
    if match is None or match.group(1, 2) != (page, sort):
        raise one("/cursor", "unknown_value", "is no cursor of this list")
    return int(match[3]), int(match[4])


def _encoded(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _decoded(text: str) -> str:
    if len(text) > CURSOR_MAX or not text.isascii():
        return ""
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), b"-_", validate=True).decode("ascii")
    except (binascii.Error, UnicodeDecodeError):
        return ""
