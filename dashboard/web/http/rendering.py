"""A page from a template, with its Content-Security-Policy."""

import secrets
from collections.abc import Sequence
from typing import Any

from flask import Response, make_response, render_template, request


def rendered(template: str, picture_hosts: Sequence[str] = (), **values: Any) -> Response:
    """`picture_hosts`: from where the page loads pictures besides this server, by https."""
    nonce = secrets.token_urlsafe(16)
    response = make_response(render_template(template, csp_nonce=nonce, **values))
    response.headers["Cache-Control"] = "no-store"
    response.headers["Content-Security-Policy"] = _policy(nonce, picture_hosts)
    return response


def _policy(nonce: str, picture_hosts: Sequence[str]) -> str:
    """The Content-Security-Policy; `'self'` alone allows no WebSockets in some browsers."""
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
