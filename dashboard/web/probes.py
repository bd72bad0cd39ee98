"""Probes: whether the process is alive, whether its dependencies are up, and its metrics."""

import hmac
import ipaddress
from collections.abc import Callable
from typing import Any

from flask import Blueprint, Response, request

from dashboard.clock import SharedClock
from dashboard.db.database import Database
from dashboard.errors import Problem
from dashboard.web.http.metrics.registry import CONTENT_TYPE, Metrics
from dashboard.web.http.responses import json_response

#: Headers that proxies add.
_OF_PROXIES = ("Forwarded", "X-Forwarded-For", "X-Real-IP", "Via")


def blueprint(
    database: Database,
    redis_is_there: Callable[[], bool],
    metrics: Metrics,
    clock: SharedClock,
    is_accepting: Callable[[], bool] = lambda: True,
    metrics_token: str | None = None,
) -> Blueprint:
    """Builds `/healthz`, `/readyz` and `/metrics`, without a session and under any Host.

    `is_accepting()` tells whether the process would take another connection. The metrics count open
    dashboards, including those of invisible admins. Only clients with the token may read them, or
    without a token clients on this machine.
    """
    made = Blueprint("probes", __name__)

    @made.get("/healthz")
    def alive() -> Response:
        return json_response({"status": "ok"})

    @made.get("/readyz")
    def ready() -> Response:
        if not is_accepting():
            body = {"status": "unavailable", "connections": "refused"}
            return json_response(body, 503, {"Retry-After": "1"})
        return _readiness(_state_of(database), redis_is_there(), clock)

    @made.get("/metrics")
    def count() -> Response:
        _require_reader(metrics_token)
        return Response(metrics.text(), content_type=CONTENT_TYPE)

    return made


def _readiness(sql: str, redis: bool, clock: SharedClock) -> Response:
    """Answers the readiness. Without SQL, or if it takes no writes, nothing can be taken; without
    Redis only the live order does not work.

    A machine with a wrong clock uses the shared one, and is named.
    """
    works = redis and not clock.is_off
    body: dict[str, Any] = {
        "status": "unavailable" if sql != "ok" else "ok" if works else "degraded",
        "sql": sql,
        "redis": "ok" if redis else "away",
    }
    if clock.is_off:
        body |= {"clock": "off", "clock_ahead_ms": clock.own_ahead_ms}
    if sql == "ok":
        return json_response(body)
    return json_response(body, 503, {"Retry-After": "1"})


def _require_reader(token: str | None) -> None:
    """Checks that the client may read the metrics. Raises Problem (401, 403)."""
    if token is None:
        if not _is_from_here():
            raise Problem(
                403, "forbidden", "The metrics are read on this machine, or with a token."
            )
        return
    given = request.headers.get("Authorization", "").partition(" ")[2].strip()
    if not hmac.compare_digest(given.encode("utf-8", "replace"), token.encode()):
        headers = {"WWW-Authenticate": 'Bearer realm="Lineup metrics"'}
        raise Problem(401, "unauthorized", "The metrics need their token.", headers=headers)


def _is_from_here() -> bool:
    """Whether the request was sent on this machine, and not passed on by a proxy on it."""
    if any(name in request.headers for name in _OF_PROXIES):
        return request.environ.get("werkzeug.proxy_fix.orig") is not None and _is_loopback()
    return _is_loopback()


def _is_loopback() -> bool:
    try:
        address = ipaddress.ip_address(request.remote_addr or "")
    except ValueError:
        return False
    inside = getattr(address, "ipv4_mapped", None)
    return (inside or address).is_loopback


def _state_of(database: Database) -> str:
    if not database.is_there():
        return "away"
    return "ok" if database.takes_writes() else "read_only"
