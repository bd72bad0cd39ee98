"""Cursors: where a walk through a list goes on, opaque to who walks."""

import base64
import binascii
import re

from dashboard.intake.field_errors import one

CURSOR_MAX = 200
_PLACE = re.compile(r"([a-z_]+)/([a-z_]+)/(\d{1,16})/(\d{1,12})")


def cursor(page: str, sort: str, score: int, id: int) -> str:
    """The cursor that goes on after (score, id)."""
    return base64.urlsafe_b64encode(f"{page}/{sort}/{score}/{id}".encode()).decode().rstrip("=")


def place(text: str, page: str, sort: str) -> tuple[int, int]:
    """(score, id) of a cursor of this list. Raises Invalid for any other text."""
    match = _PLACE.fullmatch(_decoded(text))
    if match is None or match.group(1, 2) != (page, sort):
        raise one("/cursor", "unknown_value", "is no cursor of this list")
    return int(match[3]), int(match[4])


def _decoded(text: str) -> str:
    if len(text) > CURSOR_MAX or not text.isascii():
        return ""
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), b"-_", validate=True).decode("ascii")
    except (binascii.Error, UnicodeDecodeError):
        return ""
