"""JSON answers."""

import json
from collections.abc import Mapping
from typing import Any

from flask import Response


def json_response(
    body: Any, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """Returns the body as JSON that no cache keeps."""
    response = Response(json.dumps(body), status, headers, content_type="application/json")
    response.headers["Cache-Control"] = "no-store"
    return response
