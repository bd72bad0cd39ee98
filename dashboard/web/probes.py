"""Probes: whether the process is alive, whether what it needs is there, and what it counts."""

from collections.abc import Callable

from flask import Blueprint, Response, jsonify

from dashboard.store.database import Database
from dashboard.web.metrics import CONTENT_TYPE, Metrics


def blueprint(
    database: Database, redis_is_there: Callable[[], bool], metrics: Metrics
) -> Blueprint:
    """`/healthz`, `/readyz` and `/metrics`, for anybody and under any Host."""
    made = Blueprint("probes", __name__)

    @made.get("/healthz")
    def alive() -> Response:
        return _json({"status": "ok"}, 200)

    @made.get("/readyz")
    def ready() -> Response:
        """Without SQL nothing can be taken; without Redis all but the live order works."""
        sql, redis = database.is_there(), redis_is_there()
        body = {
            "status": "ok" if sql and redis else "degraded" if sql else "unavailable",
            "sql": _state(sql),
            "redis": _state(redis),
        }
        return _json(body, 200 if sql else 503)

    @made.get("/metrics")
    def count() -> Response:
        return Response(metrics.text(), content_type=CONTENT_TYPE)

    return made


def _state(is_there: bool) -> str:
    return "ok" if is_there else "away"


def _json(body: dict[str, str], status: int) -> Response:
    response = jsonify(body)
    response.status_code = status
    response.headers["Cache-Control"] = "no-store"
    if status == 503:
        response.headers["Retry-After"] = "1"
    return response
