"""What the web application is built from: `app.py` makes the parts, `application.py` joins them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import redis
from flask import Flask

from dashboard.attendance.attendance import Attendance
from dashboard.attendance.chatbots import Chatbots
from dashboard.config import Settings
from dashboard.delivery.desk import WebhookDesk
from dashboard.intake.actions import Actions
from dashboard.intake.intake import Intake
from dashboard.intake.order_state import OrderState
from dashboard.store.database import Database
from dashboard.web.metrics import Metrics
from scoring.ranking import Ranking

Clock = Callable[[], int]
#: Runs a function where it does not stop the other green threads, and gives what it gives.
Offload = Callable[..., Any]


class Sockets(Protocol):
    """The way out, as far as the web knows it."""

    def attach(self, app: Flask) -> None:
        """Puts Socket.IO in front of the application, behind the gate."""

    def doubt_sessions(self) -> None:
        """One of them is over: all are looked up again at the next call."""

    def measure(self, watch: Callable[[str, str, Callable[[], float]], None]) -> None:
        """Names its numbers: `watch(name, help, read)`."""


def run_here(work: Callable[..., Any], *given: Any) -> Any:
    """The offload of commands and tests, which have no green threads to stop."""
    return work(*given)


@dataclass(frozen=True)
class Parts:
    """Everything that a web process needs; `port` is the one served, `root` holds static/."""

    settings: Settings
    database: Database
    redis: redis.Redis
    ranking: Ranking
    intake: Intake
    actions: Actions
    order: OrderState
    attendance: Attendance
    chatbots: Chatbots
    clock: Clock
    port: int
    root: Path
    webhooks: WebhookDesk
    sockets: Sockets | None = None
    metrics: Metrics = field(default_factory=Metrics)
    offload: Offload = field(default=run_here)
