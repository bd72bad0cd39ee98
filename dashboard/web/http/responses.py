"""JSON answers, and pages rendered from templates."""

import json
import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from flask import Response, make_response, render_template, request
from pydantic import BaseModel


def json_response(
    body: Any, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """Returns the body as JSON that no cache keeps; it may hold models."""
    text = json.dumps(body, default=BaseModel.model_dump)
    response = Response(text, status, headers, content_type="application/json")
    response.headers["Cache-Control"] = "no-store"
    return response


def rendered(template: str, picture_hosts: Sequence[str] = (), **values: Any) -> Response:
    """Renders the page. `picture_hosts`: other hosts of its pictures, loaded by https."""
    nonce = secrets.token_urlsafe(16)
    response = make_response(render_template(template, csp_nonce=nonce, **values))
    response.headers["Cache-Control"] = "no-store"
    response.headers["Content-Security-Policy"] = _policy(nonce, picture_hosts)
    return response


def _policy(nonce: str, picture_hosts: Sequence[str]) -> str:
    """Returns the Content-Security-Policy; in some browsers `'self'` does not allow WebSockets."""
    sockets = f"{'wss' if request.is_secure else 'ws'}://{request.host}"
    pictures = " ".join(["'self' data:", *(f"https://{host}" for host in picture_hosts)])
    return "; ".join(
        (
            "default-src 'self'",
            f"img-src {pictures}",
            "style-src 'self'",
            f"script-src 'self' 'nonce-{nonce}'",
            f"connect-src 'self' {sockets}",
            "object-src 'none'",
            "frame-ancestors 'none'",
            "base-uri 'none'",
            "form-action 'self'",
        )
    )
