"""Tells supervisors in the settings whether the lists equal the database."""

from collections.abc import Callable

from flask import Response

from dashboard.ordering.status import OrderingStatus
from dashboard.web.admin.responses import Answer, Milliseconds
from dashboard.web.admin.routes import SUPERVISOR
from dashboard.web.http.responses import json_response
from dashboard.web.http.routes import done, route


class Health(Answer):
    """The state of the worker that answers; each worker compares the lists once a second."""

    late_since: Milliseconds | None
    compared_at: Milliseconds | None
    repairs: int


class HealthApi:
    """`repairs()` gives how many places this worker has repaired since it started."""

    def __init__(self, status: OrderingStatus, repairs: Callable[[], int]):
        self._status = status
        self._repairs = repairs

    @route(
        "GET",
        "/health",
        "getHealth",
        summary="Tell whether the lists equal the database",
        description="`late_since`: since when they may be out of date, null while they are not; "
        "`compared_at`: when they were last found equal, null before the first time.",
        scope=SUPERVISOR,
        answers=done(Health),
    )
    def health(self) -> Response:
        return json_response(
            {
                "late_since": self._status.late_since,
                "compared_at": self._status.compared_at,
                "repairs": self._repairs(),
            }
        )
