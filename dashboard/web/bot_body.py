"""The body of a chatbot's call: JSON in UTF-8, as it stands."""

from typing import Any

from flask import request

from dashboard.errors import Problem
from dashboard.intake import strict_json
from dashboard.web.limits import BODY_BYTES

_CHARSETS = frozenset({"utf-8", "utf8"})


def document() -> Any:
    """The body's value. Raises Problem: 415 for other kinds of bodies, 413, 400."""
    encoding = request.headers.get("Content-Encoding", "identity")
    if encoding.strip().lower() != "identity":
        raise Problem(
            415, "unsupported_content_encoding", "Bodies are taken without Content-Encoding."
        )
    charset = request.mimetype_params.get("charset", "utf-8").lower()
    if request.mimetype != "application/json" or charset not in _CHARSETS:
        raise Problem(
            415, "unsupported_media_type", "Send JSON in UTF-8: Content-Type: application/json."
        )
    request.max_content_length = BODY_BYTES
    return strict_json.loads(request.get_data())
